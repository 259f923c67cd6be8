"""Which of the causes of a failure is its root, and by which paths it led there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import networkx as nx

from graphmem.analysis.walks import Walk
from graphmem.domain.causation import Grade

SINK = ""
"""A virtual node behind all sources; no memory has an empty id."""
MAX_PATHS = 5
TIE = 0.02
"""Weight of reach."""
MAX_CUT_NODES = 500
"""A minimum cut is a flow problem: it is left out on larger graphs."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible root with its score parts, each in [0, 1]. score: their sum."""

    id: str
    source: float
    unrecovered: float
    reach: float
    hops: int
    grade: Grade | None
    on_every_path: bool

    @property
    def score(self) -> float:
        """source + unrecovered: sources come before what they caused; reach breaks ties."""
        return self.source + self.unrecovered + TIE * self.reach


def cause_graph(walk: Walk) -> nx.DiGraph[Any]:
    """effect -> cause with weight -log(confidence); every source leads to SINK at no cost.

    A source has no cause of its own. Nodes at the cut of a truncated walk are no sources: their causes are
    unknown. In a cycle without a way out, its earliest-reached node stands for the source.
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(walk.hops)
    for edge in walk.edges:
        graph.add_edge(edge.effect_id, edge.cause_id, weight=-math.log(edge.confidence), grade=edge.grade)
    for component in list(nx.strongly_connected_components(graph)):
        leaves = any(target not in component for node in component for target in graph.successors(node))
        if leaves or component & walk.cut:
            continue
        graph.add_edge(min(component, key=lambda node: (walk.hops[node], node)), SINK, weight=0.0, grade=None)
    return graph


def rank(
    walk: Walk, graph: nx.DiGraph[Any], times: Mapping[str, datetime], failing: frozenset[str]
) -> list[Candidate]:
    """Candidates, best first; the asked node itself is one, nodes at the cut are none.

    source: 1 when nothing in the walk caused it. unrecovered: share of the asked span during which nothing
    else went wrong after it; the run never got back on its feet. reach: share of the failing nodes that it led
    to. Sources come first, whatever their dates say; ties go to the earlier one. times: when each node began
    to act; failing: ids of failures.
    """
    shares = _unrecovered(walk, times)
    grades = _best_grades(walk)
    always = _dominators(walk.start, graph)
    reach = _reach(graph, failing)
    sources = set(graph.predecessors(SINK)) if SINK in graph else set()
    ranked = [
        Candidate(
            id=node,
            source=float(node in sources),
            unrecovered=shares.get(node, 0.0),
            reach=reach.get(node, 0.0),
            hops=hops,
            grade=grades.get(node),
            on_every_path=node in always,
        )
        for node, hops in walk.hops.items()
        if node not in walk.cut
    ]
    return sorted(ranked, key=lambda item: (-item.source, -item.score, times[item.id], item.id))


def paths(walk: Walk, graph: nx.DiGraph[Any], limit: int = MAX_PATHS) -> list[tuple[tuple[str, ...], float]]:
    """The most probable paths from the asked node to a source, with their probability (Yen on -log p)."""
    if SINK not in graph or not nx.has_path(graph, walk.start, SINK):
        return []
    found = islice(nx.shortest_simple_paths(graph, walk.start, SINK, weight="weight"), limit)
    return [
        (tuple(path[:-1]), math.exp(-nx.path_weight(graph, path, "weight")))
        for path in found
        if len(path) > 2
    ]


def joint_fix(walk: Walk, graph: nx.DiGraph[Any]) -> tuple[str, ...]:
    """The smallest set of causes that cuts every path to a source (minimum node cut); () when there is none."""
    if SINK not in graph or len(graph) > MAX_CUT_NODES or graph.has_edge(walk.start, SINK):
        return ()
    return tuple(sorted(nx.minimum_node_cut(graph, walk.start, SINK)))


def _unrecovered(walk: Walk, times: Mapping[str, datetime]) -> dict[str, float]:
    """Per node the time until the next node of the walk, as a share of the whole span."""
    others: Sequence[str] = sorted(
        (node for node in walk.hops if node != walk.start), key=lambda n: (times[n], n)
    )
    if not others:
        return {}
    end = max(times[walk.start], times[others[-1]])
    span = (end - times[others[0]]).total_seconds()
    if span <= 0:
        return dict.fromkeys(others, 0.0)
    following = [times[node] for node in others[1:]] + [end]
    return {
        node: max(0.0, (until - times[node]).total_seconds()) / span
        for node, until in zip(others, following, strict=True)
    }


def _best_grades(walk: Walk) -> dict[str, Grade]:
    """Per node the weakest grade on its strongest path from the start (widest path)."""
    best: dict[str, Grade] = {}
    for wanted in sorted(Grade, reverse=True):
        reached = {walk.start}
        edges = [edge for edge in walk.edges if edge.grade is not None and edge.grade >= wanted]
        while fresh := {edge.cause_id for edge in edges if edge.effect_id in reached} - reached:
            reached |= fresh
        for node in reached - {walk.start}:
            best.setdefault(node, wanted)
    return best


def _dominators(start: str, graph: nx.DiGraph[Any]) -> set[str]:
    """Nodes on every path from the start to a source."""
    if SINK not in graph:
        return set()
    above = nx.immediate_dominators(graph, start)
    always: set[str] = set()
    node = above.get(SINK)
    while node is not None and node != start:
        always.add(node)
        node = above.get(node)
    return always


def _reach(graph: nx.DiGraph[Any], failing: frozenset[str]) -> dict[str, float]:
    """Per node the share of failing nodes that lie against the arrows from it, in one pass.

    Sets of failing nodes are bits of an integer, joined along a topological order of the components.
    """
    if not failing:
        return {}
    bit = {node: 1 << place for place, node in enumerate(sorted(failing))}
    components = nx.condensation(graph)
    behind: dict[int, int] = {}
    shares: dict[str, float] = {}
    for number in nx.topological_sort(components):
        members = components.nodes[number]["members"]
        bits = sum(bit.get(node, 0) for node in members)
        for effect in components.predecessors(number):
            bits |= behind[effect]
        behind[number] = bits
        shares |= {node: (bits & ~bit.get(node, 0)).bit_count() / len(failing) for node in members}
    return shares
