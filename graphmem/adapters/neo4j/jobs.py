"""Nodes of jobs: enqueued, claimed under a lease, finished by their holder."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from graphmem.adapters.neo4j.action import Action, new_attempt
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.service_nodes import job_from
from graphmem.adapters.neo4j.values import instant
from graphmem.domain.errors import StaleError
from graphmem.domain.records import ONE_AT_A_TIME, Job, JobKind, JobState
from graphmem.ports.changes import JobFinish


def enqueue(action: Action, job: Job) -> None:
    """Let the action write a job. A running one may be written only by its holder (a cursor, a longer lease)."""
    held = action.jobs.get(job.id)
    if held and held.state is JobState.RUNNING:
        _check_holder(held, job.owner, job.attempt)
    put(action, job)


def finish(action: Action, end: JobFinish) -> None:
    """End a job. Raises StaleError unless owner and attempt still hold it."""
    held = action.jobs.get(end.job_id)
    if held is None or held.state is not JobState.RUNNING:
        raise _lost(end.job_id)
    _check_holder(held, end.owner, end.attempt)
    put(action, replace(held, state=end.state, lease_until=None))


def put(action: Action, job: Job) -> None:
    """Let the action write a job over the one of its id, whoever holds it."""
    action.jobs[job.id] = action.enqueued[job.id] = job


def claim(
    session: Session, namespace: str, kind: JobKind, owner: str, times: tuple[datetime, datetime]
) -> Job | None:
    """The oldest job that nobody holds at times[0], now held by owner until times[1].

    None of a kind that is done one at a time while another one is held.
    """
    now, until = times
    rows = session.run(
        "write/claim-job",
        namespace=namespace,
        attempt=new_attempt(),
        kind=kind.value,
        alone=kind in ONE_AT_A_TIME,
        owner=owner,
        now=instant("now", now),
        until=instant("lease", until),
    )
    return job_from(rows[0]["job"]) if rows else None


def _check_holder(held: Job, owner: str, attempt: int) -> None:
    if (held.owner, held.attempt) != (owner, attempt):
        raise _lost(held.id)


def _lost(id: str) -> StaleError:
    return StaleError(f"job {id} is not held any more", field="job", remedy="claim it again")
