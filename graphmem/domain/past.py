"""What was known at an instant: transaction time, whatever the events say of their own times."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from graphmem.domain.causation import CauseEdge, Edge


def edge_as_of(edge: Edge, at: datetime) -> Edge | None:
    """The edge with the evidence and verdicts that were written by then; None where it was not there yet."""
    if edge.recorded_at > at:
        return None
    if not isinstance(edge, CauseEdge):
        return edge
    return replace(
        edge,
        evidence=tuple(item for item in edge.evidence if item.at <= at),
        verdicts=tuple(item for item in edge.verdicts if item.at <= at),
    )
