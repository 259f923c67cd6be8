"""The look at all failures that an import asks for: written with its first batch, held back until its last."""

from __future__ import annotations

from contextlib import suppress

from graphmem.domain.errors import GraphmemError, StaleError
from graphmem.domain.records import Job, JobKind, JobState
from graphmem.ports.changes import Changes, JobFinish, Receipt
from graphmem.ports.store import MemoryStore
from graphmem.services.holding import Holder
from graphmem.services.intake import NewId
from graphmem.services.regroup import going_on


class HeldBack:
    """A job ASSIGN over all failures that several actions share: each of them holds it longer.

    While it is held nobody makes clusters of what is there by halves. After a kill between two actions its lease runs
    out, and it is done over what was written.
    """

    def __init__(self, store: MemoryStore, holder: Holder, new_id: NewId, *, wanted: bool) -> None:
        """wanted: whether there is anything to look at; else the actions pass as they are."""
        self._store = store
        self._holder = holder
        self._new_id = new_id
        self._wanted = wanted
        self._job: Job | None = None

    def apply(self, changes: Changes) -> Receipt:
        """Commit an action together with the job; what somebody took over meanwhile is asked for anew."""
        if not self._wanted:
            return self._store.apply(changes)
        try:
            return self._store.apply(self._with_job(changes))
        except StaleError as error:
            if error.field != "job":
                raise
            self._job = None
            return self._store.apply(self._with_job(changes))

    def release(self, namespace: str) -> bool:
        """Let anybody do the job; whether there is one. Where that cannot be said, its lease runs out."""
        if self._job is None:
            return False
        finish = JobFinish.of(self._job, JobState.PENDING)
        with suppress(GraphmemError):
            self._store.apply(Changes(namespace=namespace, at=self._holder.clock(), finish=finish))
        return True

    def _with_job(self, changes: Changes) -> Changes:
        if self._job is None:
            self._job = Job(
                id=self._new_id(changes.at),
                kind=JobKind.ASSIGN,
                created_at=changes.at,
                state=JobState.RUNNING,
                owner=self._holder.owner,
                attempt=1,
            )
        return going_on(changes, self._job)
