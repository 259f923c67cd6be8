"""Jobs that a person starts: one of a kind in a namespace, held by one process, gone on with after it was killed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from graphmem.domain.errors import GraphmemError
from graphmem.domain.records import Job, JobKind, JobState, RecordKind
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.listing import job_of
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock

LEASE = timedelta(seconds=30)
"""How long after its last batch a job that was killed is waited for."""
_LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds jobs. wait: sleeps so many seconds."""

    owner: str
    clock: Clock
    wait: Callable[[float], None] = time.sleep

    def claim(
        self, store: MemoryStore, namespace: str, kind: JobKind, waiting: Callable[[], None]
    ) -> Job | None:
        """The job, held for LEASE from now; None while another process goes on with it.

        One that was killed is held until its lease has run out: it is looked for every second until then.
        """
        for _ in range(int(LEASE / timedelta(seconds=_LOOK_S)) + 1):
            job = store.claim(namespace, kind, self.owner, self.clock(), LEASE)
            if job is not None:
                return job
            waiting()
            self.wait(_LOOK_S)
        return None

    def release(self, store: MemoryStore, namespace: str, job: Job) -> None:
        """Give the job back as it is stored, where it is still held; where that fails, the next call waits.

        What is stored may be further than what is known here: the answer to the last batch may have been lost.
        """
        with suppress(GraphmemError):
            stored = open_job(store, namespace, job.kind)
            if stored is not None and (stored.owner, stored.attempt) == (job.owner, job.attempt):
                waiting = replace(stored, state=JobState.PENDING, lease_until=None)
                store.restore(RestoreBatch(namespace=namespace, job=waiting))


def open_job(store: MemoryStore, namespace: str, kind: JobKind) -> Job | None:
    """The job of a kind that is not ended, the oldest."""
    selection = RecordSelection(open_jobs=kind)
    found = store.records(namespace, RecordKind.JOB, selection, PageRequest(first=1)).items
    return job_of(found[0]) if found else None
