"""What is odd in a cause graph: cycles, causes later than their effects, failures without a cause."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

import networkx as nx

from graphmem.domain.causation import LATENESS_ALLOWED_S, CauseEdge


def cycles(edges: Iterable[CauseEdge]) -> list[tuple[str, ...]]:
    """One cycle of every tangle of active edges, each node caused by the next and the last by the first.

    A tangle is a strongly connected component of two or more nodes, or a node that causes itself. Its cycle is
    a shortest one through its smallest id. Listing all cycles would be exponential; breaking the one given may
    leave another, found on the next call. Sorted; starts at the smallest id.
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_edges_from((edge.effect_id, edge.cause_id) for edge in edges if edge.active)
    tangles = (sorted(found) for found in nx.strongly_connected_components(graph))
    found = (
        _shortest_cycle(graph.subgraph(tangle), tangle[0]) for tangle in tangles if _turns(graph, tangle)
    )
    return sorted(found)


def time_violations(edges: Iterable[CauseEdge], allowed_s: float = LATENESS_ALLOWED_S) -> list[CauseEdge]:
    """Active edges whose cause is more than allowed_s seconds later than its effect, worst first."""
    late = [edge for edge in edges if edge.active and edge.lag_ms < -allowed_s * 1000]
    return sorted(late, key=lambda edge: (edge.lag_ms, edge.effect_id, edge.cause_id))


def orphans(failing: Iterable[str], edges: Iterable[CauseEdge]) -> list[str]:
    """Failures for which no cause is known (no active edge but to themselves), in the given order."""
    caused: Set[str] = {edge.effect_id for edge in edges if edge.active and edge.effect_id != edge.cause_id}
    return [node for node in failing if node not in caused]


def _turns(graph: nx.DiGraph[Any], tangle: list[str]) -> bool:
    return len(tangle) > 1 or graph.has_edge(tangle[0], tangle[0])


def _shortest_cycle(tangle: nx.DiGraph[Any], start: str) -> tuple[str, ...]:
    """Breadth first from start back to it."""
    if tangle.has_edge(start, start):
        return (start,)
    away = nx.single_source_shortest_path_length(tangle, start)
    before = min(sorted(tangle.predecessors(start)), key=away.__getitem__)
    return tuple(nx.shortest_path(tangle, start, before))
