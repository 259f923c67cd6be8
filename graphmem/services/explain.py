"""Why did this happen, and what followed from it: walks over the mirror of the cause graph."""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import datetime

from graphmem.analysis import roots
from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.joint_fix import joint_fix
from graphmem.analysis.paths import paths
from graphmem.analysis.walks import DEFAULT_HOPS, MAX_HOPS, Expand, Walk, walk
from graphmem.domain.answers import CausePath, Explanation, Impact, RankedCause, ScorePart
from graphmem.domain.causation import CauseEdge, Grade, cause_time
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, is_failure
from graphmem.domain.rules import check_namespace
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require

MAX_ROOTS = 20


class Explain:
    """Root causes along the arrows, damage against them."""

    def __init__(self, store: MemoryStore, indexes: IndexSet) -> None:
        self._store = store
        self._indexes = indexes

    def explain(
        self,
        namespace: str,
        memory_id: str,
        max_hops: int = DEFAULT_HOPS,
        limit: int = 5,
        min_grade: Grade = Grade.INFERRED,
    ) -> Explanation:
        """The bounded cause graph of a memory with its ranked roots and most probable paths.

        max_hops from 1 to 50, limit from 1 to 20. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        if not 1 <= limit <= MAX_ROOTS:
            raise BadInputError(f"must be from 1 to {MAX_ROOTS}", field="limit", remedy="e.g. 5")
        asked = require(self._store, namespace, memory_id)
        found, nodes = self._around(asked, max_hops, min_grade, Direction.CAUSES)
        times = {memory.id: began(memory) for memory in nodes.values()}
        failing = frozenset(memory.id for memory in nodes.values() if is_failure(memory))
        graph = cause_graph(found)
        ranked = roots.rank(found, graph, times, failing)
        others = sorted((node for node in nodes if node != asked.id), key=lambda node: (times[node], node))
        return Explanation(
            of=asked,
            root_causes=tuple(_ranked_cause(nodes[item.id], item) for item in ranked[:limit]),
            paths=tuple(CausePath(ids=ids, probability=p) for ids, p in paths(found, graph)),
            nodes=tuple(nodes.values()),
            edges=found.edges,
            joint_fix=joint_fix(found, graph),
            earliest=others[0] if others else asked.id,
            latest=others[-1] if others else asked.id,
            truncated=found.truncated,
            min_grade=min_grade,
        )

    def impact(self, namespace: str, memory_id: str, max_hops: int = DEFAULT_HOPS) -> Impact:
        """Everything that followed from a memory: its blast radius, nearest first.

        max_hops from 1 to 50. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        asked = require(self._store, namespace, memory_id)
        found, nodes = self._around(asked, max_hops, Grade.INFERRED, Direction.EFFECTS)
        followed = [memory for memory in nodes.values() if memory.id != asked.id]
        return Impact(
            of=asked,
            nodes=tuple(nodes.values()),
            edges=found.edges,
            failures=sum(1 for memory in followed if is_failure(memory)),
            tasks=len({memory.episode for memory in followed}),
            truncated=found.truncated,
        )

    def _around(
        self, asked: Memory, max_hops: int, min_grade: Grade, direction: Direction
    ) -> tuple[Walk, dict[str, Memory]]:
        """The walk and its memories in order of distance; what was removed meanwhile is walked around."""
        if not 1 <= max_hops <= MAX_HOPS:
            raise BadInputError(f"must be from 1 to {MAX_HOPS}", field="maxHops", remedy="walk in steps")
        gone: set[str] = set()
        while True:
            with self._indexes.current(asked.namespace) as index:
                found = walk(
                    asked.id,
                    _expand(index.mirror, direction, gone),
                    max_hops,
                    min_grade,
                    towards_causes=direction is Direction.CAUSES,
                )
            memories = {asked.id: asked} | self._store.get(asked.namespace, list(found.hops))
            lacking = found.hops.keys() - memories.keys()
            if not lacking:
                return found, {node: memories[node] for node in found.hops}
            gone |= lacking


def _expand(mirror: GraphMirror, direction: Direction, gone: Set[str]) -> Expand:
    """One hop in the mirror, past what is gone."""

    def hop(frontier: Sequence[str]) -> list[CauseEdge]:
        edges = mirror.expand(frontier, direction)
        return [edge for edge in edges if edge.effect_id not in gone and edge.cause_id not in gone]

    return hop


def began(memory: Memory) -> datetime:
    """When a memory began to act; a fact without valid_from from when it was recorded to have occurred."""
    return cause_time(memory) or memory.occurred_at


def _ranked_cause(memory: Memory, item: roots.Candidate) -> RankedCause:
    return RankedCause(
        memory=memory,
        score=round(item.score, 6),
        parts=(
            ScorePart(name="source", value=item.source),
            ScorePart(name="unrecovered", value=round(item.unrecovered, 6)),
            ScorePart(name="reach", value=round(item.reach, 6)),
        ),
        grade=item.grade,
        hops=item.hops,
        on_every_path=item.on_every_path,
    )
