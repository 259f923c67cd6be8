"""Small cause graphs for the tests of causal analysis."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.analysis.history import Occurrence
from graphmem.analysis.walks import MAX_HOPS, Walk, walk
from graphmem.domain.causation import CauseEdge, Evidence, Grade
from tests.builders import T0, at

Pairs = Sequence[tuple[str, str]]


def edge(effect: str, cause: str, confidence: float = 0.8, grade: Grade = Grade.ASSERTED) -> CauseEdge:
    """An active edge with one piece of evidence."""
    evidence = Evidence(grade, confidence, "stated", "me", T0)
    return CauseEdge(from_id=effect, to_id=cause, recorded_at=T0, evidence=(evidence,))


def edges(*pairs: tuple[str, str]) -> list[CauseEdge]:
    """Active edges, each (effect, cause)."""
    return [edge(*pair) for pair in pairs]


def walked(found: Sequence[CauseEdge], start: str = "end") -> Walk:
    """The walk to the causes of start."""
    return walk(
        start, lambda ids: [item for item in found if item.effect_id in ids], MAX_HOPS, Grade.INFERRED
    )


def happened(name: str, seconds: float, kind: str = "", episode: str = "task") -> Occurrence:
    """A failure of a kind; without one, a success."""
    return Occurrence(name, episode, at(seconds), kind, failed=bool(kind))
