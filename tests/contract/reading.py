"""All that can be read of a namespace, in forms that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from graphmem.domain.causation import Edge
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Memory
from graphmem.domain.records import Record, RecordKind
from graphmem.ports.changes import Changes
from graphmem.ports.queries import (
    Cursor,
    EdgeSelection,
    FeedRow,
    Page,
    PageRequest,
    RecordSelection,
    Selection,
)
from graphmem.ports.store import MemoryStore
from tests.builders import NS, changes

_T = TypeVar("_T")
COUNTED = ("FACT", "EXPERIENCE", "PATTERN", "STRATEGY", "FAILURE", "CAUSED_BY", "GENERALIZES", "SUPERSEDES")


def put(store: MemoryStore, *create: Memory, **fields: Any) -> tuple[Memory, ...]:
    """Apply an action; the memories as stored."""
    return store.apply(changes(*create, **fields)).memories


def one(store: MemoryStore, memory: Memory) -> Any:
    """A memory as it is stored now."""
    return store.get(memory.namespace, [memory.id])[memory.id]


def counts(store: MemoryStore, namespace: str = NS) -> dict[str, int]:
    """Every count, zeros too."""
    found = store.state(namespace).counts
    return {name: found.get(name, 0) for name in COUNTED}


def in_pages(
    read: Callable[[PageRequest], Page[_T]], first: int = 100, *, ascending: bool = False
) -> list[_T]:
    """All items, page by page."""
    items: list[_T] = []
    page = read(PageRequest(first=first, ascending=ascending))
    items.extend(page.items)
    while page.next:
        page = read(PageRequest(first=first, after=page.next, ascending=ascending))
        items.extend(page.items)
    return items


def found(store: MemoryStore, namespace: str = NS, first: int = 100, **wanted: Any) -> list[Memory]:
    """All memories that fulfil a selection, newest first."""
    return in_pages(lambda page: store.find(namespace, Selection(**wanted), page), first)


def edges_of(store: MemoryStore, namespace: str = NS, first: int = 100, **wanted: Any) -> list[Edge]:
    """All edges that fulfil a selection."""
    return in_pages(lambda page: store.edges(namespace, EdgeSelection(**wanted), page), first)


def records_of(
    store: MemoryStore, kind: RecordKind, namespace: str = NS, first: int = 100, **wanted: Any
) -> list[Record]:
    """All records of a kind that fulfil a selection."""
    return in_pages(lambda page: store.records(namespace, kind, RecordSelection(**wanted), page), first)


def by_ends(edges: Sequence[Edge]) -> list[Edge]:
    """Edges in an order of their own."""
    return sorted(edges, key=lambda edge: (edge.from_id, edge.to_id))


@dataclass
class Reader:
    """Follows the feed of a namespace and keeps what it was told."""

    store: MemoryStore
    namespace: str = NS
    cursor: Cursor = field(default_factory=Cursor)
    rows: dict[str, FeedRow] = field(default_factory=dict)
    tombstones: set[str] = field(default_factory=set)

    def step(self, limit: int = 100) -> bool:
        """Read one page; True when the feed says that there is nothing more."""
        feed = self.store.changes_since(self.namespace, self.cursor, limit)
        assert not feed.reset
        assert len(feed.rows) + len(feed.tombstones) <= limit
        for id in feed.tombstones:
            self.rows.pop(id, None)
        self.tombstones.update(feed.tombstones)
        self.rows |= {row.memory.id: row for row in feed.rows}
        assert self.cursor <= feed.next
        self.cursor = feed.next
        return feed.complete

    def catch_up(self, limit: int = 100) -> Reader:
        """Read until there is nothing more."""
        while not self.step(limit):
            pass
        return self

    @property
    def graph(self) -> dict[str, tuple[Memory, list[Edge]]]:
        """Every memory with the edges it owns."""
        return {id: (row.memory, by_ends(row.edges)) for id, row in self.rows.items()}

    @property
    def digest(self) -> int:
        """The digests of all rows, added up."""
        return sum(row.digest for row in self.rows.values()) % 2**64


def graph(store: MemoryStore, namespace: str = NS) -> dict[str, tuple[Memory, list[Edge]]]:
    """The whole feed read at once."""
    return Reader(store, namespace).catch_up().graph


def snapshot(store: MemoryStore, namespace: str = NS) -> tuple[object, ...]:
    """All that can be read of a namespace; equal before and after what changes nothing."""
    state = store.state(namespace)
    return (
        (state.revision, state.parameters_version, state.digest, state.graph_digest),
        counts(store, namespace),
        graph(store, namespace),
        {kind: records_of(store, kind, namespace) for kind in RecordKind},
        sorted(store.namespaces()),
    )


def refused(store: MemoryStore, error: type[GraphmemError], action: Changes) -> None:
    """Apply an action that must raise exactly this error and change nothing."""
    before = snapshot(store, action.namespace)
    with pytest.raises(GraphmemError) as raised:
        store.apply(action)
    assert raised.type is error, raised.value
    assert snapshot(store, action.namespace) == before


def at_once(work: Callable[[int], _T], times: int, threads: int = 8) -> list[_T]:
    """The results of work(0), work(1), ... done by several threads."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(times)))
