"""What was known at an instant: transaction time, whatever the events say of their own times."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from graphmem.domain.causation import CauseEdge, Edge

_Edge = TypeVar("_Edge", bound=Edge)


def edge_as_of(edge: _Edge, at: datetime) -> _Edge | None:
    """The edge with the evidence and verdicts that were written by then; None where it was not there yet.

    Nothing said of an edge is ever removed or changed, so that its own times tell.
    """
    if edge.recorded_at > at:
        return None
    if not isinstance(edge, CauseEdge):
        return edge
    evidence = tuple(item for item in edge.evidence if item.at <= at)
    if edge.evidence and not evidence:
        return None
    return replace(edge, evidence=evidence, verdicts=tuple(item for item in edge.verdicts if item.at <= at))
