"""The search indexes of all namespaces in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphmem.domain.errors import UnavailableError
from graphmem.index.following import Following
from graphmem.index.mirror import GraphAlone, GraphMirror
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import Space
from graphmem.ports.store import MemoryStore


class IndexSet:
    """One index per namespace. space_of: the embedding space to search a namespace in, None for words only."""

    def __init__(self, store: MemoryStore, space_of: Callable[[str], Space | None]) -> None:
        self._store = store
        self.space_of = space_of
        self._indexes = Following(
            store, lambda namespace, version: NamespaceIndex(space_of(namespace), version)
        )

    @contextmanager
    def current(self, namespace: str, min_revision: int = 0) -> Iterator[NamespaceIndex]:
        """The index of a namespace, as of now, locked while it is in use.

        Raises UnavailableError when the store has not reached min_revision.
        """
        with self._indexes.current(namespace) as index:
            if index.cursor.revision >= min_revision:
                yield index
                return
        raise UnavailableError(
            f"revision {min_revision} has not been reached, the store is at {index.cursor.revision}",
            field="min_revision",
            remedy="retry, or ask without a least revision",
        )

    @contextmanager
    def graph(self, namespace: str) -> Iterator[GraphMirror]:
        """The graph of a namespace, as of now, locked while it is in use: that of its index where one is held.

        Else it is read for this one use: no text is cut into words, and none but those of patterns are kept.
        """
        if self.holds(namespace):
            with self.current(namespace) as index:
                yield index.mirror
            return
        alone = Following(self._store, lambda _, version: GraphAlone(version))
        with alone.current(namespace) as graph:
            yield graph.mirror

    def holds(self, namespace: str) -> bool:
        """Whether a namespace has been read already: using its index costs what changed since, not the whole."""
        return self._indexes.holds(namespace)

    def verify(self, namespace: str) -> bool:
        """Whether the index equals the store; a wrong one is thrown away and built anew at its next use."""
        with self.current(namespace) as index:
            state = self._store.state(namespace)
            matches = index.cursor.revision != state.revision or index.digest == state.graph_digest
            if not matches:
                self._indexes.drop(namespace)
            return matches

    def renew(self, namespace: str) -> None:
        """Read everything anew at the next use: what a person edited in the database moved no revision."""
        self._indexes.drop(namespace)
