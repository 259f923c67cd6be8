"""A store that cannot answer its nth call: for tests of what the services do then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from threading import Lock
from typing import TypeVar

from graphmem.domain.causation import CauseEdge, Edge
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobKind, Record, RecordKind
from graphmem.ports.changes import Changes, Receipt, RestoreBatch, StoredReceipt
from graphmem.ports.queries import (
    ChangeFeed,
    Cursor,
    Damage,
    Direction,
    EdgeSelection,
    FreeJobs,
    NamespaceState,
    Page,
    PageRequest,
    RecordSelection,
    SchemaReport,
    Selection,
)
from graphmem.ports.store import MOST_DAMAGES, Capability, MemoryStore

_T = TypeVar("_T")


class FailingStore(MemoryStore):
    """Passes every call on, but raises UnavailableError at one of them.

    fail_at: which call from now on fails, the first is 1; 0 = none. after: the call is done first and its
    answer lost, as when a connection breaks during the commit. calls: the names of all calls so far.
    close() neither counts nor fails.
    """

    def __init__(self, store: MemoryStore, fail_at: int = 0, *, after: bool = False) -> None:
        self.store = store
        self.calls: list[str] = []
        self.failed = False
        self._lock = Lock()
        self.arm(fail_at, after=after)

    def arm(self, fail_at: int, *, after: bool = False) -> None:
        """Let another call fail, counted from now on."""
        with self._lock:
            self.failed = False
            self._left, self._after = fail_at, after

    @property
    def capabilities(self) -> frozenset[Capability]:  # type: ignore[override]
        """Those of the store behind."""
        return self.store.capabilities

    def _call(self, name: str, call: Callable[[], _T]) -> _T:
        with self._lock:
            self.calls.append(name)
            self._left -= 1
            fails = self._left == 0
            self.failed |= fails
        if fails and not self._after:
            raise UnavailableError(f"{name} was made to fail", remedy="retry with the same key")
        answer = call()
        if fails:
            raise UnavailableError(f"the answer of {name} was lost", remedy="retry with the same key")
        return answer

    def migrate(self) -> SchemaReport:
        return self._call("migrate", self.store.migrate)

    def receipt(self, namespace: str, key: str) -> StoredReceipt | None:
        return self._call("receipt", lambda: self.store.receipt(namespace, key))

    def apply(self, changes: Changes) -> Receipt:
        return self._call("apply", lambda: self.store.apply(changes))

    def restore(self, batch: RestoreBatch) -> None:
        return self._call("restore", lambda: self.store.restore(batch))

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        return self._call("get", lambda: self.store.get(namespace, ids, vectors=vectors))

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        return self._call("find", lambda: self.store.find(namespace, selection, page, vectors=vectors))

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        return self._call("changes_since", lambda: self.store.changes_since(namespace, after, limit))

    def expand(self, namespace: str, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        return self._call("expand", lambda: self.store.expand(namespace, frontier, direction))

    def edges(self, namespace: str, selection: EdgeSelection, page: PageRequest) -> Page[Edge]:
        return self._call("edges", lambda: self.store.edges(namespace, selection, page))

    def records(
        self, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
    ) -> Page[Record]:
        return self._call("records", lambda: self.store.records(namespace, kind, selection, page))

    def claim(self, namespace: str, kind: JobKind, owner: str, now: datetime, lease: timedelta) -> Job | None:
        return self._call("claim", lambda: self.store.claim(namespace, kind, owner, now, lease))

    def state(self, namespace: str) -> NamespaceState:
        return self._call("state", lambda: self.store.state(namespace))

    def correct(self, held: NamespaceState) -> bool:
        return self._call("correct", lambda: self.store.correct(held))

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        return self._call("namespaces", lambda: self.store.namespaces(free))

    def damaged(self, namespace: str, first: int = MOST_DAMAGES) -> tuple[Damage, ...]:
        return self._call("damaged", lambda: self.store.damaged(namespace, first))

    def close(self) -> None:
        self.store.close()
