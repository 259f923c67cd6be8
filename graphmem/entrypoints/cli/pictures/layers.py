"""Where the nodes of a cause graph stand in a picture: the effect on top, each cause in a layer below what it led to.

A layered drawing in the manner of Sugiyama, Tagawa, Toda 1981: layers by the longest way down, long edges routed
through every layer between, few crossings by the mean place of the neighbours above and below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Pair = tuple[str, str]
"""(effect, cause)."""
SWEEPS = 8


@dataclass(frozen=True)
class Layers:
    """rows: per layer from the top its places, each a node or a bend of a long edge. bends: the places that an edge
    passes, its ends included. upwards: edges of cycles that run against the layers; they have no bends.
    """

    rows: tuple[tuple[str, ...], ...]
    bends: Mapping[Pair, tuple[str, ...]]
    upwards: frozenset[Pair]


def layers(top: str, nodes: Sequence[str], edges: Iterable[Pair]) -> Layers:
    """Layers for nodes in order of distance from the top. Edges that close a cycle are left out of the order."""
    order = _without_cycles(top, nodes, edges)
    depth = _depths(nodes, order.down)
    rows: dict[int, list[str]] = defaultdict(list)
    for node in nodes:
        rows[depth[node]].append(node)
    bends: dict[Pair, tuple[str, ...]] = {}
    for effect, cause in order.down:
        between = [f"{effect}\n{cause}\n{row}" for row in range(depth[effect] + 1, depth[cause])]
        for row, bend in enumerate(between, start=depth[effect] + 1):
            rows[row].append(bend)
        bends[effect, cause] = (effect, *between, cause)
    return Layers(_uncrossed([rows[row] for row in sorted(rows)], bends), bends, order.upwards)


@dataclass(frozen=True)
class _Order:
    down: tuple[Pair, ...]
    upwards: frozenset[Pair]


def _without_cycles(top: str, nodes: Sequence[str], edges: Iterable[Pair]) -> _Order:
    """Depth first from the top: an edge back to where the walk came from closes a cycle."""
    causes: dict[str, list[str]] = defaultdict(list)
    place = {node: number for number, node in enumerate(nodes)}
    for effect, cause in sorted(set(edges), key=lambda pair: (place[pair[0]], place[pair[1]])):
        causes[effect].append(cause)
    down: list[Pair] = []
    upwards: set[Pair] = set()
    done: set[str] = set()
    for start in (top, *nodes):
        above: dict[str, int] = {} if start in done else {start: 0}
        while above:
            node, step = next(reversed(above.items()))
            if step == len(causes[node]):
                done.add(node)
                del above[node]
                continue
            above[node] += 1
            cause = causes[node][step]
            if cause in above:
                upwards.add((node, cause))
                continue
            down.append((node, cause))
            if cause not in done:
                above[cause] = 0
    return _Order(tuple(down), frozenset(upwards))


def _depths(nodes: Sequence[str], down: Sequence[Pair]) -> dict[str, int]:
    """Longest way from a node that nothing here is the effect of (Kahn 1962)."""
    causes: dict[str, list[str]] = defaultdict(list)
    waiting = dict.fromkeys(nodes, 0)
    for effect, cause in down:
        causes[effect].append(cause)
        waiting[cause] += 1
    depth = {node: 0 for node in nodes if not waiting[node]}
    ready = list(depth)
    while ready:
        node = ready.pop()
        for cause in causes[node]:
            depth[cause] = max(depth.get(cause, 0), depth[node] + 1)
            waiting[cause] -= 1
            if not waiting[cause]:
                ready.append(cause)
    return depth


def _uncrossed(rows: list[list[str]], bends: Mapping[Pair, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Rows ordered by the mean place of their neighbours, downwards and upwards in turn."""
    above: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[str]] = defaultdict(list)
    for places in bends.values():
        for upper, lower in pairwise(places):
            above[lower].append(upper)
            below[upper].append(lower)
    for sweep in range(SWEEPS):
        neighbours, numbers = (
            (above, range(1, len(rows))) if sweep % 2 == 0 else (below, range(len(rows) - 2, -1, -1))
        )
        for number in numbers:
            beside = rows[number - 1 if sweep % 2 == 0 else number + 1]
            where = {place: (at + 0.5) / len(beside) for at, place in enumerate(beside)}
            own = {place: (at + 0.5) / len(rows[number]) for at, place in enumerate(rows[number])}
            rows[number].sort(key=lambda place: _mean(neighbours[place], where, own[place]))
    return tuple(tuple(row) for row in rows)


def _mean(neighbours: Sequence[str], where: Mapping[str, float], otherwise: float) -> float:
    return sum(where[name] for name in neighbours) / len(neighbours) if neighbours else otherwise
