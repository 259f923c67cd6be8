"""Giving new texts their vectors, or the job that will give them later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobKind, Record
from graphmem.services.embedding import Embedding
from graphmem.services.intake import NewId
from graphmem.services.spaces import Spaces


@dataclass(frozen=True, slots=True)
class Furnished:
    """Memories ready to be written, and what must be written with them.

    parameters_version is 1 with the record that fixes the namespace's space, None otherwise.
    """

    memories: tuple[Memory, ...]
    jobs: tuple[Job, ...]
    records: tuple[Record, ...]
    embedded: bool

    @property
    def parameters_version(self) -> int | None:
        """The version that the space record begins."""
        return 1 if self.records else None


class Furnish:
    """Vectors of the namespace's own space; in another space, or without an answer in time, none."""

    def __init__(self, spaces: Spaces, embedding: Embedding, new_id: NewId) -> None:
        self._spaces = spaces
        self._embedding = embedding
        self._new_id = new_id

    def __call__(self, namespace: str, memories: Sequence[Memory], at: datetime) -> Furnished:
        """The memories with vectors; without them, each has a job EMBED (none when no embedder is set)."""
        vectors = self._embedding.embed(memories) if self._spaces.fits(namespace) else None
        space = self._spaces.first_record(namespace, at)
        records = (space,) if space else ()
        if vectors is None:
            bare = tuple(replace(memory, vectors={}) for memory in memories)
            jobs = tuple(self._job(memory, at) for memory in memories) if self._embedding.parameters else ()
            return Furnished(bare, jobs, records, embedded=False)
        pairs = zip(memories, vectors, strict=True)
        return Furnished(
            tuple(replace(memory, vectors=own) for memory, own in pairs), (), records, embedded=True
        )

    def _job(self, memory: Memory, at: datetime) -> Job:
        return Job(id=self._new_id(at), kind=JobKind.EMBED, created_at=at, subject=memory.id)
