"""The notebooks run from top to bottom, on both stores, and are kept without outputs."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.neo4j_fixture import RunningServer

PLACE = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(PLACE.glob("*.ipynb"))
PRETENDED = {"MPLBACKEND": "agg", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


@pytest.fixture(params=["sqlite", "neo4j"])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment that a notebook meets: nothing set, or a server with an empty demo namespace."""
    for name in [name for name in os.environ if name.startswith(("GRAPHMEM_", "NEO4J_"))]:
        monkeypatch.delenv(name)
    if request.param == "neo4j":
        server: RunningServer = request.getfixturevalue("neo4j_server")
        monkeypatch.setenv("GRAPHMEM_URL", server.bolt_uri)
        monkeypatch.setenv("GRAPHMEM_NAMESPACE", f"demo-{uuid.uuid4().hex}")
    for name, value in PRETENDED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(PLACE.parent))
    return str(request.param)


def test_there_are_six() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, store: str) -> None:
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, timeout=240, resources={"metadata": {"path": str(PLACE)}}).execute()
    ran = [cell for cell in book.cells if cell.cell_type == "code"]
    assert ran
    assert all(cell.execution_count for cell in ran), store


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_asks_first_and_says_what_it_assumes(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert "**" in texts[0]
    assert "?" in texts[0]
    assert any("Appendix" in text for text in texts)
