"""Which of the causes of a failure is its root."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from heapq import heappop, heappush
from typing import Any

import networkx as nx

from graphmem.analysis.blast_radius import blast_radii
from graphmem.analysis.cause_graph import sources_of
from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.paths import on_every_path
from graphmem.analysis.walks import Walk
from graphmem.domain.causation import Grade

TIE = 0.02
"""Weight of reach."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible root with its score parts, each in [0, 1]."""

    id: str
    source: float
    unrecovered: float
    reach: float
    confidence: float
    hops: int
    grade: Grade | None
    on_every_path: bool

    @property
    def score(self) -> float:
        """confidence x (source + unrecovered): what is hardly believed is hardly the root; reach breaks ties."""
        return self.confidence * (self.source + self.unrecovered + TIE * self.reach)


def rank(
    walk: Walk,
    graph: nx.DiGraph[Any],
    times: Mapping[str, datetime],
    failing: frozenset[str],
    origins: Mapping[str, float] | None = None,
    always: Collection[str] | None = None,
    run: Set[str] | None = None,
) -> list[Candidate]:
    """Candidates, best first; the asked node itself is one, nodes at the cut are none.

    source: 1 when nothing in the walk caused it. unrecovered: share of the asked span during which nothing
    else went wrong after it; the run never got back on its feet. reach: share of the failing nodes that it led
    to. confidence: of the weakest edge on its surest path. Sources come first, whatever their dates say; ties
    go to the earlier one. times: when each node began to act; failing: ids of failures. origins: where enough
    history is known, the probability that the failure began with a node (origins of edge_repair), in place of
    source. always: the nodes on every path, where they are known already. run: the nodes that are not of another
    task than the asked one, where its task is known: between two tasks nothing goes wrong for days for other
    reasons, so that those of another one are not unrecovered.
    """
    shares = _unrecovered(walk, times, run)
    grades = _best_grades(walk)
    confidences = _surest(walk)
    always = set(on_every_path(walk, graph) if always is None else always)
    reach = _reach(walk, failing)
    began = dict.fromkeys(sources_of(graph), 1.0) if origins is None else origins
    ranked = [
        Candidate(
            id=node,
            source=began.get(node, 0.0),
            unrecovered=shares.get(node, 0.0),
            reach=reach.get(node, 0.0),
            confidence=confidences[node],
            hops=hops,
            grade=grades.get(node),
            on_every_path=node in always,
        )
        for node, hops in walk.hops.items()
        if node not in walk.cut
    ]
    return sorted(ranked, key=lambda item: (-item.source, -item.score, times[item.id], item.id))


def _unrecovered(walk: Walk, times: Mapping[str, datetime], run: Set[str] | None) -> dict[str, float]:
    """Per node of the run the time until the next one of it in the walk, as a share of the whole span."""
    others: Sequence[str] = sorted(
        (node for node in walk.hops if node != walk.start and (run is None or node in run)),
        key=lambda n: (times[n], n),
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
    graded = [(edge.effect_id, edge.cause_id, edge.grade) for edge in walk.edges]
    best: dict[str, Grade] = {}
    for wanted in sorted({grade for _, _, grade in graded if grade is not None}, reverse=True):
        edges = [(effect, cause) for effect, cause, grade in graded if grade is not None and grade >= wanted]
        reached = {walk.start}
        while fresh := {cause for effect, cause in edges if effect in reached} - reached:
            reached |= fresh
        for node in reached - {walk.start}:
            best.setdefault(node, wanted)
    return best


def _surest(walk: Walk) -> dict[str, float]:
    """Per node the least confidence on the path from the start on which it is greatest (widest path, Pollack 1960)."""
    causes: dict[str, list[tuple[str, float]]] = {}
    for edge in walk.edges:
        causes.setdefault(edge.effect_id, []).append((edge.cause_id, edge.confidence))
    best: dict[str, float] = {}
    ways = [(-1.0, walk.start)]
    while ways:
        negated, node = heappop(ways)
        if node in best:
            continue
        best[node] = -negated
        for cause, confidence in causes.get(node, ()):
            if cause not in best:
                heappush(ways, (max(negated, -confidence), cause))
    return best


def _reach(walk: Walk, failing: frozenset[str]) -> dict[str, float]:
    """Per node the share of failing nodes that lie against the arrows from it."""
    if not failing:
        return {}
    order = CauseOrder(walk.hops, ((edge.effect_id, edge.cause_id) for edge in walk.edges))
    return {node: count / len(failing) for node, count in blast_radii(order, failing).items()}
