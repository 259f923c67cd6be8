"""Do two failures share a cause, and is that why they occur together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import networkx as nx

from graphmem.domain.causation import CauseEdge
from graphmem.domain.overview import Relation


@dataclass(frozen=True, slots=True)
class CommonCauses:
    """What two memories share. nearest: shared causes behind which lie all others; shared: all of them.

    confounded: they occur together at least partly because of a shared cause, not because one led to the other.
    """

    nearest: tuple[str, ...]
    shared: frozenset[str]
    relation: Relation
    confounded: bool


def common_causes(edges: Iterable[CauseEdge], first: str, second: str) -> CommonCauses:
    """Compares the causes of two different memories in a bounded graph (both walks' edges joined).

    nearest are the lowest common ancestors: shared causes with no other shared cause between them and the two
    (Bender et al. 2005, for graphs with cycles over strongly connected components). confounded: some cause
    reaches each of the two without passing through the other, an open back door (Pearl 2009, section 3.3).
    Refuted edges are left out; the two themselves are no shared causes.
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from((first, second))
    graph.add_edges_from((edge.effect_id, edge.cause_id) for edge in edges if edge.active)
    causes = nx.descendants(graph, first)
    others = nx.descendants(graph, second)
    shared = frozenset((causes & others) - {first, second})
    return CommonCauses(
        nearest=_nearest(graph, shared),
        shared=shared,
        relation=_relation(second in causes, first in others),
        confounded=bool(_around(graph, first, second) & _around(graph, second, first)),
    )


def _around(graph: nx.DiGraph[Any], start: str, avoided: str) -> set[str]:
    """Causes of start that lead to it without passing through avoided."""
    return set(nx.descendants(nx.restricted_view(graph, [avoided], []), start))


def _nearest(graph: nx.DiGraph[Any], shared: frozenset[str]) -> tuple[str, ...]:
    """Shared nodes that no other shared node was caused by; of a cycle all members."""
    components = nx.condensation(graph.subgraph(shared))
    found = (components.nodes[number]["members"] for number in components if not components.in_degree(number))
    return tuple(sorted(node for members in found for node in members))


def _relation(led_by_second: bool, led_by_first: bool) -> Relation:
    if led_by_second and led_by_first:
        return Relation.CYCLE
    if led_by_first:
        return Relation.CAUSES
    return Relation.CAUSED_BY if led_by_second else Relation.APART
