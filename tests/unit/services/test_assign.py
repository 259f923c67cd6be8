"""Assignments are made once each, whatever fails and whoever else works."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import Level, MemoryKind, Result
from graphmem.domain.records import JobKind
from graphmem.ports.changes import Changes
from graphmem.services import assign
from graphmem.wiring import Services
from tests.builders import NS, at, job
from tests.failing_store import FailingStore
from tests.lessons import broke, clusters, of_kind, patterns, transitions
from tests.services import DOWN, FlakyEmbedder, opened, recorded, services_over


def test_a_slow_namespace_is_left_to_the_worker(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where reading everything would take long, a write does not wait for it."""
    monkeypatch.setattr(assign, "SMALL", 0)
    for number in range(3):
        broke(services, number)
    assert patterns(services) == []
    assert services.worker.round() == 3
    assert len(patterns(services)) == 1
    broke(services, 3)
    assert patterns(services)[0].episodes == 4


def test_a_writer_waits_for_a_few_clusters_only(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each took four seconds here: two are made within the eight that a writer waits, the rest is the worker's."""
    clock = itertools.count(step=4)
    monkeypatch.setattr(assign, "monotonic", lambda: float(next(clock)))
    drafts = [ExperienceDraft(action=f"step {place}", result=Result.FAILURE) for place in range(5)]
    services.remember.many(NS, drafts)
    assert services.assign.pending(NS) == 3


def test_vectors_that_are_on_their_way_are_waited_for(tmp_path: Path) -> None:
    embedder = FlakyEmbedder()
    with opened(tmp_path / "a.db", embedder=embedder) as services:
        broke(services, 0)
        embedder.broken = DOWN
        broke(services, 1)
        assert clusters(services) == ["", ""]
        embedder.broken = None
        services.worker.round()
        assert clusters(services) == ["E-1", "E-1"]


def test_vectors_that_never_come_are_not_waited_for_for_ever(tmp_path: Path) -> None:
    embedder = FlakyEmbedder()
    with opened(tmp_path / "a.db", embedder=embedder) as services:
        broke(services, 0)
        embedder.broken = DOWN
        broke(services, 1)
        for _ in range(assign.PATIENCE):
            services.worker.round()
        assert clusters(services) == ["E-1", "E-1"]


def test_a_poisoned_job_is_given_up(services: Services) -> None:
    """A job that brought every worker down before it came to an end is kept as FAILED, and the next one is done."""
    poisoned = job(JobKind.ASSIGN, subject="x", created_at=at(-99))
    services.store.apply(Changes(namespace=NS, at=at(0), jobs=(replace(poisoned, attempt=assign.POISONED),)))
    broke(services, 0)
    broke(services, 1)
    assert clusters(services) == ["E-1", "E-1"]
    assert services.store.claim(NS, JobKind.ASSIGN, "w", at(9_999), assign.LEASE) is None


def test_a_job_about_nothing_is_done(services: Services) -> None:
    services.store.apply(Changes(namespace=NS, at=at(0), jobs=(job(JobKind.ASSIGN, subject="gone"),)))
    recorded(services, "fly")
    assert services.assign.pending(NS) == 1
    assert services.assign.pending(NS) == 0


def test_a_write_stands_whatever_happens_after_it(tmp_path: Path) -> None:
    """The store goes away at each call after the commit: the write is acknowledged, the assignment made later."""
    with opened(tmp_path / "count.db") as services:
        broke(services, 0)
    counted = FailingStore(SqliteStore(tmp_path / "count.db"))
    with opened(counted, seed=1) as services:
        before = len(counted.calls)
        broke(services, 1)
        written = counted.calls.index("apply", before) - before + 1
        calls = len(counted.calls) - before
    for number in range(written + 1, calls + 1):
        failing = FailingStore(SqliteStore(tmp_path / f"{number}.db"))
        with opened(failing) as services:
            broke(services, 0)
            failing.arm(number)
            assert broke(services, 1).ref == "E-2"
            failing.arm(0)
            services.assign._clock = lambda: at(10_000)
            services.assign.pending(NS)
            assert clusters(services) == ["E-1", "E-1"], number


def test_two_processes_come_to_one_pattern(tmp_path: Path) -> None:
    """Two writers of the same mistake at the same time: one pattern, every member counted once."""
    file = tmp_path / "a.db"
    both = [services_over(file, seed=seed) for seed in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda n: [broke(both[n], 10 * n + i) for i in range(8)], (0, 1)))
    for services in both:
        services.assign.pending(NS)
    (pattern,) = patterns(both[0])
    assert (pattern.frequency, pattern.episodes, pattern.level) == (16, 16, Level.HIGH)
    assert sorted(transitions(both[0], pattern)) == [("MEDIUM", "HIGH"), ("NONE", "MEDIUM")]
    assert len(of_kind(both[0], MemoryKind.STRATEGY)) == 1
    for services in both:
        services.close()


def test_a_job_taken_over_is_not_finished_twice(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that slept past its lease finds its job gone, and writes nothing."""
    monkeypatch.setattr(assign, "SMALL", -1)
    broke(services, 0)
    broke(services, 1)
    place = services.assign._place

    def late(*given: Any) -> None:
        services.store.claim(NS, JobKind.ASSIGN, "other", at(5_000), assign.LEASE)
        place(*given)

    monkeypatch.setattr(services.assign, "_place", late)
    assert services.assign.pending(NS) == 0
    assert clusters(services) == ["", ""]
