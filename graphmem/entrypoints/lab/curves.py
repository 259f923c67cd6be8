"""How much of all failures a few causes cover, in our order and in two that cost nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import networkx as nx
import pandas as pd

from graphmem.domain.causation import EdgeKind
from graphmem.domain.overview import Priorities
from graphmem.entrypoints.library import GraphMemory

ORDERS = 50
"""Orders by chance whose mean is shown."""


def priorities(found: Priorities) -> pd.DataFrame:
    """One row a cause, the one to mend first on top; ref: its latest root; cause: the class of that, else its title."""
    return pd.DataFrame(
        [
            {
                "ref": item.causes[0].ref,
                "cause": getattr(item.causes[0], "error_type", "") or item.causes[0].title,
                "roots": item.count,
                "failures": item.failures,
                "gained": item.gained,
                "covered": item.covered,
            }
            for item in found.items
        ],
        columns=["ref", "cause", "roots", "failures", "gained", "covered"],
    )


def coverage_curves(memory: GraphMemory, causes: int) -> pd.DataFrame:
    """Share of all failures covered by the first 1, 2, ... causes of three orders, for at most so many causes.

    A cause: the root causes of one cluster. Orders: ours, most failures of that cluster first, by chance (mean of
    ORDERS).
    """
    reach, frequent, failures = _reach(memory)
    own = [item.covered for item in memory.priorities(limit=causes).items]
    places = range(min(causes, len(own), len(reach)))
    orders = [random.Random(seed).sample(sorted(reach), len(reach)) for seed in range(ORDERS)]
    drawn = [_curve(order[: len(places)], reach, failures) for order in orders]
    return pd.DataFrame(
        {
            "graphmem": own[: len(places)],
            "most frequent class": _curve(frequent[: len(places)], reach, failures),
            "by chance": [sum(curve[place] for curve in drawn) / ORDERS for place in places],
        },
        index=pd.Index([place + 1 for place in places], name="causes"),
    )


def _reach(memory: GraphMemory) -> tuple[dict[str, set[str]], list[str], int]:
    """Failures that each cluster's root causes lead to; clusters by how many failures they hold; all failures."""
    graph = memory.graph()
    causes = nx.DiGraph(
        (cause, effect) for effect, cause, kind in graph.edges(keys=True) if kind == EdgeKind.CAUSED_BY.value
    )
    failing = {node for node, data in graph.nodes(data=True) if data["failed"]}
    causes.add_nodes_from(failing)
    cluster = {node: graph.nodes[node].get("cluster_id") or node for node in causes}
    reach: dict[str, set[str]] = {}
    for node in (node for node in causes if not causes.in_degree(node)):
        found = ({node} | nx.descendants(causes, node)) & failing
        reach.setdefault(cluster[node], set()).update(found)
    counted = Counter(dict.fromkeys(reach, 0))  # a fact, too, is a root, and holds no failure
    counted.update(cluster[node] for node in failing if cluster[node] in reach)
    return (
        reach,
        [name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))],
        len(failing),
    )


def _curve(order: Sequence[str], reach: Mapping[str, set[str]], failures: int) -> list[float]:
    covered: set[str] = set()
    curve = []
    for name in order:
        covered |= reach[name]
        curve.append(len(covered) / failures)
    return curve
