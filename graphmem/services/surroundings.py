"""The bounded cause graph around one memory: walked in the mirror, with the memories as the store has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from graphmem.analysis.edge_repair import Habits
from graphmem.analysis.walks import MAX_HOPS, Expand, Walk, walk
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, is_failure
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from graphmem.services.habits import HabitsOf
from graphmem.services.inferring import NOTHING, Inferred, infer
from graphmem.services.intake import Clock

ROUNDS = 3
"""How often an inferred edge may lead on to an episode that was not looked at before."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to walk, over which edges, and which way."""

    max_hops: int
    min_grade: Grade
    direction: Direction = Direction.CAUSES


@dataclass(frozen=True)
class Around:
    """What was found. memories: of the walk, in order of distance. origins: per memory the probability that the asked
    failure began with it, None where habits tell nothing.
    """

    walk: Walk
    memories: dict[str, Memory]
    origins: Mapping[str, float] | None = None


class Surroundings:
    """Walks around memories."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, habits_of: HabitsOf, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._habits_of = habits_of
        self._clock = clock

    def of(self, asked: Memory, bounds: Bounds) -> Around:
        """The walk from a memory; what was removed meanwhile is walked around. Raises BadInputError for maxHops."""
        if not 1 <= bounds.max_hops <= MAX_HOPS:
            raise BadInputError(f"must be from 1 to {MAX_HOPS}", field="maxHops", remedy="walk in steps")
        habits = self._habits(asked, bounds)
        gone: set[str] = set()
        while True:
            with self._indexes.current(asked.namespace) as index:
                found, inferred = self._walked(asked.id, bounds, habits, _Seen(index.mirror, gone))
            memories = {asked.id: asked} | self._store.get(asked.namespace, list(found.hops))
            lacking = found.hops.keys() - memories.keys()
            if not lacking:
                return Around(found, {node: memories[node] for node in found.hops}, inferred.origins)
            gone |= lacking

    def _habits(self, asked: Memory, bounds: Bounds) -> Habits | None:
        wanted = bounds.direction is Direction.CAUSES and bounds.min_grade is Grade.INFERRED
        return self._habits_of(asked.namespace) if wanted and is_failure(asked) else None

    def _walked(
        self, asked: str, bounds: Bounds, habits: Habits | None, seen: _Seen
    ) -> tuple[Walk, Inferred]:
        """The walk over stored edges, again with what is inferred in its episodes until it enters no other."""
        found, inferred = _walk(asked, bounds, seen.expand(bounds.direction, {})), NOTHING
        if habits is None:
            return found, inferred
        at = self._clock()
        for _ in range(ROUNDS):
            guessed = infer(habits, seen.mirror, asked, found.hops, at)
            if guessed.episodes <= inferred.episodes:
                break
            inferred = guessed
            found = _walk(asked, bounds, seen.expand(bounds.direction, inferred.edges))
        return found, inferred


@dataclass(frozen=True, slots=True)
class _Seen:
    """The mirror without what is gone."""

    mirror: GraphMirror
    gone: Set[str]

    def expand(self, direction: Direction, beside: Mapping[str, Sequence[CauseEdge]]) -> Expand:
        """One hop over stored edges and those beside them, by effect."""

        def hop(frontier: Sequence[str]) -> list[CauseEdge]:
            stored = self.mirror.expand(frontier, direction)
            return [edge for edge in (*stored, *_of(frontier, beside)) if not self._leaves(edge)]

        return hop

    def _leaves(self, edge: CauseEdge) -> bool:
        return edge.effect_id in self.gone or edge.cause_id in self.gone


def stated_part(found: Walk) -> Walk:
    """What is left of a walk towards causes without inferred edges."""
    effects: dict[str, list[CauseEdge]] = {}
    for edge in found.edges:
        effects.setdefault(edge.effect_id, []).append(edge)
    again = walk(found.start, lambda ids: list(_of(ids, effects)), max(found.hops.values()) + 1, Grade.TRACED)
    return Walk(again.start, again.hops, again.edges, again.cut | found.cut & again.hops.keys())


def _walk(asked: str, bounds: Bounds, expand: Expand) -> Walk:
    towards_causes = bounds.direction is Direction.CAUSES
    return walk(asked, expand, bounds.max_hops, bounds.min_grade, towards_causes=towards_causes)


def _of(ids: Sequence[str], edges: Mapping[str, Sequence[CauseEdge]]) -> Iterable[CauseEdge]:
    return (edge for name in ids for edge in edges.get(name, ()))
