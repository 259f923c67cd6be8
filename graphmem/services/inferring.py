"""Which causes nobody stated: edges proposed by habit for one question, shown as inferred and never stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.analysis.edge_repair import (
    Doubt,
    Habits,
    doubtful_edges,
    inferred,
    missing_edges,
    origins,
    parents,
)
from graphmem.domain.causation import CauseEdge
from graphmem.services.cause_view import CauseView
from graphmem.services.habits import occurrence

MAX_EVENTS = 2_000
"""Experiences in the episodes of a walk, beyond which nothing is inferred: each is compared with those before it."""


@dataclass(frozen=True)
class Inferred:
    """What habits say of the episodes that a walk went through.

    edges: by effect, beside the stored ones. origins: per memory the probability that the asked failure began with
    it; None where nothing could be told. doubts: stored edges that are hardly believed. episodes: those that were
    looked at. too_wide: they were too many, or too long, to be looked at.
    """

    edges: Mapping[str, tuple[CauseEdge, ...]] = field(default_factory=dict)
    origins: Mapping[str, float] | None = None
    doubts: Sequence[Doubt] = ()
    episodes: frozenset[str] = frozenset()
    too_wide: bool = False


NOTHING = Inferred()
TOO_WIDE = Inferred(too_wide=True)


def infer(habits: Habits, view: CauseView, asked: str, episodes: Iterable[str], at: datetime) -> Inferred:
    """Missing edges between failures of the episodes that were walked through. at: when this is inferred.

    NOTHING when the asked memory is no active experience, TOO_WIDE when the episodes are too many or too long. Where an
    edge is stored already, of whatever grade, none is proposed; a refuted one is no cause.
    """
    looked_at = frozenset(episodes)
    members = view.members(looked_at)
    if members is None or len(members) > MAX_EVENTS:
        return TOO_WIDE
    ids = [member.id for member in members]
    if asked not in ids:
        return NOTHING
    stored = view.edges(ids)
    possible = parents(habits, [occurrence(member) for member in members], stored)
    known = {(edge.effect_id, edge.cause_id) for edge in stored}
    failures = {member.id for member in members if member.is_failure}
    found: dict[str, tuple[CauseEdge, ...]] = {}
    for edge in inferred(missing_edges(possible), at):
        ends = edge.effect_id, edge.cause_id
        if ends not in known and failures.issuperset(ends):
            found[edge.effect_id] = (*found.get(edge.effect_id, ()), edge)
    return Inferred(found, origins(asked, possible), doubtful_edges(possible), looked_at)
