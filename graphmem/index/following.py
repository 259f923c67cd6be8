"""What is held in memory per namespace, brought up to date from the store's feed before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Generic, Protocol, TypeVar

from graphmem.domain.errors import UnavailableError
from graphmem.ports.queries import ChangeFeed, Cursor
from graphmem.ports.store import MemoryStore

PAGE = 1_000
"""Rows read from the feed at once."""


class Follower(Protocol):
    """Something built from the feed of one namespace and nothing else."""

    cursor: Cursor
    parameters_version: int

    def take(self, feed: ChangeFeed) -> None:
        """Apply one page of the feed; applying a page twice changes nothing."""
        ...


class _Gate:
    """The lock around one follower, and how often the store did not answer somebody who held it.

    A store that stands still answers each caller late. Whoever waited meanwhile is told so at once: in a queue,
    each would wait for all before it.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._outages = 0

    @contextmanager
    def passed(self) -> Iterator[None]:
        """One at a time. Raises UnavailableError when the store did not answer one who was here before."""
        before = self._outages
        with self._lock:
            if self._outages != before:
                raise UnavailableError(
                    "the store did not answer in time, nor the call before", remedy="retry in a moment"
                )
            try:
                yield
            except UnavailableError:
                self._outages += 1
                raise


_Follower = TypeVar("_Follower", bound=Follower)


class Following(Generic[_Follower]):
    """One follower per namespace in use. begin: makes an empty one for a namespace and a parameters_version.

    The store is the truth: before each use the feed is read from where the follower stands, so that writes of
    this and of every other process are seen.
    """

    def __init__(self, store: MemoryStore, begin: Callable[[str, int], _Follower]) -> None:
        self._store = store
        self._begin = begin
        self._lock = Lock()
        self._followers: dict[str, _Follower] = {}
        self._gates: dict[str, _Gate] = {}

    @contextmanager
    def current(self, namespace: str) -> Iterator[_Follower]:
        """The follower of a namespace, as of now, locked while it is in use."""
        with self._lock:
            gate = self._gates.setdefault(namespace, _Gate())
        with gate.passed():
            yield self._synced(namespace)

    def holds(self, namespace: str) -> bool:
        """Whether a namespace has been read already: using it costs what changed since, not the whole."""
        return namespace in self._followers

    def drop(self, namespace: str) -> None:
        """Forget what is held; it is read anew at its next use."""
        self._followers.pop(namespace, None)

    def _synced(self, namespace: str) -> _Follower:
        follower = self._followers.get(namespace) or self._begin(namespace, 0)
        while True:
            feed = self._store.changes_since(namespace, follower.cursor, PAGE)
            if feed.reset or feed.parameters_version != follower.parameters_version:
                follower = self._begin(namespace, feed.parameters_version)
                continue
            follower.take(feed)
            if feed.complete:
                break
        if follower.cursor.revision:
            self._followers[namespace] = follower
        return follower
