"""What a user installs works: the wheel carries the query files, and both it and a checkout find them."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIND = """
import sys
import graphmem.queries as queries
print(queries.__file__)
print(queries.path(queries.SCHEMA))
sys.stdout.flush()
sys.stdout.buffer.write(queries.graphql_operation(sys.argv[1]).encode())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, once."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("graphmem-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel as an installer would."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def operation() -> Path:
    """Name one GraphQL operation of the repository."""
    return next(iter(sorted((ROOT / "queries" / "graphql").glob("*.graphql"))))


def find(operation: str, importable: Path, elsewhere: Path) -> tuple[Path, Path, str]:
    """Ask graphmem, imported from a folder by a process of its own, for an operation.

    Returns the file of graphmem.queries, the path of the schema, and the operation's text.
    """
    done = subprocess.run(
        [sys.executable, "-c", FIND, operation],
        cwd=elsewhere,
        env=os.environ | {"PYTHONPATH": str(importable)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    module, schema, text = done.stdout.decode().split("\n", 2)
    return Path(module), Path(schema), text


def test_wheel_carries_every_query_and_the_schema(wheel: Path) -> None:
    shipped = set(zipfile.ZipFile(wheel).namelist())
    queries = [file for file in (ROOT / "queries").rglob("*") if file.is_file()]
    expected = {f"graphmem/_queries/{file.relative_to(ROOT / 'queries').as_posix()}" for file in queries}
    assert expected
    assert expected | {"graphmem/_queries/schema.graphql", "graphmem/py.typed"} <= shipped


def test_wheel_carries_graphmem_and_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"graphmem"}


def test_wheel_finds_its_queries(installed: Path, operation: Path, tmp_path: Path) -> None:
    module, schema, text = find(operation.stem, installed, tmp_path)
    assert module.is_relative_to(installed)
    assert schema == installed / "graphmem" / "_queries" / "schema.graphql"
    assert text == operation.read_text(encoding="utf-8")


def test_checkout_finds_its_queries(operation: Path, tmp_path: Path) -> None:
    module, schema, text = find(operation.stem, ROOT, tmp_path)
    assert module.is_relative_to(ROOT / "graphmem")
    assert schema == ROOT / "schema.graphql"
    assert text == operation.read_text(encoding="utf-8")
