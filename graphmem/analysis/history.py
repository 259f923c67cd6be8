"""What statistics need of the past: which kind of failure occurred when, in which episode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import networkx as nx

from graphmem.domain.causation import CauseEdge, Grade

Pair = tuple[str, str]
"""(effect id, cause id)."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One experience as far as statistics look at it.

    error_class: its kind, e.g. the normalised error type or the cluster; "" when it has none.
    """

    id: str
    episode: str
    at: datetime
    error_class: str
    failed: bool = True


def by_episode(occurrences: Iterable[Occurrence]) -> dict[str, list[Occurrence]]:
    """Occurrences of each episode in order of time; equal times in order of ids."""
    episodes: dict[str, list[Occurrence]] = {}
    for occurrence in occurrences:
        episodes.setdefault(occurrence.episode, []).append(occurrence)
    for members in episodes.values():
        members.sort(key=lambda item: (item.at, item.id))
    return episodes


def causes_first(
    episodes: Mapping[str, list[Occurrence]], stated: Iterable[Pair]
) -> dict[str, list[Occurrence]]:
    """The same events in order of time, put so that stated causes of a list come before their effects.

    Clocks give one time to a whole trace and differ between tools; who stated an edge knew the order (topological
    order with the earliest first: Kahn 1962). Where statements run in a circle, time decides within it. episodes:
    lists of events in order of time, by any key.
    """
    place = {
        event.id: (name, number) for name, members in episodes.items() for number, event in enumerate(members)
    }
    joined: dict[str, list[Pair]] = {}
    late: set[str] = set()
    for effect, cause in stated:
        here, there = place.get(effect), place.get(cause)
        if here is None or there is None or here[0] != there[0] or effect == cause:
            continue
        joined.setdefault(here[0], []).append((effect, cause))
        if there > here:
            late.add(here[0])
    return {**episodes, **{name: _in_causal_order(episodes[name], joined[name]) for name in late}}


def stated_pairs(edges: Iterable[CauseEdge]) -> list[Pair]:
    """(effect, cause) of every active edge that somebody or something observed, each once, in the order of the edges.

    Inferred edges are left out: statistics must never feed on what statistics inferred.
    """
    known = {
        (edge.from_id, edge.to_id): None
        for edge in edges
        if (grade := edge.grade) is not None and grade > Grade.INFERRED
    }
    return list(known)


def _in_causal_order(members: list[Occurrence], stated: Iterable[Pair]) -> list[Occurrence]:
    place = {event.id: number for number, event in enumerate(members)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(place)
    graph.add_edges_from((cause, effect) for effect, cause in stated)
    for circle in list(nx.strongly_connected_components(graph)):
        edges = graph.subgraph(circle).edges
        graph.remove_edges_from([(a, b) for a, b in edges if place[a] > place[b]])
    return [members[place[name]] for name in nx.lexicographical_topological_sort(graph, place.__getitem__)]
