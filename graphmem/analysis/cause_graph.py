"""A bounded walk as a weighted graph from an effect to the sources of its causes."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

from graphmem.analysis.walks import Walk

SINK = ""
"""A virtual node behind all sources; no memory has an empty id."""


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


def open_ended(walk: Walk, graph: nx.DiGraph[Any]) -> nx.DiGraph[Any]:
    """The graph in which a source may lie behind every node at the cut, since nobody looked there.

    What stops every path of it stops every path of the whole, however the graph goes on.
    """
    if not walk.cut:
        return graph
    wider = graph.copy()
    wider.add_edges_from(((node, SINK) for node in walk.cut), weight=0.0, grade=None)
    return wider


def sources_of(graph: nx.DiGraph[Any]) -> set[str]:
    """Nodes that stand for what nothing caused."""
    return set(graph.predecessors(SINK)) if SINK in graph else set()
