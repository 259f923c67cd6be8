"""Why did this happen, and what followed from it: walks over the mirror of the cause graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx

from graphmem.analysis import roots
from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.joint_fix import joint_fix
from graphmem.analysis.paths import paths
from graphmem.analysis.walks import DEFAULT_HOPS, Walk
from graphmem.domain.answers import Impact
from graphmem.domain.causation import Grade
from graphmem.domain.errors import BadInputError
from graphmem.domain.explanations import CausePath, Explanation, RankedCause, ScorePart
from graphmem.domain.memories import Memory, is_failure
from graphmem.domain.rules import check_namespace
from graphmem.index.index_set import IndexSet
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import began, require
from graphmem.services.habits import HabitsOf
from graphmem.services.intake import Clock
from graphmem.services.surroundings import Bounds, Surroundings, stated_part

MAX_ROOTS = 20


class Explain:
    """Root causes along the arrows, damage against them."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, clock: Clock) -> None:
        self._store = store
        self._surroundings = Surroundings(store, indexes, HabitsOf(indexes), clock)

    def explain(
        self,
        namespace: str,
        memory_id: str,
        max_hops: int = DEFAULT_HOPS,
        limit: int = 5,
        min_grade: Grade = Grade.INFERRED,
    ) -> Explanation:
        """The bounded cause graph of a memory with its ranked roots and most probable paths.

        max_hops from 1 to 50, limit from 1 to 20. At the grade INFERRED, edges that the habits of a namespace of
        at least 100 episodes propose are walked too, and roots are ranked by the probability that the failure began
        with them. Nothing is written. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        if not 1 <= limit <= MAX_ROOTS:
            raise BadInputError(f"must be from 1 to {MAX_ROOTS}", field="limit", remedy="e.g. 5")
        asked = require(self._store, namespace, memory_id)
        around = self._surroundings.of(asked, Bounds(max_hops, min_grade))
        found, nodes = around.walk, around.memories
        graph = cause_graph(found)
        ranked = _ranked(found, graph, nodes, around.origins)
        stated = stated_part(found)
        others = sorted(
            (node for node in nodes if node != asked.id), key=lambda node: (began(nodes[node]), node)
        )
        return Explanation(
            of=asked,
            root_causes=tuple(
                _ranked_cause(nodes[item.id], item, around.origins is not None) for item in ranked[:limit]
            ),
            paths=tuple(CausePath(ids=ids, probability=p) for ids, p in paths(found, graph)),
            nodes=tuple(nodes.values()),
            edges=found.edges,
            joint_fix=joint_fix(found, graph),
            earliest=others[0] if others else asked.id,
            latest=others[-1] if others else asked.id,
            only_inferred=tuple(node for node in found.hops if node not in stated.hops),
            stated_root=next((item.id for item in _ranked(stated, cause_graph(stated), nodes)), ""),
            truncated=found.truncated,
            min_grade=min_grade,
        )

    def impact(self, namespace: str, memory_id: str, max_hops: int = DEFAULT_HOPS) -> Impact:
        """Everything that followed from a memory: its blast radius, nearest first.

        max_hops from 1 to 50. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        asked = require(self._store, namespace, memory_id)
        around = self._surroundings.of(asked, Bounds(max_hops, Grade.INFERRED, Direction.EFFECTS))
        followed = [memory for memory in around.memories.values() if memory.id != asked.id]
        return Impact(
            of=asked,
            nodes=tuple(around.memories.values()),
            edges=around.walk.edges,
            failures=sum(1 for memory in followed if is_failure(memory)),
            tasks=len({memory.episode for memory in followed}),
            truncated=around.walk.truncated,
        )


def _ranked(
    found: Walk,
    graph: nx.DiGraph[Any],
    nodes: Mapping[str, Memory],
    origins: Mapping[str, float] | None = None,
) -> list[roots.Candidate]:
    times = {node: began(nodes[node]) for node in found.hops}
    failing = frozenset(node for node in found.hops if is_failure(nodes[node]))
    return roots.rank(found, graph, times, failing, origins)


def _ranked_cause(memory: Memory, item: roots.Candidate, by_habit: bool) -> RankedCause:
    return RankedCause(
        memory=memory,
        score=round(item.score, 6),
        parts=(
            ScorePart(name="origin" if by_habit else "source", value=round(item.source, 6)),
            ScorePart(name="unrecovered", value=round(item.unrecovered, 6)),
            ScorePart(name="reach", value=round(item.reach, 6)),
        ),
        grade=item.grade,
        hops=item.hops,
        on_every_path=item.on_every_path,
    )
