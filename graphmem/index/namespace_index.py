"""Everything held in memory about one namespace, built from the store's feed and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.domain.causation import EdgeKind
from graphmem.domain.memories import Experience, Memory, MemoryKind, Tier
from graphmem.index.mirror import GraphMirror
from graphmem.index.partition import Space
from graphmem.index.repeats import Repeats
from graphmem.index.shelf import FIELDS, Shelf
from graphmem.ports.queries import ChangeFeed, Cursor

_MODULUS = 2**64


class NamespaceIndex:
    """Shelves, graph mirror and the place in the feed. Not thread-safe: IndexSet holds a lock around it.

    shelves hold what is searched by default; repeats finds what was archived (COLD) by its very situation.
    """

    def __init__(self, space: Space | None, parameters_version: int = 0) -> None:
        self.shelves = {kind: Shelf(kind, space) for kind in FIELDS}
        self.repeats = Repeats()
        self._archive = Shelf(MemoryKind.EXPERIENCE, space)
        self._unread: dict[str, Memory] = {}
        self.mirror = GraphMirror()
        self.cursor = Cursor()
        self.space = space
        self.parameters_version = parameters_version
        self._digests: dict[str, int] = {}

    @property
    def digest(self) -> int:
        """Sum of the digests of all rows taken in; equals the store's graph_digest when nothing is missing."""
        return sum(self._digests.values()) % _MODULUS

    def take(self, feed: ChangeFeed) -> None:
        """Apply one page of the feed; applying a page twice changes nothing."""
        for memory_id in feed.tombstones:
            self._forget(memory_id)
        for row in feed.rows:
            self._digests[row.memory.id] = row.digest
            self._shelve(row.memory)
            self.mirror.put(row.memory, row.edges)
        self.cursor = feed.next

    @property
    def archive(self) -> Shelf:
        """COLD experiences. They are indexed when they are first asked for: most questions never need them."""
        while self._unread:
            _, memory = self._unread.popitem()
            self._archive.put(memory)
        return self._archive

    def bad_vectors(self) -> int:
        """Memories with a vector that cannot be compared: wrong length, NaN, infinite or zero."""
        return self._count("bad_vector")

    def without_vectors(self) -> int:
        """Memories with a searched text and no vector yet."""
        return self._count("without_vector")

    def unusable(self) -> list[str]:
        """Ids of memories that lack a vector or have one that cannot be compared, sorted."""
        found: set[str] = set()
        for shelf in self._every_shelf():
            for partition in shelf.fields.values():
                found |= {shelf.ids[row] for row in partition.without_vector | partition.bad_vector}
        return sorted(found)

    def counts(self) -> dict[str, int]:
        """Memories by kind, failures, and edges by kind, as a store counts them."""
        totals = dict.fromkeys((*MemoryKind, *EdgeKind), 0)
        for header in self.mirror.headers.values():
            totals[header.kind] += 1
        for edge in self.mirror.edges():
            totals[edge.kind] += 1
        failures = sum(header.is_failure for header in self.mirror.headers.values())
        return {str(name): count for name, count in totals.items()} | {"FAILURE": failures}

    def languages(self) -> dict[str, int]:
        """Texts by language over the facts and experiences that are searched by default."""
        totals: dict[str, int] = {}
        for kind in (MemoryKind.FACT, MemoryKind.EXPERIENCE):
            for partition in self.shelves[kind].fields.values():
                for language, count in partition.languages.items():
                    totals[language] = totals.get(language, 0) + count
        return totals

    def _every_shelf(self) -> Iterator[Shelf]:
        yield from self.shelves.values()
        yield self.archive

    def _shelve(self, memory: Memory) -> None:
        """Put a memory where it is searched: an experience by its tier."""
        self.repeats.remove(memory.id)
        self._unread.pop(memory.id, None)
        if isinstance(memory, Experience) and memory.tier is Tier.COLD:
            self.shelves[memory.kind].remove(memory.id)
            self._archive.remove(memory.id)
            self._unread[memory.id] = memory
            self.repeats.put(memory)
            return
        self._archive.remove(memory.id)
        self.shelves[memory.kind].put(memory)

    def _forget(self, memory_id: str) -> None:
        self._digests.pop(memory_id, None)
        self.mirror.remove(memory_id)
        self.repeats.remove(memory_id)
        self._unread.pop(memory_id, None)
        for shelf in (*self.shelves.values(), self._archive):
            shelf.remove(memory_id)

    def _count(self, name: str) -> int:
        rows = 0
        for shelf in self._every_shelf():
            marked = [getattr(partition, name) for partition in shelf.fields.values()]
            rows += len(set().union(*marked))
        return rows
