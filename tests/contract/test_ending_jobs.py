"""Laws of jobs that end without a claim, or without success."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.domain.errors import StaleError
from graphmem.domain.records import Job, JobKind, JobState, RecordKind
from graphmem.ports.changes import JobFinish
from graphmem.ports.store import MemoryStore
from tests.builders import at, changes, fact, job
from tests.contract.reading import put, records_of, refused
from tests.contract.test_records_and_jobs import claim, claimed


def fail(store: MemoryStore) -> Job:
    """The oldest ANALYSE that waits, given up."""
    held = claimed(store)
    put(store, finish=JobFinish.of(held, JobState.FAILED))
    return held


@pytest.mark.parametrize("first", [1, 2, 9])
def test_what_was_given_up_is_listed(store: MemoryStore, first: int) -> None:
    """Of every kind, oldest first; not what waits or is held, nor what another namespace gave up."""
    others = [job(JobKind.NOTIFY, created_at=at(number)) for number in (3, 0.5)]
    jobs = [job(created_at=at(number)) for number in (4, 1, 2, 5, 6)]
    put(store, jobs=(*jobs, *others))
    store.apply(changes(namespace="other", jobs=(job(),)))
    given_up = [fail(store).id for _ in range(3)]
    for _ in others:
        held = claim(store, kind=JobKind.NOTIFY)
        assert held is not None
        put(store, finish=JobFinish.of(held, JobState.FAILED))
    claimed(store)
    listed = records_of(store, RecordKind.JOB, first=first, failed_jobs=True)
    assert [item.id for item in listed] == [others[1].id, *given_up[:2], others[0].id, given_up[2]]
    later = records_of(store, RecordKind.JOB, first=first, failed_jobs=True, since=at(3))
    assert [item.id for item in later] == [others[0].id, given_up[2]]


def test_a_job_can_be_taken_and_ended_in_one_action(store: MemoryStore) -> None:
    """By whoever finds it waiting or given up; one that is held by then stays, and the whole action is refused."""
    failing, held, waiting = (job(created_at=at(number)) for number in range(3))
    put(store, jobs=(failing, held, waiting))
    assert fail(store).id == failing.id
    assert claimed(store).id == held.id
    for free in (waiting, failing):
        mine = replace(free, state=JobState.RUNNING, owner="me", attempt=1)
        put(store, jobs=(mine,), finish=JobFinish.of(mine))
    mine = replace(held, state=JobState.RUNNING, owner="me", attempt=1)
    refused(store, StaleError, changes(fact(), jobs=(mine,), finish=JobFinish.of(mine)))
    assert [item.id for item in records_of(store, RecordKind.JOB)] == [held.id]
