"""Laws of where work waits: named are the namespaces in which a claim would give a job, and no others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graphmem.domain.records import JobKind, JobState
from graphmem.ports.changes import JobFinish
from graphmem.ports.queries import FreeJobs
from graphmem.ports.store import MemoryStore
from tests.builders import at, changes, fact, job
from tests.contract.reading import put

LEASE = timedelta(seconds=60)
WORKED = (JobKind.EMBED, JobKind.ASSIGN)


def waiting(store: MemoryStore, seconds: float = 10, kinds: tuple[JobKind, ...] = WORKED) -> list[str]:
    """Where jobs of these kinds are to be had at a time."""
    return list(store.namespaces(FreeJobs(kinds=kinds, at=at(seconds))))


def test_only_namespaces_with_such_jobs_are_named(store: MemoryStore) -> None:
    """Sorted, with their revisions; namespaces without a job, or with other ones only, are not among them."""
    for name in ("b", "a", "idle", "other"):
        put(store, fact(namespace=name))
    put(store, fact(namespace="b"))
    for name, kind in (("b", JobKind.EMBED), ("a", JobKind.ASSIGN), ("other", JobKind.ANALYSE)):
        store.apply(changes(namespace=name, jobs=(job(kind), job(kind))))
    found = store.namespaces(FreeJobs(kinds=WORKED, at=at(10)))
    assert list(found.items()) == [("a", 1), ("b", 2)]
    assert waiting(store, kinds=(JobKind.ANALYSE,)) == ["other"]
    assert waiting(store, kinds=()) == []
    assert list(store.namespaces().items()) == [("a", 1), ("b", 2), ("idle", 1), ("other", 1)]


@pytest.mark.parametrize("kind", WORKED)
def test_a_held_job_is_not_to_be_had_before_its_lease_ran_out(store: MemoryStore, kind: JobKind) -> None:
    """Just as claim() would not give it; a job that ended, or was given up, is none."""
    for name in ("done", "failed", "held"):
        store.apply(changes(namespace=name, jobs=(job(kind),)))
        held = store.claim(name, kind, "w", at(10), LEASE)
        assert held is not None
        if name != "held":
            end = JobFinish.of(held, JobState(name.upper()))
            store.apply(changes(namespace=name, finish=end))
    assert waiting(store, 69.999999) == []
    assert waiting(store, 70.000001) == ["held"]


def test_of_a_kind_done_alone_none_is_to_be_had_while_one_is_held(store: MemoryStore) -> None:
    """A second ASSIGN waits for the first; of another kind, or in another namespace, work goes on."""
    jobs = tuple(job(JobKind.ASSIGN, created_at=at(number)) for number in range(2))
    for name in ("a", "b"):
        store.apply(changes(namespace=name, jobs=jobs))
    assert store.claim("a", JobKind.ASSIGN, "w", at(10), LEASE) is not None
    assert waiting(store) == ["b"]
    store.apply(changes(namespace="a", jobs=(replace(job(JobKind.EMBED), id="e"),)))
    assert waiting(store) == ["a", "b"]


def test_what_is_named_is_what_a_claim_gives(store: MemoryStore) -> None:
    """Whoever takes one job after the other where work waits has had all of them when nothing is named any more."""
    jobs = [(name, kind) for name in ("a", "A", "租户") for kind in WORKED for _ in range(2)]
    for name, kind in jobs:
        store.apply(changes(namespace=name, jobs=(job(kind),)))
    had = []
    while names := waiting(store):
        for name in names:
            taken = [store.claim(name, kind, "w", at(10), LEASE) for kind in WORKED]
            assert any(taken)
            for held in taken:
                if held is not None:
                    had.append((name, held.kind))
                    store.apply(changes(namespace=name, finish=JobFinish.of(held)))
    assert sorted(had) == sorted(jobs)
