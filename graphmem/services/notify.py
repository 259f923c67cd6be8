"""Telling somebody outside what happened to a pattern: jobs NOTIFY, sent to the webhook that the settings name."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from graphmem.domain.encoding import encode
from graphmem.domain.errors import StaleError, UnavailableError
from graphmem.domain.memories import Pattern, State
from graphmem.domain.notices import Notice
from graphmem.domain.records import Job, JobKind, JobState
from graphmem.ports.changes import Changes, JobFinish
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock

LEASE = timedelta(seconds=60)
"""How long a notice is held by who sends it."""
TRIES = 8
"""Times that a notice is sent; then it is kept as FAILED and not sent again."""
FIRST_WAIT = timedelta(seconds=10)
"""How long after the first try the second one is made; each further wait is three times as long: three hours in all."""

_TOLD = ("ref", "title", "lesson", "prevention", "level", "status", "frequency", "episodes", "last_seen")
"""What is said of a pattern."""

_log = logging.getLogger(__name__)


class Notify:
    """The work behind jobs NOTIFY. At least once: who is told twice knows it by the id."""

    def __init__(
        self, store: MemoryStore, send: Callable[[Notice], None] | None, clock: Clock, owner: str
    ) -> None:
        """send: raises UnavailableError when a notice was not taken; None = there is nobody to tell."""
        self._store = store
        self._send = send
        self._clock = clock
        self._owner = owner

    def pending(self, namespace: str, limit: int = 100) -> int:
        """Send the notices that wait, oldest first, until one is not taken; how many came to their end.

        Where nobody is to be told they end unsent. Raises UnavailableError when the store is away.
        """
        for done in range(limit):
            job = self._store.claim(namespace, JobKind.NOTIFY, self._owner, self._clock(), LEASE)
            if job is None or not self._do(namespace, job):
                return done
        return limit

    def _do(self, namespace: str, job: Job) -> bool:
        """Bring a job to its end; False when it has to wait, or was lost to another process."""
        ended = self._sent(namespace, job)
        at = self._clock()
        changes = Changes(namespace=namespace, at=at)
        if ended is None:
            later = replace(job, lease_until=at + FIRST_WAIT * 3 ** (job.attempt - 1))
            changes = replace(changes, jobs=(later,))
        else:
            changes = replace(changes, finish=JobFinish.of(job, ended))
        try:
            self._store.apply(changes)
        except StaleError:
            return False
        return ended is not None

    def _sent(self, namespace: str, job: Job) -> JobState | None:
        """How the job ends; None when it is to be tried again."""
        pattern = self._store.get(namespace, [job.subject]).get(job.subject)
        if self._send is None or not isinstance(pattern, Pattern) or pattern.state is not State.ACTIVE:
            return JobState.DONE
        try:
            if job.attempt <= TRIES:
                self._send(_notice(namespace, job, pattern, self._clock()))
                return JobState.DONE
        except UnavailableError as error:
            _log.warning("notice %s, try %d: %s", _id(namespace, job), job.attempt, error.message)
        if job.attempt < TRIES:
            return None
        _log.error("notice %s given up after %d tries", _id(namespace, job), TRIES)
        return JobState.FAILED


def _notice(namespace: str, job: Job, pattern: Pattern, at: datetime) -> Notice:
    said = {name: encode(getattr(pattern, name)) for name in _TOLD}
    content = {
        "type": f"pattern.{str(job.body.get('what', '')).lower()}",
        "timestamp": job.created_at.isoformat(),
        "data": {"namespace": namespace, "pattern": {"id": pattern.id, **said}},
    }
    return Notice(id=_id(namespace, job), at=at, content=content)


def _id(namespace: str, job: Job) -> str:
    """The same at every try, and nothing that somebody else wrote."""
    return sha256(f"{namespace}\n{job.id}".encode()).hexdigest()[:32]
