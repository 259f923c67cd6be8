"""The mirror as one question sees it: without what is gone, and, where a time is given, as things stood then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from graphmem.analysis.walks import Expand
from graphmem.domain.causation import CauseEdge, GeneralizesEdge
from graphmem.domain.past import edge_as_of
from graphmem.index.mirror import GraphMirror, Header
from graphmem.ports.queries import Direction


@dataclass(frozen=True, slots=True)
class MirrorView:
    """gone: ids to walk around. as_of: transaction time, None = now."""

    mirror: GraphMirror
    gone: AbstractSet[str] = frozenset()
    as_of: datetime | None = None

    def edges(self, ids: Sequence[str], direction: Direction = Direction.CAUSES) -> list[CauseEdge]:
        """Stored cause edges one hop away, refuted ones included."""
        known = (self._then(edge) for edge in self.mirror.expand(ids, direction))
        return [edge for edge in known if edge is not None]

    def expand(self, direction: Direction, beside: Mapping[str, Sequence[CauseEdge]]) -> Expand:
        """One hop over stored edges and those beside them, by effect."""

        def hop(frontier: Sequence[str]) -> list[CauseEdge]:
            added = [edge for name in frontier for edge in beside.get(name, ())]
            return [*self.edges(frontier, direction), *added]

        return hop

    def members(self, walked: Iterable[str]) -> tuple[frozenset[str], list[Header]]:
        """The episodes of these memories, and the experiences in them that were there already."""
        headers = self.mirror.headers
        episodes = frozenset(headers[node].episode for node in walked if node in headers)
        found = [member for episode in sorted(episodes) for member in self.mirror.of_episode(episode)]
        return episodes, [item for item in found if self._was_there(item.recorded_at)]

    def generals(self, memory_id: str) -> list[str]:
        """Patterns over an experience, or strategies over a pattern, by id."""
        return sorted(
            edge.from_id
            for edge in self.mirror.owned(memory_id)
            if isinstance(edge, GeneralizesEdge) and self._was_there(edge.recorded_at)
        )

    def _was_there(self, recorded_at: datetime) -> bool:
        return self.as_of is None or recorded_at <= self.as_of

    def _then(self, edge: CauseEdge) -> CauseEdge | None:
        if edge.effect_id in self.gone or edge.cause_id in self.gone:
            return None
        return edge if self.as_of is None else edge_as_of(edge, self.as_of)
