"""What is left when a statement fails, another process holds the file, or everybody calls at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.sqlite.connection import as_ours
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import BadInputError, StaleError, UnavailableError
from graphmem.domain.memories import SearchField, State
from graphmem.ports.changes import Changes
from graphmem.ports.queries import Cursor, PageRequest, Selection
from tests.builders import (
    NS,
    caused,
    changed,
    changes,
    experience,
    fact,
    failure,
    generalizes,
    job,
    pattern,
    record,
    request,
    vector,
)


class FailsAt:
    """A connection whose n-th statement raises."""

    def __init__(self, connection: sqlite3.Connection, n: int) -> None:
        self._connection, self._left = connection, n

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, *call: Any) -> sqlite3.Cursor:
        self._count()
        return self._connection.execute(*call)

    def executemany(self, *call: Any) -> sqlite3.Cursor:
        self._count()
        return self._connection.executemany(*call)

    def _count(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise sqlite3.OperationalError("disk I/O error")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(file, busy_timeout_s=0.2)) as opened:
        opened.migrate()
        yield opened


def everything(store: SqliteStore) -> tuple[object, ...]:
    feed = store.changes_since(NS, Cursor(), 1000)
    return feed, store.state(NS), store.receipt(NS, "key-1"), store.receipt(NS, "key-2")


def full_action(store: SqliteStore) -> Changes:
    """An action that writes to every table, over what is stored before."""
    lesson, old, doomed = pattern(), experience(tags=("x",)), failure()
    store.apply(
        changes(
            lesson,
            old,
            doomed,
            edges=(caused(old, doomed), generalizes(lesson, doomed), generalizes(lesson, old)),
            requests=(request("key-1", doomed),),
            jobs=(job(subject=doomed.id),),
            records=(record(subject=doomed.id),),
        )
    )
    new = [failure(tags=("a",), vectors={SearchField.SITUATION: vector(1, 0)}) for _ in range(3)]
    return changes(
        *new,
        update=(changed(old, state=State.RETRACTED, tags=("y",)),),
        edges=(caused(new[0], new[1]), *(generalizes(lesson, member) for member in new)),
        erase=(doomed.id,),
        requests=(request("key-2", new[0]),),
        jobs=(job(),),
        records=(record(),),
        parameters_version=7,
    )


@contextmanager
def failing_at(store: SqliteStore, n: int) -> Iterator[None]:
    real = store._writer._connection
    store._writer._connection = FailsAt(real, n)  # type: ignore[assignment]
    yield
    store._writer._connection = real


def applied(store: SqliteStore, action: Changes) -> bool:
    try:
        return store.apply(action).created
    except UnavailableError:
        return False


def test_whichever_statement_fails_nothing_is_written(store: SqliteStore) -> None:
    action = full_action(store)
    before = everything(store)
    for n in count(1):
        with failing_at(store, n):
            done = applied(store, action)
        if done:
            break
        assert everything(store) == before
    assert n > 30
    assert store.state(NS).counts["FAILURE"] == 3
    assert not applied(store, action)


def test_a_failed_statement_asks_to_retry_with_the_same_key(store: SqliteStore) -> None:
    with failing_at(store, 3), pytest.raises(UnavailableError, match="retry with the same key"):
        store.apply(changes(fact()))


def test_a_held_file_is_unavailable_for_a_while(store: SqliteStore, file: Path) -> None:
    store.apply(changes(fact()))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnavailableError, match="retry with the same key"):
            store.apply(changes(fact()))
        assert store.state(NS).revision == 1
        other.execute("ROLLBACK")
    assert store.apply(changes(fact())).revision == 2


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_a_surrogate_pair_is_refused_everywhere(store: SqliteStore, text: str) -> None:
    store.apply(changes(fact()))
    before = everything(store)
    bad = [
        changes(fact(text)),
        changes(fact(session_id=text)),
        changes(fact(metadata={"deep": [{"x": text}]})),
        changes(fact(), requests=(request(text),)),
        changes(records=(record(body={"x": text}),)),
        changes(records=(record(id=text),)),
        changes(jobs=(job(body={"x": text}),)),
    ]
    for action in bad:
        with pytest.raises(BadInputError):
            store.apply(action)
    for read in (
        lambda: store.receipt(NS, text),
        lambda: store.find(NS, Selection(session_id=text), PageRequest()),
        lambda: store.state(text),
    ):
        with pytest.raises(BadInputError):
            read()
    assert store.get(NS, [text]) == {}
    assert everything(store) == before


def test_what_json_cannot_hold_is_refused(store: SqliteStore) -> None:
    for value in (float("nan"), float("inf"), object(), {1}):
        with pytest.raises(BadInputError):
            store.apply(changes(fact(metadata={"x": value})))
    assert list(store.namespaces()) == []


def test_threads_lose_no_update(store: SqliteStore) -> None:
    counter = fact(tags=())
    store.apply(changes(counter))

    def add(tag: str) -> None:
        while True:
            read = store.get(NS, [counter.id])[counter.id]
            try:
                store.apply(changes(update=(changed(read, tags=(*read.tags, tag)),)))
                return
            except StaleError:
                continue

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, [f"tag-{n}" for n in range(24)]))
    stored = store.get(NS, [counter.id])[counter.id]
    assert sorted(stored.tags) == sorted(f"tag-{n}" for n in range(24))
    assert (stored.version, stored.revision) == (25, 25)


def test_closing_while_others_work_loses_nothing_acknowledged(store: SqliteStore, file: Path) -> None:
    acknowledged = []

    def work(number: int) -> None:
        try:
            for _ in range(50):
                made = fact(f"by {number}")
                store.apply(changes(made))
                acknowledged.append(made.id)
                store.changes_since(NS, Cursor(), 10)
        except UnavailableError:
            return

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(work, number) for number in range(4)]
        while len(acknowledged) < 20:
            pass
        store.close()
        for item in running:
            item.result()
    with closing(SqliteStore(file)) as again:
        assert len(again.get(NS, acknowledged)) == len(acknowledged)


def test_a_job_is_written_over_only_by_its_holder(store: SqliteStore) -> None:
    waiting = job()
    store.apply(changes(jobs=(waiting,)))
    held = store.claim(
        NS, waiting.kind, "worker-1", waiting.created_at, waiting.created_at - waiting.created_at
    )
    assert held is not None
    for stranger in (waiting, replace(held, owner="worker-2"), replace(held, attempt=2)):
        with pytest.raises(StaleError):
            store.apply(changes(jobs=(stranger,)))
    store.apply(changes(jobs=(replace(held, body={"cursor": 5}),)))


def test_a_full_disk_and_a_file_that_is_not_writable_say_what_to_do(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE notes (words TEXT)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(UnavailableError) as full, as_ours():
            connection.execute("INSERT INTO notes VALUES (?)", ("x" * 100_000,))
    assert full.value.remedy == "make room on the disk, then retry with the same key"
    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as reading,
        pytest.raises(UnavailableError) as readonly,
        as_ours(),
    ):
        reading.execute("INSERT INTO notes VALUES ('x')")
    assert readonly.value.remedy == "make the file and its folder writable, then retry with the same key"
