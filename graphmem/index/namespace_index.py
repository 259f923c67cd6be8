"""Everything held in memory about one namespace, built from the store's feed and nothing else."""

from __future__ import annotations

from graphmem.domain.causation import EdgeKind
from graphmem.domain.memories import MemoryKind
from graphmem.index.mirror import GraphMirror
from graphmem.index.partition import Space
from graphmem.index.shelf import FIELDS, Shelf
from graphmem.ports.queries import ChangeFeed, Cursor

_MODULUS = 2**64


class NamespaceIndex:
    """Shelves, graph mirror and the place in the feed. Not thread-safe: IndexSet holds a lock around it."""

    def __init__(self, space: Space | None, parameters_version: int = 0) -> None:
        self.shelves = {kind: Shelf(kind, space) for kind in FIELDS}
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
            self.shelves[row.memory.kind].put(row.memory)
            self.mirror.put(row.memory, row.edges)
        self.cursor = feed.next

    def bad_vectors(self) -> int:
        """Memories with a vector that cannot be compared: wrong length, NaN, infinite or zero."""
        return self._count("bad_vector")

    def without_vectors(self) -> int:
        """Memories with a searched text and no vector yet."""
        return self._count("without_vector")

    def unusable(self) -> list[str]:
        """Ids of memories that lack a vector or have one that cannot be compared, sorted."""
        found: set[str] = set()
        for shelf in self.shelves.values():
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
        """Texts by language over all facts and experiences."""
        totals: dict[str, int] = {}
        for kind in (MemoryKind.FACT, MemoryKind.EXPERIENCE):
            for partition in self.shelves[kind].fields.values():
                for language, count in partition.languages.items():
                    totals[language] = totals.get(language, 0) + count
        return totals

    def _forget(self, memory_id: str) -> None:
        self._digests.pop(memory_id, None)
        self.mirror.remove(memory_id)
        for shelf in self.shelves.values():
            shelf.remove(memory_id)

    def _count(self, name: str) -> int:
        rows = 0
        for shelf in self.shelves.values():
            marked = [getattr(partition, name) for partition in shelf.fields.values()]
            rows += len(set().union(*marked))
        return rows
