"""Giving each new failure its cluster, and the cluster its pattern, one after the other in a namespace."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from math import inf
from time import monotonic

from graphmem.domain.errors import GraphmemError, StaleError
from graphmem.domain.memories import Memory, MemoryKind, is_failure
from graphmem.domain.records import Job, JobKind, JobState
from graphmem.index.cluster_view import ClusterView
from graphmem.index.following import Following
from graphmem.ports.changes import Changes, JobFinish
from graphmem.ports.store import MemoryStore
from graphmem.services.growth import Growth
from graphmem.services.intake import Clock, NewId
from graphmem.services.regroup import LEASE, Regroup, going_on

AT_ONCE = 50
"""Failures assigned right after a write, at most; the others are left for the next write or the worker."""
AT_ONCE_S = 8.0
"""Seconds after which no further one is begun right after a write: the writer waits, and the worker does not."""
PATIENCE = 3
"""Attempts that wait for a failure's vectors; then its words have to do."""
SMALL = 1_000
"""Memories of a namespace that are read within a moment."""
POISONED = 5
"""Attempts after which a job that never came to an end is given up."""

_RETRIES = 5

_log = logging.getLogger(__name__)


def assignments(memories: Iterable[Memory], at: datetime, new_id: NewId) -> tuple[Job, ...]:
    """The jobs that will give failures among these memories their clusters."""
    return tuple(
        Job(id=new_id(at), kind=JobKind.ASSIGN, created_at=at, subject=memory.id)
        for memory in memories
        if is_failure(memory)
    )


class Assign:
    """The work behind jobs ASSIGN. One at a time holds the lease of a namespace, whatever the number of processes."""

    def __init__(
        self,
        store: MemoryStore,
        clusters: Following[ClusterView],
        growth: Growth,
        regroup: Regroup,
        clock: Clock,
        owner: str,
    ) -> None:
        self._store = store
        self._clusters = clusters
        self._growth = growth
        self._regroup = regroup
        self._clock = clock
        self._owner = owner

    def after_write(self, namespace: str) -> None:
        """Assign what was just written, where that is quick: the failures are held already, or they are few.

        The write stands whatever happens here; what is left is done after the next write or by the worker.
        """
        try:
            if self._clusters.holds(namespace) or self._is_small(namespace):
                self.pending(namespace, AT_ONCE, AT_ONCE_S)
        except GraphmemError as error:
            _log.warning("assignment left for later: %s", error.code)

    def pending(self, namespace: str, limit: int = 500, within_s: float = inf) -> int:
        """Do the jobs that wait, oldest first; how many were done. After within_s none is begun.

        Raises UnavailableError.
        """
        until = monotonic() + within_s
        for done in range(limit):
            if monotonic() > until:
                return done
            job = self._store.claim(namespace, JobKind.ASSIGN, self._owner, self._clock(), LEASE)
            if job is None or not self._do(namespace, job):
                return done
        return limit

    def _is_small(self, namespace: str) -> bool:
        return self._store.state(namespace).total(MemoryKind) <= SMALL

    def _do(self, namespace: str, job: Job) -> bool:
        """Bring a job to its end; False when it has to wait, or was lost to another process."""
        if job.attempt > POISONED:
            _log.error("job %s given up after %d attempts", job.id, POISONED)
            self._end(namespace, job, JobState.FAILED)
            return True
        for _ in range(_RETRIES):
            try:
                return self._attempt(namespace, job)
            except StaleError:
                with self._clusters.current(namespace) as view:
                    view.reset()
        return False

    def _attempt(self, namespace: str, job: Job) -> bool:
        if not job.subject:
            self._regroup.run(namespace, job)
            return True
        with self._clusters.current(namespace) as view:
            if job.subject not in view.failures:
                self._end(namespace, job, JobState.DONE)
                return True
            if view.failures[job.subject].vector is None and job.attempt < PATIENCE and not view.by_words:
                self._end(namespace, job, JobState.PENDING)
                return False
            self._place(namespace, view, job)
            return True

    def _place(self, namespace: str, view: ClusterView, job: Job) -> None:
        """Put the job's failure into its cluster, with what follows from it; the last action ends the job.

        Raises StaleError when a memory changed meanwhile, or the job is another's by now.
        """
        grown = self._growth.changes(namespace, view, view.place(job.subject), self._clock())
        while grown.more:
            self._store.apply(going_on(grown.changes, job))
            with self._clusters.current(namespace) as view:
                grown = self._growth.changes(namespace, view, view.place(job.subject), self._clock())
        self._store.apply(replace(grown.changes, finish=JobFinish.of(job)))
        if grown.pattern_id:
            self._growth.settle(namespace, grown.pattern_id)

    def _end(self, namespace: str, job: Job, state: JobState) -> None:
        self._store.apply(Changes(namespace=namespace, at=self._clock(), finish=JobFinish.of(job, state)))
