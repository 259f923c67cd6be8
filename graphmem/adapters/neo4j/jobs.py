"""Nodes of jobs: enqueued, claimed under a lease, finished by their holder."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from graphmem.adapters.neo4j.action import Action, new_attempt
from graphmem.adapters.neo4j.ledger import revisions
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.service_nodes import job_from
from graphmem.adapters.neo4j.values import instant
from graphmem.domain.records import ONE_AT_A_TIME, Job, JobKind, JobState
from graphmem.ports.changes import JobFinish
from graphmem.ports.checks import check_holder
from graphmem.ports.queries import FreeJobs


def enqueue(action: Action, job: Job) -> None:
    """Let the action write a job. A running one may be written only by its holder (a cursor, a longer lease)."""
    held = action.jobs.get(job.id)
    if held and held.state is JobState.RUNNING:
        check_holder(job.id, held, job.owner, job.attempt)
    put(action, job)


def finish(action: Action, end: JobFinish) -> None:
    """End a job; one that is done leaves. Raises StaleError unless owner and attempt still hold it."""
    held = check_holder(end.job_id, action.jobs.get(end.job_id), end.owner, end.attempt)
    if end.state is JobState.DONE:
        action.enqueued.pop(held.id, None)
        action.done.append(held.id)
        return
    put(action, replace(held, state=end.state, lease_until=None))


def move(action: Action, job: Job) -> None:
    """Let the action write a job that its holder works on. Raises StaleError when it is not held any more."""
    check_holder(job.id, action.jobs.get(job.id), job.owner, job.attempt)
    put(action, job)


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


def where_free(session: Session, free: FreeJobs) -> dict[str, int]:
    """The namespaces in which claim() would give one of these jobs, sorted, each with its revision."""
    rows = session.run(
        "read/namespaces-with-free-jobs",
        kinds=[kind.value for kind in free.kinds],
        alone=[kind.value for kind in free.kinds if kind in ONE_AT_A_TIME],
        now=instant("at", free.at),
    )
    return revisions(rows)


def count_open(session: Session, namespace: str) -> dict[str, int]:
    """How many jobs wait or are at work, by kind."""
    kinds = [kind.value for kind in JobKind]
    rows = session.run("read/open-jobs", namespace=namespace, kinds=kinds)
    return {row["kind"]: int(row["jobs"]) for row in rows}
