"""Mending what a person changed in the database by hand (vectors that cannot be used, counts that do not add up), and
work that was given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from graphmem.domain.errors import StaleError
from graphmem.domain.rules import check_namespace
from graphmem.index.index_set import IndexSet
from graphmem.ports.changes import Changes, Update
from graphmem.ports.store import MemoryStore
from graphmem.services.embedding import Embedding
from graphmem.services.giving_up import given_up, revival
from graphmem.services.intake import Clock
from graphmem.services.spaces import Spaces


class Repair:
    """Looks at everything anew, since hand edits move no revision, and writes what can be made again."""

    def __init__(
        self, store: MemoryStore, indexes: IndexSet, spaces: Spaces, embedding: Embedding, clock: Clock
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._spaces = spaces
        self._embedding = embedding
        self._clock = clock

    def unusable(self, namespace: str) -> list[str]:
        """Ids of memories whose vectors are missing, of another length, zero or not finite; none where the embedder
        makes vectors of another space.
        """
        check_namespace(namespace)
        if not self._spaces.standing(namespace).fits:
            return []
        self._indexes.renew(namespace)
        with self._indexes.current(namespace) as index:
            return index.unusable()

    def embed(self, namespace: str, ids: Sequence[str]) -> int:
        """Make the vectors of these memories again, at most 500; how many got theirs.

        0 where the embedder does not answer, or a memory was changed meanwhile: call again. Raises TooLargeError.
        """
        standing = self._spaces.standing(namespace)
        memories = list(self._store.get(namespace, ids).values())
        vectors = self._embedding.embed(memories, patient=True) if standing.fits else None
        if not vectors:
            return 0
        pairs = zip(memories, vectors, strict=True)
        update = tuple(
            Update(memory=replace(memory, vectors=own), expected_version=memory.version)
            for memory, own in pairs
        )
        changes = Changes(namespace=namespace, at=self._clock(), update=update)
        try:
            self._store.apply(replace(changes, expected_parameters_version=standing.version))
        except StaleError:
            self._spaces.forget(namespace)
            return 0
        return len(update)

    def balance(self, namespace: str) -> bool:
        """Set the counts and the digest of the store to what it holds; whether they differed and are right now."""
        check_namespace(namespace)
        self._indexes.renew(namespace)
        with self._indexes.current(namespace) as index:
            revision, digest, counts = index.cursor.revision, index.digest, index.counts()
        state = self._store.state(namespace)
        if (state.graph_digest, state.counts) == (digest, counts):
            return False
        return self._store.correct(replace(state, revision=revision, graph_digest=digest, counts=counts))

    def revive(self, namespace: str) -> int:
        """Have every job that was given up tried again, as if for the first time; how many. One that somebody else
        is at by then is left.
        """
        check_namespace(namespace)
        revived = 0
        for job in list(given_up(self._store, namespace)):
            with suppress(StaleError):
                self._store.apply(revival(self._store, namespace, job, self._clock))
                revived += 1
        return revived
