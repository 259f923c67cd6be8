"""Which events may have caused which: near ones unsaid, stated ones from anywhere, and verdicts are obeyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphmem.analysis.candidate_causes import LOOK_BACK, Statements, candidates, outside
from graphmem.analysis.history import Occurrence
from graphmem.domain.causation import CauseEdge, Grade
from tests.builders import T0, confirmed, refuted
from tests.unit.analysis.causal import edge, happened

EVENTS = [happened(name, seconds, "x") for seconds, name in enumerate("abcd")]


def wrong(effect: str, cause: str) -> CauseEdge:
    """An edge that a reviewer refuted."""
    return CauseEdge(from_id=effect, to_id=cause, recorded_at=T0, verdicts=(refuted(),))


def sure(effect: str, cause: str) -> CauseEdge:
    """An edge that a reviewer confirmed."""
    return edge(effect, cause, grade=Grade.CONFIRMED)


def causes_of(
    name: str, edges: Sequence[CauseEdge], events: Sequence[Occurrence] = EVENTS
) -> dict[str, bool]:
    """Candidates of one event: cause -> stated."""
    found = candidates(events, Statements.of(edges))
    return {
        events[cause].id: bool(stated)
        for effect, cause, stated in zip(found.effect, found.cause, found.stated, strict=True)
        if events[effect].id == name
    }


def alone(name: str, edges: Sequence[CauseEdge]) -> bool:
    """Whether the event may have had no cause in its episode."""
    at = [event.id for event in EVENTS].index(name)
    return bool(candidates(EVENTS, Statements.of(edges)).alone[at])


def test_every_earlier_event_is_a_candidate() -> None:
    assert causes_of("c", [edge("c", "a")]) == {"a": True, "b": False}
    assert causes_of("a", []) == {}


def test_a_refuted_cause_is_none() -> None:
    assert causes_of("c", [wrong("c", "a")]) == {"b": False}


def test_beside_confirmed_causes_there_are_no_others() -> None:
    edges = [sure("d", "a"), sure("d", "b"), edge("d", "c")]
    assert causes_of("d", edges) == {"a": True, "b": True}
    assert (alone("d", edges), alone("c", edges)) == (False, True)


def test_a_confirmed_cause_outside_leaves_none_inside() -> None:
    edges = [sure("d", "fact"), edge("d", "c"), edge("d", "other fact")]
    assert causes_of("d", edges) == {}
    assert alone("d", edges)
    assert outside(EVENTS, Statements.of(edges)) == [[None], [None], [None], ["fact"]]


def test_confirmed_causes_inside_and_outside_are_both_possible() -> None:
    edges = [sure("d", "fact"), sure("d", "a")]
    assert (causes_of("d", edges), alone("d", edges)) == ({"a": True}, True)


def test_a_confirmed_edge_that_was_refuted_later_is_none() -> None:
    edges = [replace(sure("b", "a"), verdicts=(confirmed(0), refuted(1)))]
    assert causes_of("b", edges) == {}
    assert alone("b", edges)


def test_a_stated_cause_may_lie_far_back_and_an_unsaid_one_not() -> None:
    events = [happened(f"n{place:03}", place, "x") for place in range(LOOK_BACK * 3)]
    last = events[-1].id
    found = causes_of(last, [edge(last, "n000")], events)
    assert found.pop("n000")
    assert len(found) == LOOK_BACK
    known = Statements.of([edge(last, "n000")])
    assert candidates(events, known).distance.max() <= LOOK_BACK.bit_length()


def test_another_episode_holds_no_candidates() -> None:
    events = [happened("a", 0, "x", "one"), happened("b", 1, "x", "two")]
    assert causes_of("b", [edge("b", "a")], events) == {}
    assert causes_of("b", [sure("b", "a")], events) == {}
    known = Statements.of([sure("b", "a")])
    assert candidates(events, known).alone.all()
    assert outside(events, known) == [[None], ["a"]]


def test_inferred_edges_and_edges_to_oneself_are_no_statements() -> None:
    known = Statements.of([edge("b", "a", grade=Grade.INFERRED), edge("a", "a")])
    assert not known.stated | known.confirmed | known.refuted


def test_no_events_have_no_candidates() -> None:
    found = candidates([], Statements.of([]))
    assert (len(found.effect), len(found.alone)) == (0, 0)
