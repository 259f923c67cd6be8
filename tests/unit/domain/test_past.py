"""An edge as of an instant: what was written later is not there yet."""

from __future__ import annotations

from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.past import edge_as_of
from tests.builders import at, caused, confirmed, evidence, experience, failure, generalizes, pattern, refuted

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


def test_an_edge_of_an_earlier_time_has_what_was_said_by_then() -> None:
    effect, cause = failure(), failure()
    first, second = evidence(0.5, seconds=1), evidence(0.9, seconds=3)
    edge = caused(
        effect, cause, recorded_at=at(1), evidence=(first, second), verdicts=(refuted(4), confirmed(6))
    )
    assert edge_as_of(edge, at(0.5)) is None
    told = [edge_as_of(edge, at(seconds)) for seconds in (1, 3, 4, 6)]
    assert [item and item.confidence for item in told] == [0.5, 0.9, 0.0, 0.9]
    assert [item and item.grade for item in told] == [Grade.ASSERTED, Grade.ASSERTED, None, Grade.CONFIRMED]
    assert told[-1] == edge


def test_an_edge_that_never_had_evidence_is_there_from_its_record_on() -> None:
    edge = caused(failure(), failure(), recorded_at=at(2), evidence=())
    assert (edge_as_of(edge, at(1)), edge_as_of(edge, at(2))) == (None, edge)


def test_an_edge_whose_evidence_came_later_was_not_there() -> None:
    edge = caused(failure(), failure(), recorded_at=at(0), evidence=(evidence(seconds=5),))
    assert edge_as_of(edge, at(4)) is None
