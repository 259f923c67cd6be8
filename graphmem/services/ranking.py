"""From a walk to an explanation: what the graph alone tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from graphmem.analysis import roots
from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.joint_fix import joint_fix
from graphmem.analysis.paths import on_every_path, paths
from graphmem.analysis.walks import Walk
from graphmem.domain.explanations import CausePath, Explanation, RankedCause, ScorePart
from graphmem.domain.memories import Memory, is_failure
from graphmem.services.causes import began
from graphmem.services.surroundings import Around, stated_part


def explained(around: Around, limit: int) -> Explanation:
    """Roots, paths, fixes and baselines of a walk towards causes. limit: how many roots are told."""
    found, nodes = around.walk, around.memories
    graph = cause_graph(found)
    always = on_every_path(found, graph)
    ranked = _ranked(found, graph, nodes, around.origins, always)
    stated, by_stated = stated_part(found), ranked
    if stated is not found or around.origins is not None:
        by_stated = _ranked(stated, graph if stated is found else cause_graph(stated), nodes)
    others = sorted(nodes.keys() - {found.start}, key=lambda node: (began(nodes[node]), node))
    return Explanation(
        of=nodes[found.start],
        root_causes=tuple(
            _ranked_cause(nodes[item.id], item, around.origins is not None) for item in ranked[:limit]
        ),
        paths=_paths(found, graph, nodes),
        nodes=tuple(nodes.values()),
        edges=found.edges,
        joint_fix=tuple(sorted(joint_fix(found, graph), key=lambda node: (began(nodes[node]), node))),
        on_every_path=always,
        earliest=others[0] if others else found.start,
        latest=others[-1] if others else found.start,
        only_inferred=tuple(node for node in found.hops if node not in stated.hops),
        stated_root=next((item.id for item in by_stated), ""),
        truncated=found.truncated,
    )


def _paths(found: Walk, graph: nx.DiGraph[Any], nodes: Mapping[str, Memory]) -> tuple[CausePath, ...]:
    """The most probable ones, of equals those from the earliest root first."""
    told = [CausePath(ids=ids, probability=p) for ids, p in paths(found, graph)]
    return tuple(
        sorted(told, key=lambda path: (-round(path.probability, 9), began(nodes[path.ids[-1]]), path.ids))
    )


def _ranked(
    found: Walk,
    graph: nx.DiGraph[Any],
    nodes: Mapping[str, Memory],
    origins: Mapping[str, float] | None = None,
    always: Sequence[str] | None = None,
) -> list[roots.Candidate]:
    times = {node: began(nodes[node]) for node in found.hops}
    failing = frozenset(node for node in found.hops if is_failure(nodes[node]))
    return roots.rank(found, graph, times, failing, origins, always, _run(nodes[found.start], nodes))


def _run(asked: Memory, nodes: Mapping[str, Memory]) -> frozenset[str] | None:
    """Ids of what is not of another task or session than the asked memory; None where it names none itself."""
    if asked.episode == asked.id:
        return None
    return frozenset(node for node, memory in nodes.items() if memory.episode in (asked.episode, node))


def _ranked_cause(memory: Memory, item: roots.Candidate, by_habit: bool) -> RankedCause:
    return RankedCause(
        memory=memory,
        score=round(item.score, 6),
        parts=(
            ScorePart(name="origin" if by_habit else "source", value=round(item.source, 6)),
            ScorePart(name="unrecovered", value=round(item.unrecovered, 6)),
            ScorePart(name="reach", value=round(item.reach, 6)),
            ScorePart(name="confidence", value=round(item.confidence, 6)),
        ),
        grade=item.grade,
        hops=item.hops,
        on_every_path=item.on_every_path,
    )
