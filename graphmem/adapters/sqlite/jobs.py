"""Rows of jobs: enqueued, claimed under a lease, finished by their holder."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import listed, micros, moment, readable, storable
from graphmem.domain.encoding import canonical, encode
from graphmem.domain.records import ONE_AT_A_TIME, Job, JobKind, JobState, Record
from graphmem.ports.changes import JobFinish
from graphmem.ports.checks import check_holder
from graphmem.ports.listing import job_record
from graphmem.ports.queries import FreeJobs

_LOAD = """
SELECT created_at, id, kind, subject, body, state, owner, lease_until, attempt FROM jobs
WHERE namespace = ? AND id = ?
"""
_OLDEST_FREE = """
SELECT created_at, id, kind, subject, body, state, owner, lease_until, attempt FROM jobs
WHERE namespace = ? AND kind = ? AND state IN ('PENDING', 'RUNNING')
AND (state = 'PENDING' OR lease_until IS NULL OR lease_until <= ?)
ORDER BY created_at, id
"""
_HELD = """
SELECT 1 FROM jobs WHERE namespace = ? AND kind = ? AND state = 'RUNNING' AND lease_until > ? LIMIT 1
"""
_PUT = """
INSERT INTO jobs (namespace, id, kind, created_at, subject, body, state, owner, lease_until, attempt)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, id) DO UPDATE SET
    kind = excluded.kind, created_at = excluded.created_at, subject = excluded.subject, body = excluded.body,
    state = excluded.state, owner = excluded.owner, lease_until = excluded.lease_until,
    attempt = excluded.attempt
"""
_DROP = "DELETE FROM jobs WHERE namespace = ? AND id = ?"
_DROP_ABOUT = """
DELETE FROM jobs WHERE namespace = ? AND subject <> '' AND subject IN (SELECT value FROM json_each(?))
"""

_COUNT_OPEN = """
SELECT kind, count(*) FROM jobs
WHERE namespace = ? AND kind IN (SELECT value FROM json_each(?)) AND state IN ('PENDING', 'RUNNING') GROUP BY kind
"""
_WHERE_FREE = """
SELECT name, revision FROM namespaces WHERE EXISTS (
    SELECT 1 FROM json_each(:kinds) AS wanted CROSS JOIN jobs AS free
    WHERE free.namespace = name AND free.kind = wanted.value AND free.state IN ('PENDING', 'RUNNING')
    AND (free.state = 'PENDING' OR free.lease_until IS NULL OR free.lease_until <= :now)
    AND NOT (
        wanted.value IN (SELECT value FROM json_each(:alone)) AND EXISTS (
            SELECT 1 FROM jobs AS held WHERE held.namespace = name AND held.kind = wanted.value
            AND held.state = 'RUNNING' AND held.lease_until > :now
        )
    )
) ORDER BY name
"""
PAGE = """
SELECT created_at, id, kind, subject, body, state, owner, lease_until, attempt FROM jobs
WHERE namespace = :namespace AND created_at >= :since AND (created_at, id) > (:at, :id)
ORDER BY created_at, id LIMIT :limit
"""
PAGE_ABOUT = """
SELECT created_at, id, kind, subject, body, state, owner, lease_until, attempt FROM jobs
WHERE namespace = :namespace AND subject <> '' AND subject IN (SELECT value FROM json_each(:about))
AND created_at >= :since
AND (created_at, id) > (:at, :id) ORDER BY created_at, id LIMIT :limit
"""
PAGE_OPEN = """
SELECT created_at, id, kind, subject, body, state, owner, lease_until, attempt FROM jobs
WHERE namespace = :namespace AND kind = :open_jobs AND state IN ('PENDING', 'RUNNING') AND created_at >= :since
AND (created_at, id) > (:at, :id) ORDER BY created_at, id LIMIT :limit
"""
PAGE_FAILED = """
SELECT created_at, id, kind, subject, body, state, owner, lease_until, attempt FROM jobs
WHERE namespace = :namespace AND state = 'FAILED' AND created_at >= :since
AND (created_at, id) > (:at, :id) ORDER BY created_at, id LIMIT :limit
"""

_Row = tuple[int, str, str, str, str, str, str, int | None, int]


def enqueue(action: Action, job: Job) -> None:
    """Write a job. A running one may be written only by its holder (a cursor, a longer lease)."""
    held = _load(action, job.id)
    if held and held.state is JobState.RUNNING:
        check_holder(job.id, held, job.owner, job.attempt)
    put(action.connection, action.namespace, job)


def finish(action: Action, end: JobFinish) -> None:
    """End a job; one that is done leaves. Raises StaleError unless owner and attempt still hold it."""
    held = check_holder(end.job_id, _load(action, end.job_id), end.owner, end.attempt)
    if end.state is JobState.DONE:
        action.connection.execute(_DROP, (action.namespace, held.id))
        return
    put(action.connection, action.namespace, replace(held, state=end.state, lease_until=None))


def move(action: Action, job: Job) -> None:
    """Write a job that its holder works on. Raises StaleError when owner and attempt do not hold it any more."""
    check_holder(job.id, _load(action, job.id), job.owner, job.attempt)
    put(action.connection, action.namespace, job)


def claim(
    connection: sqlite3.Connection,
    namespace: str,
    kind: JobKind,
    owner: str,
    times: tuple[datetime, datetime],
) -> Job | None:
    """The oldest job that nobody holds at times[0], now held by owner until times[1].

    None of a kind that is done one at a time while another one is held.
    """
    now, until = times
    if kind in ONE_AT_A_TIME and connection.execute(_HELD, (namespace, kind, micros("now", now))).fetchone():
        return None
    rows = connection.execute(_OLDEST_FREE, (namespace, kind, micros("now", now)))
    free = next((job for row in rows if (job := readable(_job, row))), None)
    if free is None:
        return None
    held = replace(free, state=JobState.RUNNING, owner=owner, lease_until=until, attempt=free.attempt + 1)
    put(connection, namespace, held)
    return held


def where_free(connection: sqlite3.Connection, free: FreeJobs) -> dict[str, int]:
    """The namespaces in which claim() would give one of these jobs, sorted, each with its revision."""
    alone = listed(set(free.kinds) & ONE_AT_A_TIME)
    asked = {"kinds": listed(free.kinds), "alone": alone, "now": micros("at", free.at)}
    return dict(connection.execute(_WHERE_FREE, asked))


def put(connection: sqlite3.Connection, namespace: str, job: Job) -> None:
    """Write a job over the one of its id, whoever holds it."""
    until = micros("lease_until", job.lease_until) if job.lease_until else None
    with storable("job"):
        body = canonical(encode(job.body))
        about = namespace, job.id, job.kind, micros("created_at", job.created_at), job.subject, body
        connection.execute(_PUT, (*about, job.state, job.owner, until, job.attempt))


def drop_about(action: Action, subjects: Iterable[str]) -> None:
    """Remove all jobs about the subjects."""
    action.connection.execute(_DROP_ABOUT, (action.namespace, listed(subjects)))


def count_open(connection: sqlite3.Connection, namespace: str) -> dict[str, int]:
    """How many jobs wait or are at work, by kind."""
    return dict(connection.execute(_COUNT_OPEN, (namespace, listed(JobKind))))


def as_record(row: _Row) -> Record:
    """The JOB of a row of PAGE."""
    return job_record(_job(row))


def _load(action: Action, id: str) -> Job | None:
    row = action.connection.execute(_LOAD, (action.namespace, id)).fetchone()
    return None if row is None else readable(_job, row)


def _job(row: _Row) -> Job:
    created_at, id, kind, subject, body, state, owner, lease_until, attempt = row
    return Job(
        id=id,
        kind=JobKind(kind),
        created_at=moment(created_at),
        subject=subject,
        body=json.loads(body),
        state=JobState(state),
        owner=owner,
        lease_until=None if lease_until is None else moment(lease_until),
        attempt=attempt,
    )
