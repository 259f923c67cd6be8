"""Which causes must be fixed together so that a failure loses all of its causes."""

from __future__ import annotations

from typing import Any

import networkx as nx

from graphmem.analysis.cause_graph import SINK, open_ended
from graphmem.analysis.walks import Walk

MAX_CUT_NODES = 500
"""A minimum cut is a flow problem: it is left out on larger graphs."""


def joint_fix(walk: Walk, graph: nx.DiGraph[Any]) -> tuple[str, ...]:
    """The smallest set of causes that cuts every path to a source, and to the nodes at the cut; () when there is none.

    A minimum node cut between the asked node and the virtual node behind all sources (Menger 1927; maximum flow
    by networkx.minimum_node_cut, Esfahanian 2013). Of several smallest sets one is given. There is none when
    the asked node is itself a source or at the cut, or above MAX_CUT_NODES nodes with the virtual one.
    """
    if len(walk.hops) >= MAX_CUT_NODES:
        return ()
    graph = open_ended(walk, graph)
    if SINK not in graph or graph.has_edge(walk.start, SINK):
        return ()
    if not nx.has_path(graph, walk.start, SINK):
        return ()
    return tuple(sorted(nx.minimum_node_cut(graph, walk.start, SINK)))
