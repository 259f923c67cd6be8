"""Work that is done after the commit: vectors that could not be made in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from graphmem.domain.errors import StaleError
from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobKind
from graphmem.ports.changes import Changes, JobFinish, Update
from graphmem.ports.store import MemoryStore
from graphmem.services.embedding import Embedding
from graphmem.services.intake import Clock
from graphmem.services.spaces import Spaces

LEASE = timedelta(seconds=60)


class Maintain:
    """Does pending jobs, one at a time, safely beside other workers."""

    def __init__(
        self, store: MemoryStore, spaces: Spaces, embedding: Embedding, clock: Clock, owner: str
    ) -> None:
        self._store = store
        self._spaces = spaces
        self._embedding = embedding
        self._clock = clock
        self._owner = owner

    def embed_pending(self, namespace: str, limit: int = 100, *, patient: bool = False) -> int:
        """Make missing vectors; how many memories got theirs.

        Stops when the embedder does not answer: a job taken by then is tried again after its lease. patient: a slow
        one is waited for, as in Embedding.vectors.
        """
        standing = self._spaces.standing(namespace)
        if not (standing.fits and self._embedding.answers(patient=patient)):
            return 0
        done = 0
        for _ in range(limit):
            job = self._store.claim(namespace, JobKind.EMBED, self._owner, self._clock(), LEASE)
            if job is None:
                break
            memory = self._store.get(namespace, [job.subject]).get(job.subject)
            vectors = self._embedding.embed([memory] if memory else [], patient=patient)
            if vectors is None:
                break
            embedded = [replace(memory, vectors=vectors[0])] if memory else []
            done += self._finish(namespace, job, embedded, standing.version)
        return done

    def _finish(self, namespace: str, job: Job, embedded: Sequence[Memory], version: int) -> int:
        """Write what got its vectors under the parameters of a version, and end the job; how many were written."""
        update = tuple(Update(memory=memory, expected_version=memory.version) for memory in embedded)
        finish = JobFinish.of(job)
        changes = Changes(namespace=namespace, at=self._clock(), update=update, finish=finish)
        try:
            self._store.apply(replace(changes, expected_parameters_version=version))
        except StaleError:
            self._spaces.forget(namespace)
            return 0
        return len(update)
