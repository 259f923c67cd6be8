"""One index per namespace, brought up to date from the store before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock

from graphmem.domain.errors import UnavailableError
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import Space
from graphmem.ports.store import MemoryStore

PAGE = 1_000
"""Rows read from the feed at once."""


class IndexSet:
    """The indexes of all namespaces in use.

    space_of: the embedding space to search a namespace in, None for words only.

    The store is the truth: before each use the feed is read from where the index stands, so that writes of
    this and of every other process are seen.
    """

    def __init__(self, store: MemoryStore, space_of: Callable[[str], Space | None]) -> None:
        self._store = store
        self.space_of = space_of
        self._lock = Lock()
        self._indexes: dict[str, NamespaceIndex] = {}
        self._locks: dict[str, RLock] = {}

    @contextmanager
    def current(self, namespace: str, min_revision: int = 0) -> Iterator[NamespaceIndex]:
        """The index of a namespace, as of now, locked while it is in use.

        Raises UnavailableError when the store has not reached min_revision.
        """
        with self._lock:
            lock = self._locks.setdefault(namespace, RLock())
        with lock:
            index = self._sync(namespace)
            if index.cursor.revision < min_revision:
                raise UnavailableError(
                    f"revision {min_revision} has not been reached, the store is at {index.cursor.revision}",
                    field="minRevision",
                    remedy="retry, or ask without minRevision",
                )
            yield index

    def verify(self, namespace: str) -> bool:
        """Whether the index equals the store; a wrong one is thrown away and built anew at its next use."""
        with self.current(namespace) as index:
            state = self._store.state(namespace)
            matches = index.cursor.revision != state.revision or index.digest == state.graph_digest
            if not matches:
                del self._indexes[namespace]
            return matches

    def _sync(self, namespace: str) -> NamespaceIndex:
        index = self._indexes.get(namespace) or NamespaceIndex(self.space_of(namespace))
        while True:
            feed = self._store.changes_since(namespace, index.cursor, PAGE)
            if feed.reset or feed.parameters_version != index.parameters_version:
                index = NamespaceIndex(self.space_of(namespace), feed.parameters_version)
                continue
            index.take(feed)
            if feed.complete:
                break
        if index.cursor.revision:
            self._indexes[namespace] = index
        return index
