"""What statistics need of the past: which kind of failure occurred when, in which episode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.causation import CauseEdge, Grade


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


def stated_pairs(edges: Iterable[CauseEdge]) -> set[tuple[str, str]]:
    """(effect, cause) of every active edge that somebody or something observed.

    Inferred edges are left out: statistics must never feed on what statistics inferred.
    """
    return {
        (edge.effect_id, edge.cause_id)
        for edge in edges
        if edge.grade is not None and edge.grade > Grade.INFERRED
    }
