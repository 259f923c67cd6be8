"""A Neo4j server as the store of any command: who named it is told, and what reaches the adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import UnavailableError
from tests.unit.entrypoints.cli.conftest import Run

NOTE = "store from NEO4J_URI (GRAPHMEM_STORE or --store name another)"
ADDRESS = "neo4j://graph.example:7687"


class Pretended(SqliteStore):
    """Keeps what it was opened with; the memories lie in a file."""

    opened: list[tuple[str, dict[str, Any]]]
    file: Path
    down = False
    closed = 0

    def __init__(self, uri: str, **given: Any) -> None:
        type(self).opened.append((uri, given))
        super().__init__(self.file)

    def migrate(self) -> Any:
        """Ask the server for the first time."""
        if self.down:
            raise UnavailableError("nobody is there", field="store")
        return super().migrate()

    def close(self) -> None:
        """Give everything back."""
        type(self).closed += 1
        super().close()


@pytest.fixture
def adapter(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type[Pretended]:
    """The pretended adapter in place of the real one; no variable names a store."""

    class Own(Pretended):
        opened: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012 (one a test)
        file = tmp_path / "pretended.db"

    monkeypatch.setattr("graphmem.adapters.neo4j.store.Neo4jStore", Own)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in (
        "GRAPHMEM_STORE",
        "NEO4J_URI",
        "NEO4J_USERNAME",
        "NEO4J_USER",
        "NEO4J_PASSWORD",
        "NEO4J_DATABASE",
    ):
        monkeypatch.delenv(name, raising=False)
    return Own


def test_a_server_is_opened_with_its_access(
    run: Run, adapter: type[Pretended], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("status", "--store", ADDRESS).code == 0
    monkeypatch.setenv("NEO4J_PASSWORD", "correct-horse")
    monkeypatch.setenv("NEO4J_DATABASE", "memory")
    assert run("remember", "prices are in cents", "--store", "bolt+s://graph.example").code == 0
    assert adapter.opened == [
        (ADDRESS, {"user": None, "password": None, "database": "neo4j"}),
        (
            "bolt+s://graph.example",
            {"user": "neo4j", "password": "correct-horse", "database": "memory"},
        ),
    ]
    assert adapter.closed == 2


def test_a_server_of_the_environment_is_used_and_said(
    run: Run, adapter: type[Pretended], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEO4J_URI", ADDRESS)
    assert NOTE in run("status").lines
    assert run("status", "--json").data["notes"] == [NOTE]
    assert f"✓ {NOTE}" in run("doctor").lines
    assert run("doctor", "--json").data["findings"][0] == {"ok": True, "what": NOTE, "remedy": ""}
    assert len(adapter.opened) == 4
    for words in (
        ("status", "--store", ADDRESS),
        ("status", "--store", f"sqlite:///{tmp_path / 'memory.db'}"),
    ):
        assert NOTE not in run(*words).out
    monkeypatch.setenv("GRAPHMEM_STORE", f"sqlite:///{tmp_path / 'memory.db'}")
    assert NOTE not in run("status").out + run("doctor").out
    assert len(adapter.opened) == 5


def test_a_store_that_cannot_be_used_is_closed(run: Run, adapter: type[Pretended]) -> None:
    adapter.down = True
    ended = run("status", "--store", ADDRESS)
    assert (ended.code, ended.err) == (5, "graphmem: store: nobody is there\n")
    assert adapter.closed == 1


@pytest.mark.parametrize("store", ["neo4j://neo4j:correct-horse@host", "http://a:correct-horse@host"])
def test_an_address_with_a_password_is_refused_without_repeating_it(
    run: Run, adapter: type[Pretended], store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run("status", "--store", store)
    assert (ended.code, ended.out, adapter.opened) == (2, "", [])
    assert ended.err.startswith("graphmem: store: the address holds a user or a password")
    assert "NEO4J_PASSWORD" in ended.err
    assert "correct-horse" not in ended.err
    monkeypatch.setenv("NEO4J_URI", store)
    assert run("status").err.startswith("graphmem: NEO4J_URI: the address holds")


def test_an_address_that_is_none_is_refused_with_examples(run: Run, adapter: type[Pretended]) -> None:
    ended = run("status", "--store", "ftp://host")
    assert (ended.code, adapter.opened) == (2, [])
    assert ended.err == (
        "graphmem: store: 'ftp://host' is no store (e.g. sqlite:///memory.db or neo4j://127.0.0.1:7687)\n"
    )


def test_the_demo_ends_with_the_other_store_unless_it_plays_there(
    run: Run, adapter: type[Pretended], tmp_path: Path
) -> None:
    line = "the same on Neo4j: make demo-neo4j"
    assert run("demo", "--store", f"sqlite:///{tmp_path / 'demo.db'}").lines[-1] == line
    assert line not in run("demo", "--store", ADDRESS).out
