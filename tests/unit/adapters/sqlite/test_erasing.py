"""No byte of an erased text stays in the files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.ports.queries import Cursor
from tests.builders import NS, changed, changes, fact, failure, job, record, request

SECRET = "zebrafish77"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "store.db")) as opened:
        opened.migrate()
        yield opened


def traces(folder: Path) -> list[str]:
    return [path.name for path in sorted(folder.iterdir()) if SECRET.encode() in path.read_bytes()]


def write_and_erase(store: SqliteStore) -> None:
    memory = failure(
        f"{SECRET} " * 2000, session_id=SECRET, task_id=SECRET, tags=(SECRET,), metadata={"x": SECRET}
    )
    store.apply(
        changes(
            memory,
            fact(),
            requests=(request(f"key {SECRET}", memory),),
            jobs=(job(subject=memory.id, body={"x": SECRET}),),
            records=(record(subject=memory.id, body={"x": SECRET}),),
        )
    )
    store.apply(changes(update=(changed(memory, action="short"),)))
    store.apply(changes(erase=(memory.id,)))


def test_an_erased_text_is_gone_at_once(store: SqliteStore, tmp_path: Path) -> None:
    store.apply(changes(fact(SECRET)))
    assert traces(tmp_path)
    store.apply(changes(erase=tuple(row.memory.id for row in store.changes_since(NS, Cursor(), 10).rows)))
    write_and_erase(store)
    assert traces(tmp_path) == []


def test_a_reader_delays_it_until_the_next_write(store: SqliteStore, tmp_path: Path) -> None:
    with store._readers.snapshot() as connection:
        connection.execute("SELECT count(*) FROM memories").fetchone()
        write_and_erase(store)
        assert traces(tmp_path) == ["store.db-wal"]
    store.apply(changes(fact()))
    assert traces(tmp_path) == []
