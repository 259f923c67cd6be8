"""Which few causes make most failures, and where their chains meet: counted over the whole cause graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.analysis import choke_points
from graphmem.analysis import priorities as ranking
from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.propagation import MIN_TRIALS
from graphmem.domain.memories import Memory, Pattern, State
from graphmem.domain.overview import CUT, ChokePoint, Priorities, Priority, Propagation, Tell, untold
from graphmem.domain.rules import check_page
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror, Header
from graphmem.ports.store import MemoryStore
from graphmem.services.propagate import check_pairs, propagated
from graphmem.services.survey import Survey, survey

SHOWN = 5
"""Root causes of one priority that are shown."""


class Overview:
    """Reads the whole graph: O(memories + edges) a call."""

    def __init__(self, store: MemoryStore, indexes: IndexSet) -> None:
        self._store = store
        self._indexes = indexes

    def priorities(
        self, namespace: str, since: datetime | None = None, limit: int = 10, tell: Tell = untold
    ) -> Priorities:
        """The fewest root causes behind most of the failures since a time (greedily: analysis/priorities.py).

        Root causes of one cluster count as one cause. limit from 1 to 100. Raises BadInputError, UnavailableError.
        """
        check_page(limit, "limit")
        seen = survey(self._store, self._indexes, namespace, since, tell)
        pairs = seen.pairs
        order = CauseOrder(seen.failing, pairs)
        names = {name: item.cluster_id for name, item in seen.headers.items() if item.cluster_id}
        found = ranking.priorities(order, seen.failing, limit, names)
        enough = [place for place, item in enumerate(found, start=1) if item.covered >= CUT]
        return Priorities(
            items=self._told(namespace, found, seen),
            failures=len(seen.failing),
            orphans=len(seen.failing - {effect for effect, cause in pairs if effect != cause}),
            cut=enough[0] if enough else None,
        )

    def choke_points(
        self, namespace: str, since: datetime | None = None, limit: int = 10, tell: Tell = untold
    ) -> tuple[ChokePoint, ...]:
        """Memories through which most pairs of a root cause and a failure since a time are joined, both ends excluded.

        limit from 1 to 100. Raises BadInputError, UnavailableError.
        """
        check_page(limit, "limit")
        seen = survey(self._store, self._indexes, namespace, since, tell)
        found = choke_points.choke_points(CauseOrder(seen.failing, seen.pairs), seen.failing, limit)
        memories = self._store.get(namespace, [item.id for item in found], vectors=False)
        return tuple(
            ChokePoint(memory=memories[item.id], roots=item.roots, failures=item.failures, chains=item.chains)
            for item in found
            if item.id in memories
        )

    def propagation(
        self,
        namespace: str,
        since: datetime | None = None,
        min_trials: int = MIN_TRIALS,
        limit: int = 100,
        tell: Tell = untold,
    ) -> Propagation:
        """How one class of failures leads to another: propagate.propagated. Raises BadInputError, UnavailableError."""
        check_pairs(min_trials, limit)
        seen = survey(self._store, self._indexes, namespace, since, tell)
        return propagated(seen, since, min_trials, limit)

    def _told(self, namespace: str, found: Sequence[ranking.Priority], seen: Survey) -> tuple[Priority, ...]:
        shown = {item.name: _latest(item.ids, seen.headers) for item in found}
        patterns = self._patterns(namespace, found)
        ids = {name for item in found for name in (*shown[item.name], patterns[item.name]) if name}
        memories = self._store.get(namespace, sorted(ids), vectors=False)
        return tuple(
            Priority(
                id=item.name,
                causes=tuple(memories[name] for name in shown[item.name] if name in memories),
                count=len(item.ids),
                pattern=_as_pattern(memories.get(patterns[item.name])),
                failures=item.failures,
                gained=item.gained,
                covered=item.covered,
            )
            for item in found
        )

    def _patterns(self, namespace: str, found: Sequence[ranking.Priority]) -> dict[str, str]:
        """The pattern in use over most root causes of each cluster, of equals the oldest; '' where there is none."""
        with self._indexes.current(namespace) as index:
            return {item.name: _pattern_over(item.ids, index.mirror) for item in found}


def _pattern_over(ids: Sequence[str], mirror: GraphMirror) -> str:
    counts = Counter(general for name in ids for general in mirror.generals(name))
    used = [name for name in counts if mirror.headers[name].state is State.ACTIVE]
    return min(used, key=lambda name: (-counts[name], name), default="")


def _as_pattern(memory: Memory | None) -> Pattern | None:
    return memory if isinstance(memory, Pattern) else None


def _latest(ids: Sequence[str], headers: Mapping[str, Header]) -> list[str]:
    ordered = sorted(ids, key=lambda name: (headers[name].occurred_at, name), reverse=True)
    return ordered[:SHOWN]
