"""The graph as one question sees it: without what is gone, and, where a time is given, as things stood then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from graphmem.analysis.walks import Expand
from graphmem.domain.causation import CauseEdge
from graphmem.domain.past import edge_as_of
from graphmem.index.mirror import Header
from graphmem.ports.queries import Direction
from graphmem.services.sources import Source


@dataclass(frozen=True, slots=True)
class CauseView:
    """gone: ids to walk around. as_of: transaction time, None = now."""

    source: Source
    gone: AbstractSet[str] = frozenset()
    as_of: datetime | None = None

    def edges(self, ids: Sequence[str], direction: Direction = Direction.CAUSES) -> list[CauseEdge]:
        """Stored cause edges one hop away, refuted ones included, sorted by their ends."""
        known = (self._then(edge) for edge in self.source.expand(ids, direction))
        return sorted(filter(None, known), key=lambda edge: (edge.from_id, edge.to_id))

    def expand(self, direction: Direction, beside: Mapping[str, Sequence[CauseEdge]]) -> Expand:
        """One hop over stored edges and those beside them, by effect."""

        def hop(frontier: Sequence[str]) -> list[CauseEdge]:
            added = [edge for name in frontier for edge in beside.get(name, ())]
            return [*self.edges(frontier, direction), *added]

        return hop

    def members(self, episodes: Iterable[str]) -> list[Header] | None:
        """The experiences of these episodes that were there already; None where they are too many to be read."""
        found = self.source.members(sorted(episodes))
        return None if found is None else [item for item in found if self._was_there(item.recorded_at)]

    def generals(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """Patterns over experiences, strategies over patterns: ids by what they generalize."""
        over: dict[str, list[str]] = {name: [] for name in ids}
        for edge in self.source.generals(list(over)):
            if self._was_there(edge.recorded_at):
                over[edge.to_id].append(edge.from_id)
        return {name: sorted(above) for name, above in over.items()}

    def _was_there(self, recorded_at: datetime) -> bool:
        return self.as_of is None or recorded_at <= self.as_of

    def _then(self, edge: CauseEdge) -> CauseEdge | None:
        if edge.effect_id in self.gone or edge.cause_id in self.gone:
            return None
        return edge if self.as_of is None else edge_as_of(edge, self.as_of)
