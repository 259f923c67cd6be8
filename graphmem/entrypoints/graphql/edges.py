"""Cause edges as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from graphmem.domain import causation as domain
from graphmem.domain.causation import Grade, VerdictKind
from graphmem.entrypoints.graphql.kinds import mirrored


@strawberry.type(description="One reason to believe an edge. confidence is above 0 and at most 1.")
class Evidence:
    """A piece of evidence."""

    grade: Grade
    confidence: float
    method: str
    by: str
    at: datetime
    note: str


@strawberry.type(description="One review of an edge; the latest counts.")
class Verdict:
    """A verdict."""

    kind: VerdictKind
    by: str
    reason: str
    at: datetime


@strawberry.type(description="effectId was caused by causeId.")
class CauseEdge:
    """One cause edge, with everything said for and against it."""

    effect_id: strawberry.ID
    cause_id: strawberry.ID
    grade: Grade | None = strawberry.field(description="The best support; null when refuted.")
    confidence: float = strawberry.field(
        description="Probability that the cause led to the effect; 0 if refuted."
    )
    active: bool = strawberry.field(description="False once refuted: kept, and left out of every walk.")
    lag: float = strawberry.field(
        description="Seconds from cause to effect; negative when the cause is later."
    )
    recorded_at: datetime
    evidence: list[Evidence]
    verdicts: list[Verdict]


def cause_edge(edge: domain.CauseEdge) -> CauseEdge:
    """The edge as a GraphQL object, its lag in seconds."""
    return mirrored(CauseEdge, edge, lag=edge.lag_ms / 1000)
