"""Bounded walks over cause edges, one hop at a time, whoever supplies the hops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphmem.domain.causation import CauseEdge, Grade

MAX_HOPS = 50
"""Agents repeat themselves: chains of dozens of failures are real. MAX_NODES bounds the work."""
DEFAULT_HOPS = MAX_HOPS
"""A root that lies behind the bound is not found, and is not missed by who does not know that it is there."""
MAX_NODES = 1_000

Expand = Callable[[Sequence[str]], Sequence[CauseEdge]]
"""Cause edges one hop away from the given ids."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found. hops: id -> distance from the start (0). cut: ids whose next hop was not taken."""

    start: str
    hops: dict[str, int]
    edges: tuple[CauseEdge, ...]
    cut: frozenset[str]

    @property
    def truncated(self) -> bool:
        """Whether a bound stopped the walk."""
        return bool(self.cut)


def walk(start: str, expand: Expand, max_hops: int, min_grade: Grade, towards_causes: bool = True) -> Walk:
    """Breadth first along active edges of at least min_grade; cycles end by themselves, each node once.

    Bounded by max_hops (1 to MAX_HOPS by the doors) and MAX_NODES.
    """
    hops = {start: 0}
    edges: dict[tuple[str, str], CauseEdge] = {}
    frontier, distance = [start], 0
    cut: set[str] = set()
    while frontier:
        reached: list[str] = []
        for edge in _passable(expand(frontier), min_grade):
            here, there = (
                (edge.effect_id, edge.cause_id) if towards_causes else (edge.cause_id, edge.effect_id)
            )
            if there not in hops:
                if distance >= max_hops or len(hops) >= MAX_NODES:
                    cut.add(here)
                    continue
                hops[there] = distance + 1
                reached.append(there)
            edges[edge.effect_id, edge.cause_id] = edge
        frontier, distance = reached, distance + 1
    return Walk(start, hops, tuple(edges.values()), frozenset(cut))


def _passable(edges: Sequence[CauseEdge], min_grade: Grade) -> list[CauseEdge]:
    passable = [edge for edge in edges if edge.grade is not None and edge.grade >= min_grade]
    return sorted(passable, key=lambda edge: (edge.effect_id, edge.cause_id))
