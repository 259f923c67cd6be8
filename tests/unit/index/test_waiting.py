"""A store that does not answer is asked once for all who wait, and again for whoever comes later."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import UnavailableError
from graphmem.index.index_set import IndexSet
from graphmem.ports.queries import ChangeFeed, Cursor
from tests.builders import NS, changes, fact
from tests.failing_store import FailingStore

CALLERS = 8


class SlowStore(FailingStore):
    """A store whose feed stands still while it is held, and then fails when it is made to."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store)
        self.held = Event()
        self.held.set()

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        self.held.wait(60)
        return super().changes_since(namespace, after, limit)


@pytest.fixture
def store(tmp_path: Path) -> SlowStore:
    """A store with one fact."""
    opened = SqliteStore(tmp_path / "a.db")
    opened.migrate()
    opened.apply(changes(fact("disk")))
    return SlowStore(opened)


def look(indexes: IndexSet, namespace: str = NS, min_revision: int = 0) -> int:
    """The revision that the index is at; UnavailableError where there is none."""
    with indexes.current(namespace, min_revision) as index:
        return index.cursor.revision


def waiting_together(store: SlowStore, indexes: IndexSet) -> list[int | UnavailableError]:
    """What callers get that all came while the first one was waiting for the store."""

    def call(number: int) -> int | UnavailableError:
        came.append(number)
        try:
            return look(indexes)
        except UnavailableError as refusal:
            return refusal

    came: list[int] = []
    store.held.clear()
    with ThreadPoolExecutor(CALLERS) as pool:
        answers = [pool.submit(call, number) for number in range(CALLERS)]
        while len(came) < CALLERS:
            sleep(0.01)
        sleep(0.2)  # from there to the gate it is a few lines
        store.held.set()
    return [answer.result() for answer in answers]


def test_those_who_waited_behind_an_outage_are_told_at_once(store: SlowStore) -> None:
    indexes = IndexSet(store, lambda _: None)
    store.arm(1)
    refusals = waiting_together(store, indexes)
    assert all(isinstance(refusal, UnavailableError) and refusal.remedy for refusal in refusals)
    assert store.calls == ["changes_since"]
    assert look(indexes) == 1
    assert look(indexes) == 1


def test_those_who_waited_behind_an_answer_are_answered(store: SlowStore) -> None:
    assert waiting_together(store, IndexSet(store, lambda _: None)) == [1] * CALLERS


def test_an_outage_of_one_namespace_is_no_other_s(store: SlowStore) -> None:
    indexes = IndexSet(store, lambda _: None)
    store.arm(1)
    with pytest.raises(UnavailableError):
        look(indexes)
    assert look(indexes, "another") == 0


def test_a_revision_that_is_not_reached_is_no_outage(store: SlowStore) -> None:
    """Whoever waits behind one that asked for too much is answered."""
    indexes = IndexSet(store, lambda _: None)
    store.held.clear()
    with ThreadPoolExecutor(2) as pool:
        early = pool.submit(look, indexes, NS, 7)
        sleep(0.1)
        late = pool.submit(look, indexes)
        sleep(0.1)
        store.held.set()
    with pytest.raises(UnavailableError, match="7 has not been reached"):
        early.result()
    assert late.result() == 1
