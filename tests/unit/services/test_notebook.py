"""Rows that are written a little later: when, how often, and what happens while the store is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import Strength
from graphmem.domain.encoding import decode
from graphmem.domain.errors import UnavailableError
from graphmem.domain.records import RecordKind
from graphmem.domain.recurrence import Answer, Exposure, exposure_id
from graphmem.ports.changes import Changes, Receipt
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.services import notebook as module
from graphmem.services.notebook import BATCH, MOST_WAITING, Notebook, exposure_record
from graphmem.wiring import Services
from tests.builders import NS, Clock, at, record
from tests.services import asked, exposures, failed, opened, recorded, remembered, state


class WatchedStore(SqliteStore):
    """Counts the commits that hold nothing but records, and can be away."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.away = False
        self.batches: list[int] = []
        self.written = Event()

    def apply(self, changes: Changes) -> Receipt:
        """Commit, unless it is away."""
        if self.away:
            raise UnavailableError("the store is away", remedy="retry")
        receipt = super().apply(changes)
        if changes.records and not changes.size:
            self.batches.append(len(changes.records))
            self.written.set()
        return receipt


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WatchedStore]:
    """An empty store."""
    opened_store = WatchedStore(tmp_path / "memory.db")
    opened_store.migrate()
    yield opened_store
    opened_store.close()


@pytest.fixture
def book(store: WatchedStore) -> Notebook:
    """A notebook whose thread does not wake up by itself within a test."""
    return Notebook(store, Clock(), interval_s=600)


def exposure(number: int = 0, **fields: Any) -> Exposure:
    """An exposure of another lineage each."""
    lineage = fields.pop("lineage", f"c{number}")
    given: dict[str, Any] = {"session_id": "s", "memory_id": "m", "at": at(number)}
    return Exposure(id=exposure_id("s", lineage), lineage=lineage, **(given | fields))


def stored(store: WatchedStore, namespace: str = NS) -> list[Exposure]:
    """The exposures as the store has them."""
    page = store.records(namespace, RecordKind.EXPOSURE, RecordSelection(), PageRequest(first=1_000))
    return [decode(Exposure, item.body) for item in page.items]


def test_rows_are_written_together(book: Notebook, store: WatchedStore) -> None:
    for number in range(5):
        book.note(NS, exposure(number))
    book.add(NS, "s", record())
    assert store.batches == []
    book.flush()
    assert store.batches == [6]
    book.flush()
    assert store.batches == [6]


def test_two_hundred_rows_wait_for_nobody(book: Notebook, store: WatchedStore) -> None:
    for _ in range(BATCH):
        book.add(NS, "s", record())
    assert store.written.wait(60)
    book.close()
    assert sum(store.batches) == BATCH


def test_a_single_row_is_written_soon(store: WatchedStore) -> None:
    book = Notebook(store, Clock(), interval_s=0.01)
    book.note(NS, exposure())
    assert store.written.wait(60)
    book.close()
    assert store.batches == [1]


def test_closing_writes_what_waits(book: Notebook, store: WatchedStore) -> None:
    book.note(NS, exposure())
    book.close()
    book.close()
    assert store.batches == [1]


def test_a_batch_is_bounded_and_namespaces_are_kept_apart(book: Notebook, store: WatchedStore) -> None:
    store.away = True
    for number in range(BATCH + 10):
        book.note(NS, exposure(number))
    book.note("other", exposure())
    book.close()
    store.away = False
    book.flush()
    assert (max(store.batches) <= BATCH, sum(store.batches)) == (True, BATCH + 11)
    assert (len(stored(store)), len(stored(store, "other"))) == (BATCH + 10, 1)


def test_an_exposure_that_waits_or_was_written_is_not_written_twice(
    book: Notebook, store: WatchedStore
) -> None:
    for _ in range(3):
        book.note(NS, exposure())
    book.flush()
    book.note(NS, exposure())
    book.flush()
    assert store.batches == [1]
    book.note(NS, exposure(strength=Strength.ASK, said_at=at(9)))
    book.flush()
    assert store.batches == [1, 1]


def test_a_store_that_is_away_keeps_rows_waiting_up_to_a_bound(book: Notebook, store: WatchedStore) -> None:
    store.away = True
    for _ in range(MOST_WAITING):
        book.add(NS, "s", record())
    for number in range(7):
        book.note(NS, exposure(number))
    book.flush()
    waiting, lost = book.findings()
    assert waiting.startswith(f"{MOST_WAITING} notes")
    assert lost.startswith("7 notes")
    store.away = False
    book.flush()
    assert sum(store.batches) == MOST_WAITING
    assert max(store.batches) == BATCH
    assert len(book.findings()) == 1
    book.note(NS, exposure(1))
    book.flush()
    assert sum(store.batches) == MOST_WAITING + 1
    book.close()


def test_rows_in_hand_count_as_waiting(
    book: Notebook, store: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread holds rows that the store will not take: what comes meanwhile finds so much less room."""
    in_hand, go_on = Event(), Event()

    def stuck(_: Changes) -> Receipt:
        in_hand.set()
        assert go_on.wait(30)
        raise UnavailableError("the store is away", remedy="retry")

    monkeypatch.setattr(store, "apply", stuck)
    for _ in range(BATCH):
        book.add(NS, "s", record())
    assert in_hand.wait(30)
    for _ in range(MOST_WAITING):
        book.add(NS, "s", record())
    during = book.findings()
    go_on.set()
    book.flush()
    assert during == book.findings()
    waiting, lost = during
    assert (waiting.split()[0], lost.split()[0]) == (str(MOST_WAITING), str(BATCH))


def test_an_exposure_noted_again_while_the_store_was_away_is_written_once(
    book: Notebook, store: WatchedStore
) -> None:
    store.away = True
    book.note(NS, exposure())
    book.flush()
    book.note(NS, exposure(strength=Strength.REMIND, said_at=at(5), at=at(5)))
    store.away = False
    book.flush()
    (written,) = stored(store)
    assert (written.at, written.strength, store.batches) == (at(0), Strength.REMIND, [1])


def test_what_another_process_noted_is_kept(book: Notebook, store: WatchedStore) -> None:
    """Its earlier time, its arm, and the answer that it got."""
    other = Notebook(store, Clock(), interval_s=600)
    other.put(NS, exposure(shown=False, rate=0.5, answer=Answer.REFUTED, note="no", answered_at=at(3)))
    book.note(NS, exposure(at=at(100), strength=Strength.ASK, said_at=at(100)))
    book.flush()
    (found,) = stored(store)
    assert (found.at, found.shown, found.answer, found.strength) == (
        at(0),
        False,
        Answer.REFUTED,
        Strength.ASK,
    )


def test_an_earlier_note_is_found_among_many(
    book: Notebook, store: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", 2)
    for number in range(7):
        session = Exposure(
            id=f"x{number}", session_id=f"s{number}", lineage="c1", memory_id="m", at=at(number)
        )
        book.write(NS, exposure_record(session))
    book.put(NS, exposure(lineage="c1", at=at(10), note="kept", answer=Answer.APPLIED))
    book = Notebook(store, Clock(), interval_s=600)
    book.note(NS, exposure(lineage="c1", at=at(20)))
    book.flush()
    assert [item.note for item in stored(store)] == [""] * 7 + ["kept"]


def test_known_is_what_was_noted_here(book: Notebook) -> None:
    book.note(NS, exposure())
    assert book.known(NS, exposure().id) == exposure()
    assert book.known("other", exposure().id) is None
    assert book.known(NS, "?") is None


def test_only_so_many_are_remembered(book: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 3)
    for number in range(5):
        book.note(NS, exposure(number))
    assert [book.known(NS, exposure(number).id) is not None for number in range(5)] == [False] * 2 + [
        True
    ] * 3


@pytest.fixture
def watched(store: WatchedStore) -> Iterator[Services]:
    """Services over the watched store."""
    with opened(store) as services:
        yield services


def test_a_write_of_the_session_comes_after_its_exposures(watched: Services, store: WatchedStore) -> None:
    watched.notebook._interval_s = 600
    failed(watched, "copy the disk")
    asked(watched, "copy the disk", session_id="s")
    recorded(watched, "elsewhere", session_id="other")
    recorded(watched, "nowhere")
    assert store.batches == []
    recorded(watched, "copy the disk", session_id="s")
    assert store.batches == [2]


def test_asking_does_not_fail_with_the_store_that_keeps_the_notes(
    watched: Services, store: WatchedStore, caplog: pytest.LogCaptureFixture
) -> None:
    failed(watched, "copy the disk")
    store.away = True
    assert asked(watched, "copy the disk", session_id="s").reminders
    watched.notebook.flush()
    assert "UNAVAILABLE" in caplog.text
    (note,) = watched.inspect.status(NS).notes
    assert note.startswith("2 notes on what was served wait")
    store.away = False
    assert len(exposures(watched)) == 1
    assert watched.inspect.status(NS).notes == ()


def test_what_is_forgotten_leaves_no_exposure(watched: Services) -> None:
    memory = failed(watched, "copy the disk").memory
    asked(watched, "copy the disk", session_id="s")
    watched.forget.forget(NS, memory.id)
    assert exposures(watched) == []


def test_forgetting_needs_nothing_noted(watched: Services) -> None:
    remembered(watched, "disk")
    before = state(watched)
    watched.forget.forget(NS, "F-1", dry_run=True)
    assert state(watched) == before
