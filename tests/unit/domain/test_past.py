"""An edge as of an instant: what was written later is not there yet."""

from __future__ import annotations

from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.past import edge_as_of
from tests.builders import at, caused, evidence, experience, failure, generalizes, pattern, refuted

EFFECT, CAUSE = failure("write"), failure("read")


def test_evidence_and_verdicts_come_one_by_one() -> None:
    edge = caused(
        EFFECT,
        CAUSE,
        recorded_at=at(0),
        evidence=(evidence(0.5, seconds=0), evidence(0.9, grade=Grade.TRACED, seconds=20)),
        verdicts=(refuted(40),),
    )
    assert edge_as_of(edge, at(-1)) is None
    early, middle, late = (edge_as_of(edge, at(seconds)) for seconds in (0, 20, 40))
    assert isinstance(early, CauseEdge)
    assert isinstance(middle, CauseEdge)
    assert (early.confidence, early.grade, len(early.evidence)) == (0.5, Grade.ASSERTED, 1)
    assert (middle.confidence, len(middle.evidence), middle.active) == (0.9, 2, True)
    assert late == edge
    assert not edge.active


def test_other_edges_are_there_or_not() -> None:
    edge = generalizes(pattern(), experience(), recorded_at=at(5))
    assert edge_as_of(edge, at(4)) is None
    assert edge_as_of(edge, at(5)) is edge
