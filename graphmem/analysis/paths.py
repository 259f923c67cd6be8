"""By which ways did causes lead to a failure, and which of them lie on every way."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import networkx as nx

from graphmem.analysis.cause_graph import SINK, open_ended
from graphmem.analysis.walks import Walk

MAX_PATHS = 5


def paths(walk: Walk, graph: nx.DiGraph[Any], limit: int = MAX_PATHS) -> list[tuple[tuple[str, ...], float]]:
    """The most probable paths from the asked node to a source, best first, with their probability in (0, 1].

    A path's probability is the product of its edges' confidences; the k best are Yen's loopless shortest paths
    on -log p (Yen 1971, networkx.shortest_simple_paths). Empty when the asked node is itself a source's only
    member, or every way was cut.
    """
    if SINK not in graph or not nx.has_path(graph, walk.start, SINK):
        return []
    found = islice(nx.shortest_simple_paths(graph, walk.start, SINK, weight="weight"), limit)
    return [
        (tuple(path[:-1]), math.exp(-nx.path_weight(graph, path, "weight")))
        for path in found
        if len(path) > 2
    ]


def on_every_path(walk: Walk, graph: nx.DiGraph[Any]) -> tuple[str, ...]:
    """Nodes without which no source reaches the asked node, nearest first: fixing one of them is enough.

    They are the dominators of the virtual node behind all sources, as seen from the asked node (Cooper, Harvey,
    Kennedy 2001, networkx.immediate_dominators). Behind a node at the cut there may be another source: what does not
    lie on the ways there too is left out. Empty when there is no source and no cut.
    """
    graph = open_ended(walk, graph)
    if SINK not in graph:
        return ()
    above = nx.immediate_dominators(graph, walk.start)
    always: list[str] = []
    node = above.get(SINK)
    while node is not None and node != walk.start:
        always.append(node)
        node = above.get(node)
    return tuple(reversed(always))
