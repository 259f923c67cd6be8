"""Everything that a namespace holds, as a data person wants it: whole, in order, today or as of an instant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.causation import CauseEdge, Edge, EdgeKind, Grade
from graphmem.domain.memories import Experience, Memory, MemoryKind
from graphmem.domain.past import edge_as_of
from graphmem.domain.rules import check_namespace, check_time
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.past import memories_as_of

PAGE = 1_000
"""Items read at once."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """Memories by id, and the edges whose two ends are among them."""

    memories: dict[str, Memory]
    edges: tuple[Edge, ...]


class Collect:
    """Reads page by page, oldest first: what is written meanwhile may be in it or not. Memory grows with the store."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def experiences(self, namespace: str) -> list[Experience]:
        """Every experience, in whatever state, in order of occurrence."""
        found = self._memories(check_namespace(namespace), Selection(kinds=(MemoryKind.EXPERIENCE,)))
        return [memory for memory in found if isinstance(memory, Experience)]

    def causes(self, namespace: str) -> list[CauseEdge]:
        """Every cause edge, refuted ones too, in the order in which they were recorded."""
        found = self._edges(check_namespace(namespace), EdgeSelection(kinds=(EdgeKind.CAUSED_BY,)))
        return [edge for edge in found if isinstance(edge, CauseEdge)]

    def network(
        self, namespace: str, as_of: datetime | None = None, min_grade: Grade = Grade.INFERRED
    ) -> Network:
        """All memories and edges; of cause edges those that are not refuted and have at least this grade.

        as_of: as they were recorded at that instant, with the states and verdicts of then. What was erased since
        stays erased; counts and levels of patterns are today's. Raises BadInputError for a time without a zone.
        """
        check_namespace(namespace)
        memories = {memory.id: memory for memory in self._memories(namespace, Selection())}
        edges: Iterator[Edge] = self._edges(namespace, EdgeSelection())
        if as_of is not None:
            then = check_time("as_of", as_of)
            memories = memories_as_of(self._store, namespace, memories, then)
            edges = (past for edge in edges if (past := edge_as_of(edge, then)) is not None)
        kept = (edge for edge in edges if edge.from_id in memories and edge.to_id in memories)
        return Network(
            memories=memories, edges=tuple(edge for edge in kept if _is_supported(edge, min_grade))
        )

    def _memories(self, namespace: str, selection: Selection) -> Iterator[Memory]:
        first = PageRequest(first=PAGE, ascending=True)
        for page in pages(lambda page: self._store.find(namespace, selection, page), first):
            yield from page.items

    def _edges(self, namespace: str, selection: EdgeSelection) -> Iterator[Edge]:
        first = PageRequest(first=PAGE)
        for page in pages(lambda page: self._store.edges(namespace, selection, page), first):
            yield from page.items


def _is_supported(edge: Edge, min_grade: Grade) -> bool:
    return not isinstance(edge, CauseEdge) or (edge.grade is not None and edge.grade >= min_grade)
