"""The bounded cause graph around one memory, with the memories as the store has or had them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphmem.analysis.edge_repair import Doubt, Habits
from graphmem.analysis.walks import MAX_HOPS, Walk, walk
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import Fact, Memory, is_failure
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from graphmem.services.cause_view import CauseView
from graphmem.services.causes import require
from graphmem.services.habits import HabitsOf
from graphmem.services.inferring import NOTHING, Inferred, infer
from graphmem.services.intake import Clock
from graphmem.services.past import memories_as_of
from graphmem.services.sources import Sources

ROUNDS = 3
"""How often an inferred edge may lead on to an episode that was not looked at before."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to walk, over which edges, which way, as of which transaction time, over facts valid at which time."""

    max_hops: int
    min_grade: Grade
    direction: Direction = Direction.CAUSES
    as_of: datetime | None = None
    valid_at: datetime | None = None


@dataclass(frozen=True)
class Around:
    """What was found. memories: of the walk, in order of distance. refuted: edges out of these that were left out.
    generals: patterns by the experience, strategies by the pattern, by id. origins: per memory the probability that the
    asked failure began with it, None where habits tell nothing. doubts: edges of the walk that habits hardly believe.
    too_wide: habits were not asked, since too much would have had to be read.
    """

    walk: Walk
    memories: dict[str, Memory]
    refuted: tuple[CauseEdge, ...] = ()
    generals: Mapping[str, Sequence[str]] = field(default_factory=dict)
    origins: Mapping[str, float] | None = None
    doubts: tuple[Doubt, ...] = ()
    too_wide: bool = False


class Surroundings:
    """Walks around memories."""

    def __init__(self, store: MemoryStore, sources: Sources, habits_of: HabitsOf, clock: Clock) -> None:
        self._store = store
        self._sources = sources
        self._habits_of = habits_of
        self._clock = clock

    def of(self, namespace: str, memory_id: str, bounds: Bounds) -> Around:
        """The walk from a memory; what was removed meanwhile, or not yet there, is walked around.

        Raises NotFoundError, BadInputError for maxHops.
        """
        asked = self._asked(namespace, memory_id, bounds)
        habits = self._habits(asked, bounds)
        gone: set[str] = set()
        while True:
            with self._sources.of(namespace) as source:
                view = CauseView(source, frozenset(gone), bounds.as_of)
                found, inferred = self._walked(asked.id, bounds, habits, view)
                refuted = [edge for edge in view.edges(list(found.hops)) if not edge.active]
                generals = _generals(view, found.hops)
            memories = {asked.id: asked} | self.held(namespace, list(found.hops), bounds, source.read)
            lacking = found.hops.keys() - memories.keys()
            if not lacking:
                in_order = {node: memories[node] for node in found.hops}
                walked = {(edge.effect_id, edge.cause_id) for edge in found.edges}
                doubts = [doubt for doubt in inferred.doubts if (doubt.effect_id, doubt.cause_id) in walked]
                return Around(
                    found,
                    in_order,
                    tuple(refuted),
                    generals,
                    inferred.origins,
                    tuple(doubts),
                    inferred.too_wide,
                )
            gone |= lacking

    def held(
        self, namespace: str, ids: Sequence[str], bounds: Bounds, read: Mapping[str, Memory] | None = None
    ) -> dict[str, Memory]:
        """Memories as of the time that the bounds name, without facts that did not hold at validAt.

        read: memories as they are now, by id, which need not be read again.
        """
        known = read or {}
        found = {name: known[name] for name in ids if name in known}
        if unread := [name for name in ids if name not in known]:
            found |= self._store.get(namespace, unread, vectors=False)
        if bounds.as_of is not None:
            found = memories_as_of(self._store, namespace, found, bounds.as_of)
        at = bounds.valid_at
        return {name: memory for name, memory in found.items() if at is None or _held_at(memory, at)}

    def _asked(self, namespace: str, memory_id: str, bounds: Bounds) -> Memory:
        if not 1 <= bounds.max_hops <= MAX_HOPS:
            raise BadInputError(f"must be from 1 to {MAX_HOPS}", field="max_hops", remedy="walk in steps")
        asked = require(self._store, namespace, memory_id)
        if bounds.as_of is None:
            return asked
        then = memories_as_of(self._store, namespace, {asked.id: asked}, bounds.as_of)
        if asked.id not in then:
            raise NotFoundError(
                f"{asked.ref} was recorded later", field="as_of", remedy="ask about a later time"
            )
        return then[asked.id]

    def _habits(self, asked: Memory, bounds: Bounds) -> Habits | None:
        wanted = bounds.direction is Direction.CAUSES and bounds.min_grade is Grade.INFERRED
        return self._habits_of(asked.namespace) if wanted and is_failure(asked) else None

    def _walked(
        self, asked: str, bounds: Bounds, habits: Habits | None, view: CauseView
    ) -> tuple[Walk, Inferred]:
        """The walk over stored edges, again with what is inferred in its episodes until it enters no other."""
        found, inferred = _walk(asked, bounds, view, {}), NOTHING
        if habits is None:
            return found, inferred
        at = self._clock()
        for _ in range(ROUNDS):
            episodes = view.source.episodes(found.hops)
            if episodes <= inferred.episodes:
                break
            guessed = infer(habits, view, asked, episodes, at)
            inferred = guessed if guessed.episodes else replace(inferred, too_wide=guessed.too_wide)
            if not guessed.episodes:
                break
            found = _walk(asked, bounds, view, inferred.edges)
        return found, inferred


def stated_part(found: Walk) -> Walk:
    """What is left of a walk towards causes without inferred edges; the walk itself where it has none."""
    if all(edge.grade is not Grade.INFERRED for edge in found.edges):
        return found
    effects: dict[str, list[CauseEdge]] = {}
    for edge in found.edges:
        effects.setdefault(edge.effect_id, []).append(edge)
    again = walk(
        found.start,
        lambda ids: [edge for name in ids for edge in effects.get(name, ())],
        max(found.hops.values()) + 1,
        Grade.TRACED,
    )
    return Walk(again.start, again.hops, again.edges, again.cut | found.cut & again.hops.keys())


def _walk(asked: str, bounds: Bounds, view: CauseView, beside: Mapping[str, Sequence[CauseEdge]]) -> Walk:
    expand = view.expand(bounds.direction, beside)
    return walk(asked, expand, bounds.max_hops, bounds.min_grade, bounds.direction is Direction.CAUSES)


def _generals(view: CauseView, walked: Iterable[str]) -> dict[str, list[str]]:
    over = view.generals(walked)
    patterns = {pattern for names in over.values() for pattern in names}
    return over | view.generals(sorted(patterns - over.keys()))


def _held_at(memory: Memory, at: datetime) -> bool:
    if not isinstance(memory, Fact):
        return True
    began = memory.valid_from is None or memory.valid_from <= at
    return began and (memory.valid_to is None or at < memory.valid_to)
