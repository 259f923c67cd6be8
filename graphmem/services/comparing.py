"""Whether a namespace is the same in two stores, and where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphmem.domain.encoding import canonical, digest, edge_digest, encode, memory_digest
from graphmem.domain.records import JobKind, Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.queries import Cursor, FeedRow, NamespaceState, PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore

NAMED = 5
"""Memories named that differ; there may be more."""
_UNCOUNTED = (RecordKind.REQUEST, RecordKind.ERASURE, RecordKind.JOB, RecordKind.AUDIT)
"""Kinds that count into no digest of a state."""
_WRAP = 2**64


def differences(source: MemoryStore, target: MemoryStore, namespace: str) -> tuple[str, ...]:
    """What differs, a line each, () when nothing does. Revisions, tombstones and COPY jobs are each store's own.

    Digests are compared first; all memories are read only where these differ.
    """
    here, there = source.state(namespace), target.state(namespace)
    kinds = _UNCOUNTED if _records(here) == _records(there) else tuple(RecordKind)
    found = [*_numbers(here, there)]
    if here.graph_digest != there.graph_digest:
        found += _memories(source, target, namespace)
    for kind in kinds:
        counted = _tally(source, namespace, kind), _tally(target, namespace, kind)
        if counted[0] != counted[1]:
            found.append(f"{kind} records: {counted[0][0]} at the source, {counted[1][0]} in the copy")
    return tuple(found)


def record_pages(
    store: MemoryStore, namespace: str, kind: RecordKind, after: str = ""
) -> Iterator[tuple[tuple[Record, ...], str]]:
    """All records of a kind, in pages of MAX_ITEMS, each with the cursor of the next page ('' = none)."""
    wanted = PageRequest(first=MAX_ITEMS, after=after)
    for page in pages(lambda page: store.records(namespace, kind, RecordSelection(), page), wanted):
        yield page.items, page.next


def is_copy_job(record: Record) -> bool:
    """Whether a record tells of a copy into its store."""
    return record.kind is RecordKind.JOB and record.body.get("kind") == JobKind.COPY


def _numbers(here: NamespaceState, there: NamespaceState) -> Iterator[str]:
    yield from _unequal(here.counts, there.counts, "")
    yield from _unequal(here.ref_counters, there.ref_counters, "last reference ")
    if here.parameters_version != there.parameters_version:
        versions = here.parameters_version, there.parameters_version
        yield f"parameters: version {versions[0]} at the source, {versions[1]} in the copy"


def _unequal(here: Mapping[str, int], there: Mapping[str, int], what: str) -> Iterator[str]:
    for name in sorted(here.keys() | there.keys()):
        numbers = here.get(name, 0), there.get(name, 0)
        if numbers[0] != numbers[1]:
            yield f"{what}{name}: {numbers[0]} at the source, {numbers[1]} in the copy"


def _memories(source: MemoryStore, target: MemoryStore, namespace: str) -> Iterator[str]:
    here, there = _rows(source, namespace), _rows(target, namespace)
    unlike = sorted(id for id in here.keys() | there.keys() if here.get(id) != there.get(id))
    names = [(here.get(id) or there[id])[0] or id for id in unlike[:NAMED]]
    if unlike:
        yield f"memories or their edges ({len(unlike)}): {', '.join(names)}{' …' if unlike[NAMED:] else ''}"


def _rows(store: MemoryStore, namespace: str) -> dict[str, tuple[str, int]]:
    """Reference and digest of every memory with the edges that it owns.

    Of their values: a store keeps the digest of what it wrote, whatever a person has made of it since.
    """
    rows: dict[str, tuple[str, int]] = {}
    after = Cursor()
    while True:
        feed = store.changes_since(namespace, after, MAX_ITEMS)
        rows |= {row.memory.id: (row.memory.ref, _digest(row)) for row in feed.rows}
        if feed.complete:
            return rows
        after = feed.next


def _digest(row: FeedRow) -> int:
    edges = sum(edge_digest(edge) for edge in row.edges)
    return (memory_digest(row.memory) + edges) % _WRAP


def _records(state: NamespaceState) -> int:
    """The part of the digest that service records make."""
    return (state.digest - state.graph_digest) % _WRAP


def _tally(store: MemoryStore, namespace: str, kind: RecordKind) -> tuple[int, int]:
    """How many records of a kind there are, and the sum of their digests."""
    count = total = 0
    for records, _ in record_pages(store, namespace, kind):
        kept = [record for record in records if not is_copy_job(record)]
        count += len(kept)
        total += sum(digest(canonical(encode(record))) for record in kept)
    return count, total % _WRAP
