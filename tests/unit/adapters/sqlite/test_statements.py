"""Every statement finds its rows by an index, and none runs once a row."""

from __future__ import annotations

import importlib
import pkgutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import graphmem.adapters.sqlite as package
from graphmem.adapters.sqlite import finding, jobs
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.memories import SearchField
from graphmem.ports.queries import Cursor, Direction, EdgeSelection, PageRequest, Selection
from tests.builders import NS, caused, changes, failure, vector

READ_WHOLE = frozenset(
    {"ledger._REVISIONS", "jobs._WHERE_FREE", "migrations._COUNT_TABLES", "finding._FIND"}
    | {"memories._ALL", "edges._ALL"}
)
"""Statements that are meant to read a whole table or namespace."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "store.db")) as opened:
        opened.migrate()
        yield opened


def statements() -> list[tuple[str, str]]:
    modules = [
        importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
    ]
    return [
        (f"{module.__name__.rpartition('.')[2]}.{name}", text)
        for module in modules
        for name, text in vars(module).items()
        if isinstance(text, str) and text.lstrip().startswith(("SELECT", "UPDATE", "DELETE"))
    ]


def test_where_work_waits_is_read_off_indexes(store: SqliteStore) -> None:
    """The namespaces are read whole, their jobs by kind; a job that nobody holds ends the look at a namespace."""
    with store._readers.snapshot() as connection:
        steps = [step for step in plan(connection, jobs._WHERE_FREE) if "json_each" not in step]
    assert {step for step in steps if step.startswith(("SCAN", "SEARCH")) and "VIRTUAL" not in step} == {
        "SCAN namespaces USING INDEX sqlite_autoindex_namespaces_1",
        "SEARCH free USING INDEX jobs_open (namespace=? AND kind=?)",
        "SEARCH held USING INDEX jobs_held (namespace=? AND kind=? AND lease_until>?)",
    }


def finds() -> list[str]:
    return [
        finding._FIND + asked + finding._AFTER[ascending] + finding._ORDER[ascending]
        for _, asked, _ in finding._CONDITIONS
        for ascending in (False, True)
    ]


def plan(connection: sqlite3.Connection, statement: str) -> list[str]:
    names = dict.fromkeys(("namespace", "after_at", "after_id", "limit"), "[]")
    names |= dict.fromkeys(("kind", "subject", "about", "open_jobs", "since", "at", "id"), "[]")
    names |= dict.fromkeys(("kinds", "alone", "now"), "[]")
    names |= {part: "[]" for part, _, _ in finding._CONDITIONS}
    numbered = 2 if "?1" in statement else statement.count("?")
    parameters = names if ":" in statement else ["[]"] * numbered
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]


@pytest.mark.parametrize("statement", [text for name, text in statements() if name not in READ_WHOLE])
def test_rows_are_found_by_an_index(store: SqliteStore, statement: str) -> None:
    with store._readers.snapshot() as connection:
        steps = plan(connection, statement)
    own = [step for step in steps if "json_each" not in step and "CONSTANT" not in step]
    assert not [step for step in own if step.startswith("SCAN") or step.endswith("(namespace=?)")]


@pytest.mark.parametrize("statement", finds())
def test_finding_follows_an_index_and_sorts_nothing(store: SqliteStore, statement: str) -> None:
    with store._readers.snapshot() as connection:
        steps = plan(connection, statement)
    assert steps[0].startswith("SEARCH memories USING INDEX")
    assert "occurred_at" in steps[0]
    assert not [step for step in steps if "TEMP B-TREE" in step]


@contextmanager
def counted(store: SqliteStore) -> Iterator[list[str]]:
    said: list[str] = []
    with store._readers.snapshot() as connection:
        connection.set_trace_callback(said.append)
    yield said
    with store._readers.snapshot() as connection:
        connection.set_trace_callback(None)


@pytest.mark.parametrize(
    "read",
    [
        lambda store, ids: store.get(NS, ids),
        lambda store, ids: store.find(NS, Selection(), PageRequest(first=len(ids))),
        lambda store, ids: store.changes_since(NS, Cursor(), len(ids)),
        lambda store, ids: store.edges(NS, EdgeSelection(from_ids=tuple(ids)), PageRequest(first=len(ids))),
        lambda store, ids: store.expand(NS, ids, Direction.CAUSES),
    ],
)
def test_more_rows_need_no_more_statements(
    store: SqliteStore, read: Callable[[SqliteStore, list[str]], object]
) -> None:
    made = [failure(vectors={SearchField.SITUATION: vector(1, 0)}) for _ in range(40)]
    store.apply(changes(*made, edges=tuple(caused(b, a) for a, b in pairwise(made))))
    ids = [memory.id for memory in made]
    lengths = []
    for asked in (ids[:2], ids):
        with counted(store) as said:
            read(store, asked)
        lengths.append(len([text for text in said if "SELECT" in text]))
    assert lengths[0] == lengths[1]
