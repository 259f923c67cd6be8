"""A history to copy, where to, and what makes a copy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import CopyReport
from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseReview, MemoryUpdate
from graphmem.domain.records import JobKind, RecordKind
from graphmem.ports.store import MemoryStore
from graphmem.services import comparing, copying
from graphmem.services.copy import JOB_ID, Copy
from graphmem.services.holding import Holder
from graphmem.wiring import Services
from tests.builders import NS, Clock, generalizes, job, pattern, record
from tests.contract.reading import by_ends, edges_of, put, records_of
from tests.contract.test_restoring import unrevised
from tests.services import because, failed, recorded, remembered

SMALL = 3


@pytest.fixture(autouse=True)
def batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, so that little is many of them."""
    monkeypatch.setattr(copying, "MAX_ITEMS", SMALL)
    monkeypatch.setattr(comparing, "MAX_ITEMS", SMALL)


@pytest.fixture
def target(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store to copy into."""
    with closing(SqliteStore(tmp_path / "target.db")) as store:
        store.migrate()
        yield store


@pytest.fixture
def told(services: Services) -> Services:
    """Services over a history with everything that a store can hold."""
    causes = [remembered(services, f"the disk {number} is full", key=f"k{number}") for number in range(5)]
    effect = failed(services, "copy the disk", caused_by=because(*causes), key="effect")
    again = failed(services, "copy it again", caused_by=because(effect))
    recorded(services, "copy another disk")
    services.link.review(
        NS,
        CauseReview(
            effect=again.memory.id, cause=effect.memory.id, verdict=VerdictKind.CONFIRM, by="a", reason="seen"
        ),
    )
    services.revise.update(NS, MemoryUpdate(id="E-1", correction="look first"))
    services.forget.forget(NS, causes[4].memory.id)
    lesson = pattern()
    put(services.store, lesson, records=(record(subject=effect.memory.id), record(RecordKind.AUDIT)))
    put(services.store, edges=(generalizes(lesson, effect.memory),), jobs=(job(), job(JobKind.EMBED)))
    return services


def dump(store: MemoryStore, name: str = NS) -> tuple[object, ...]:
    """All that a copy takes over."""
    state = store.state(name)
    records = {
        kind: [item for item in records_of(store, kind, name) if not comparing.is_copy_job(item)]
        for kind in RecordKind
    }
    counts = {name: count for name, count in state.counts.items() if count}
    numbers = state.digest, state.graph_digest, counts, state.ref_counters, state.parameters_version
    return unrevised(store, name), by_ends(edges_of(store, name)), records, numbers


def copied(services: Services, target: MemoryStore, tell: copying.Tell = lambda _: None) -> CopyReport:
    """Copy, and check that the copy is equal."""
    report = services.copy.copy(NS, target, tell)
    assert dump(target) == dump(services.store)
    assert report.digest == services.store.state(NS).digest
    return report


def ended(store: MemoryStore) -> bool:
    """Whether the copy was ended, and only the answer was lost."""
    return bool(store.namespaces()) and all(item.id != JOB_ID for item in records_of(store, RecordKind.JOB))


def patient(told: Services, owner: str, looks: list[float]) -> Copy:
    """The copy of another process, whose clock goes on while it waits."""
    clock = Clock()

    def wait(seconds: float) -> None:
        looks.append(seconds)
        clock.now += timedelta(seconds=seconds)

    return Copy(told.store, told.copy._name, Holder(owner, clock, wait))
