"""Why did this happen, and what followed from it: walks over the cause graph."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from graphmem.analysis.walks import DEFAULT_HOPS
from graphmem.domain.answers import Impact
from graphmem.domain.causation import Grade
from graphmem.domain.errors import BadInputError
from graphmem.domain.explanations import DoubtedCause, Explanation, RefutedCause
from graphmem.domain.memories import Pattern, Strategy, is_failure
from graphmem.domain.rules import check_namespace, check_time
from graphmem.index.index_set import IndexSet
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from graphmem.services.habits import HabitsOf
from graphmem.services.intake import Clock
from graphmem.services.lessons_over import lessons_over
from graphmem.services.ranking import explained
from graphmem.services.sources import Sources
from graphmem.services.surroundings import Around, Bounds, Surroundings

MAX_ROOTS = 20


class Explain:
    """Root causes along the arrows, damage against them."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, clock: Clock) -> None:
        sources = Sources(store, indexes)
        self._surroundings = Surroundings(store, sources, HabitsOf(sources), clock)

    def explain(
        self,
        namespace: str,
        memory_id: str,
        max_hops: int = DEFAULT_HOPS,
        limit: int = 5,
        min_grade: Grade = Grade.INFERRED,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Explanation:
        """The bounded cause graph of a memory with its ranked roots, most probable paths, and lessons over it.

        max_hops from 1 to 50, limit from 1 to 20. At the grade INFERRED, edges that the habits of a namespace of
        at least 100 episodes propose are walked too, roots are ranked by the probability that the failure began
        with them, and stated edges that habits hardly believe are told. as_of: memories, edges and verdicts as they
        stood at that transaction time, ranked by the habits of today; what was erased since stays erased. valid_at:
        without facts that did not hold then. Nothing is written, and nothing is loaded: where no index is in memory,
        the store is walked. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        if not 1 <= limit <= MAX_ROOTS:
            raise BadInputError(f"must be from 1 to {MAX_ROOTS}", field="limit", remedy="e.g. 5")
        bounds = Bounds(
            max_hops,
            min_grade,
            as_of=None if as_of is None else check_time("as_of", as_of),
            valid_at=None if valid_at is None else check_time("valid_at", valid_at),
        )
        around = self._surroundings.of(namespace, memory_id, bounds)
        patterns, strategies = self._lessons(namespace, around, bounds)
        return replace(
            explained(around, limit),
            refuted=self._refuted(namespace, around, bounds),
            doubted=self._doubted(namespace, around, bounds),
            not_inferred=around.too_wide,
            patterns=patterns,
            strategies=strategies,
            min_grade=min_grade,
            as_of=bounds.as_of,
            valid_at=bounds.valid_at,
        )

    def impact(self, namespace: str, memory_id: str, max_hops: int = DEFAULT_HOPS) -> Impact:
        """Everything that followed from a memory: its blast radius, nearest first.

        max_hops from 1 to 50. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        bounds = Bounds(max_hops, Grade.INFERRED, Direction.EFFECTS)
        around = self._surroundings.of(namespace, memory_id, bounds)
        asked = around.memories[around.walk.start]
        followed = [memory for memory in around.memories.values() if memory.id != asked.id]
        return Impact(
            of=asked,
            nodes=tuple(around.memories.values()),
            edges=around.walk.edges,
            failures=sum(1 for memory in followed if is_failure(memory)),
            tasks=len({memory.episode for memory in followed}),
            truncated=around.walk.truncated,
        )

    def _lessons(
        self, namespace: str, around: Around, bounds: Bounds
    ) -> tuple[tuple[Pattern, ...], tuple[Strategy, ...]]:
        names = {name for above in around.generals.values() for name in above}
        held = self._surroundings.held(namespace, sorted(names), bounds) if names else {}
        return lessons_over(around.walk.hops, around.generals, held)

    def _refuted(self, namespace: str, around: Around, bounds: Bounds) -> tuple[RefutedCause, ...]:
        causes = sorted({edge.cause_id for edge in around.refuted})
        held = self._surroundings.held(namespace, causes, bounds) if causes else {}
        return tuple(
            RefutedCause(edge=edge, memory=held[edge.cause_id])
            for edge in around.refuted
            if edge.cause_id in held
        )

    def _doubted(self, namespace: str, around: Around, bounds: Bounds) -> tuple[DoubtedCause, ...]:
        edges = {(edge.effect_id, edge.cause_id): edge for edge in around.walk.edges}
        others = {doubt.instead for doubt in around.doubts if doubt.instead} - around.memories.keys()
        held = around.memories | (
            self._surroundings.held(namespace, sorted(others), bounds) if others else {}
        )
        return tuple(
            DoubtedCause(
                edge=edges[doubt.effect_id, doubt.cause_id],
                memory=held[doubt.cause_id],
                probability=round(doubt.probability, 6),
                instead=held.get(doubt.instead) if doubt.instead else None,
            )
            for doubt in around.doubts
        )
