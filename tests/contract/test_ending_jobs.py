"""Laws of jobs that end without a claim, or without success."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.errors import StaleError
from graphmem.domain.records import Job, JobState, RecordKind
from graphmem.ports.changes import JobFinish
from graphmem.ports.store import MemoryStore
from tests.builders import at, changes, fact, job
from tests.contract.reading import put, records_of, refused
from tests.contract.test_records_and_jobs import claimed


def fail(store: MemoryStore) -> Job:
    """The oldest ANALYSE that waits, given up."""
    held = claimed(store)
    put(store, finish=JobFinish.of(held, JobState.FAILED))
    return held


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
