"""Giving new texts their vectors, or the job that will give them later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobKind, Record
from graphmem.ports.changes import Changes
from graphmem.services.embedding import Embedding
from graphmem.services.intake import NewId
from graphmem.services.spaces import Spaces


@dataclass(frozen=True, slots=True)
class Furnished:
    """Memories ready to be written, and what must be written with them.

    version: that of the parameters under which vectors or the first space record were made, None without these.
    """

    memories: tuple[Memory, ...]
    jobs: tuple[Job, ...]
    records: tuple[Record, ...]
    embedded: bool
    version: int | None

    def changes(self, namespace: str, at: datetime) -> Changes:
        """The part of an action that goes with the memories, refused under other parameters."""
        begun = self.version + 1 if self.records and self.version is not None else None
        return Changes(
            namespace=namespace,
            at=at,
            jobs=self.jobs,
            records=self.records,
            parameters_version=begun,
            expected_parameters_version=self.version,
        )


class Furnish:
    """Vectors of the namespace's own space; in another space, or without an answer in time, none."""

    def __init__(self, spaces: Spaces, embedding: Embedding, new_id: NewId) -> None:
        self._spaces = spaces
        self._embedding = embedding
        self._new_id = new_id

    def __call__(self, namespace: str, memories: Sequence[Memory], at: datetime) -> Furnished:
        """The memories with vectors; without them, each has a job EMBED (none when no embedder is set)."""
        standing = self._spaces.standing(namespace)
        vectors = self._embedding.embed(memories) if standing.fits else None
        space = self._spaces.first_record(standing, at)
        records = (space,) if space else ()
        version = standing.version if records or vectors is not None else None
        if vectors is None:
            bare = tuple(replace(memory, vectors={}) for memory in memories)
            jobs = tuple(self._job(memory, at) for memory in memories) if self._embedding.parameters else ()
            return Furnished(bare, jobs, records, embedded=False, version=version)
        pairs = zip(memories, vectors, strict=True)
        filled = tuple(replace(memory, vectors=own) for memory, own in pairs)
        return Furnished(filled, (), records, embedded=True, version=version)

    def again(self, namespace: str) -> None:
        """Look at the namespace's space again: an action was refused, and this may be why."""
        self._spaces.forget(namespace)

    def _job(self, memory: Memory, at: datetime) -> Job:
        return Job(id=self._new_id(at), kind=JobKind.EMBED, created_at=at, subject=memory.id)
