"""When a namespace is looked at again, and what it costs to know that."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from graphmem.domain.records import JobKind, Record, RecordKind
from graphmem.ports.changes import Changes, JobFinish
from graphmem.ports.queries import Page
from graphmem.services.regroup import LEASE
from graphmem.wiring import Services
from tests.builders import NS, at, job, record
from tests.contract.reading import records_of
from tests.services import recorded


def test_it_is_time_after_fifty_experiences_or_a_day(services: Services) -> None:
    assert not services.reflect.is_due(NS)
    for number in range(49):
        recorded(services, f"step {number}")
    assert not services.reflect.is_due(NS)
    recorded(services, "step 50")
    assert services.reflect.is_due(NS)
    services.worker.round()
    assert not services.reflect.is_due(NS)
    now = services.reflect._clock()
    services.reflect._clock = lambda: now + timedelta(days=1)
    assert not services.reflect.is_due(NS)
    recorded(services, "one more")
    assert services.reflect.is_due(NS)


def test_whether_it_is_time_is_read_off_the_last_look(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there were: the store is asked for one record."""
    for number in range(120):
        look = record(RecordKind.REFLECTION, at=at(-number), body={"experiences": 60 if number == 0 else 1})
        services.store.apply(Changes(namespace=NS, at=at(0), records=(look,)))
    for number in range(60):
        recorded(services, f"step {number}")
    read: list[int] = []
    records = services.store.records

    def counted(*asked: Any) -> Page[Record]:
        page = records(*asked)
        read.append(len(page.items))
        return page

    monkeypatch.setattr(services.store, "records", counted)
    assert not services.reflect.is_due(NS)
    assert read == [1]


def test_a_look_that_another_holds_up_is_asked_for_once(
    services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    """Who assigns failures there at the moment is no outage: the sweep has its turn, and the look follows."""
    for number in range(60):
        recorded(services, f"step {number}")
    services.store.apply(Changes(namespace=NS, at=at(0), jobs=(job(JobKind.ASSIGN, created_at=at(0)),)))
    now = services.reflect._clock()
    held = services.store.claim(NS, JobKind.ASSIGN, "another", now, LEASE)
    assert held is not None
    for _ in range(3):
        services.worker._looked.clear()
        services.worker.round()
    assert not services.sweep.is_due(NS)
    assert services.reflect.is_due(NS)
    assert services.store.state(NS).pending_jobs == 2
    services.store.apply(Changes(namespace=NS, at=now, finish=JobFinish.of(held)))
    services.worker.round()
    assert len(records_of(services.store, RecordKind.REFLECTION)) == 1
    assert not services.reflect.is_due(NS)
    assert services.store.state(NS).pending_jobs == 0
    assert caplog.text == ""


def test_a_look_in_another_s_hands_is_no_outage(services: Services, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(60):
        recorded(services, f"step {number}")
    services.store.apply(Changes(namespace=NS, at=at(0), jobs=(job(JobKind.ASSIGN, id="due:"),)))
    services.store.claim(NS, JobKind.ASSIGN, "another", services.reflect._clock(), LEASE)
    services.worker.round()
    assert not services.sweep.is_due(NS)
    assert caplog.text == ""
