"""Unit tests of graphmem.domain.causation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.causation import (
    EDGE_KINDS,
    LATENESS_ALLOWED_S,
    CauseEdge,
    EdgeKind,
    Grade,
    Verdict,
    VerdictKind,
    cause_time,
    check_ends,
    check_order,
    lag_ms,
    merge_edges,
)
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory
from tests.builders import (
    at,
    caused,
    confirmed,
    evidence,
    experience,
    fact,
    failure,
    generalizes,
    pattern,
    refuted,
    strategy,
    supersedes,
)

EFFECT, CAUSE = failure(), fact()
ALL = (fact(), experience(), pattern(), strategy())
FITTING = {
    EdgeKind.CAUSED_BY: {("EXPERIENCE", "EXPERIENCE"), ("EXPERIENCE", "FACT")},
    EdgeKind.GENERALIZES: {("PATTERN", "EXPERIENCE"), ("STRATEGY", "PATTERN")},
    EdgeKind.SUPERSEDES: {("FACT", "FACT")},
}


def test_every_relation_has_a_class() -> None:
    assert set(EDGE_KINDS) == set(EdgeKind)
    assert all(made.kind is kind for kind, made in EDGE_KINDS.items())


def test_an_edge_belongs_to_the_effect_the_specific_and_the_older_end() -> None:
    first, second = fact(), fact()
    assert caused(first, second).owner_id == first.id
    assert generalizes(first, second).owner_id == second.id
    assert supersedes(first, second).owner_id == second.id


def test_the_ends_of_a_cause() -> None:
    edge = caused(EFFECT, CAUSE)
    assert (edge.effect_id, edge.cause_id) == (EFFECT.id, CAUSE.id)


@pytest.mark.parametrize("kind", list(EdgeKind))
@pytest.mark.parametrize("source", ALL, ids=lambda item: item.kind.value)
@pytest.mark.parametrize(
    "target", [fact(), experience(), pattern(), strategy()], ids=lambda item: item.kind.value
)
def test_relations_join_what_the_design_lists(kind: EdgeKind, source: Memory, target: Memory) -> None:
    if (source.kind.value, target.kind.value) in FITTING[kind]:
        check_ends(kind, source, target)
    else:
        with pytest.raises(BadInputError, match=f"not {source.kind} -> {target.kind}"):
            check_ends(kind, source, target)


@pytest.mark.parametrize("kind", list(EdgeKind))
@pytest.mark.parametrize("memory", ALL, ids=lambda item: item.kind.value)
def test_nothing_is_joined_to_itself(kind: EdgeKind, memory: Memory) -> None:
    with pytest.raises(BadInputError, match="itself"):
        check_ends(kind, memory, memory)


def test_an_edge_without_reviews_has_its_best_evidence() -> None:
    edge = caused(
        EFFECT,
        CAUSE,
        evidence=(evidence(0.5, grade=Grade.TRACED), evidence(0.9, grade=Grade.INFERRED)),
    )
    assert (edge.active, edge.grade, edge.confidence) == (True, Grade.TRACED, 0.9)


def test_an_edge_without_evidence_is_a_guess() -> None:
    edge = caused(EFFECT, CAUSE, evidence=())
    assert (edge.active, edge.grade, edge.confidence) == (True, Grade.INFERRED, 0.5)


def test_grades_are_ordered() -> None:
    assert Grade.CONFIRMED > Grade.ASSERTED > Grade.TRACED > Grade.INFERRED


@pytest.mark.parametrize(
    ("verdicts", "active", "grade", "confidence"),
    [
        ((confirmed(1),), True, Grade.CONFIRMED, 0.75),
        ((refuted(1),), False, None, 0.0),
        ((confirmed(1), refuted(2)), False, None, 0.0),
        ((refuted(1), confirmed(2)), True, Grade.CONFIRMED, 0.75),
    ],
)
def test_the_latest_review_counts(
    verdicts: tuple, active: bool, grade: Grade | None, confidence: float
) -> None:
    edge = caused(EFFECT, CAUSE, verdicts=verdicts)
    assert (edge.active, edge.grade, edge.confidence) == (active, grade, confidence)


def test_a_fact_is_a_cause_from_when_it_was_valid() -> None:
    assert cause_time(fact(valid_from=at(5))) == at(5)
    assert cause_time(fact()) is None
    assert cause_time(failure(occurred_at=at(7))) == at(7)


@pytest.mark.parametrize(
    ("effect_s", "cause_s", "expected"), [(1.5, 0, 1500), (0, 0, 0), (0, 2.25, -2250), (0.0004, 0, 0)]
)
def test_the_lag_is_effect_minus_cause(effect_s: float, cause_s: float, expected: int) -> None:
    assert lag_ms(failure(occurred_at=at(effect_s)), failure(occurred_at=at(cause_s))) == expected


def test_the_lag_to_a_fact() -> None:
    effect = failure(occurred_at=at(10))
    assert lag_ms(effect, fact(valid_from=at(4), occurred_at=at(9))) == 6000
    assert lag_ms(effect, fact(occurred_at=at(9))) == 0


def test_the_lag_does_not_depend_on_the_zone() -> None:
    east = timezone(timedelta(hours=8))
    assert lag_ms(failure(occurred_at=at(3).astimezone(east)), failure(occurred_at=at(1))) == 2000


def test_a_cause_may_be_a_little_late() -> None:
    effect = failure(occurred_at=at(0))
    check_order(effect, failure(occurred_at=at(LATENESS_ALLOWED_S)), "causedBy[0]")
    check_order(effect, failure(occurred_at=at(-1e6)), "causedBy[0]")
    check_order(effect, fact(occurred_at=at(1e6)), "causedBy[0]")


@pytest.mark.parametrize("make", [lambda when: failure(occurred_at=when), lambda when: fact(valid_from=when)])
def test_a_cause_long_after_its_effect_is_refused(make) -> None:  # type: ignore[no-untyped-def]
    cause = replace(make(at(LATENESS_ALLOWED_S + 0.002)), ref="E-7")
    with pytest.raises(BadInputError, match="E-7") as raised:
        check_order(failure(occurred_at=at(0)), cause, "causedBy[0]")
    assert raised.value.field == "causedBy[0]"


def test_the_first_edge_is_taken_as_it_is() -> None:
    edge = caused(EFFECT, CAUSE)
    assert merge_edges(None, edge) == edge


def test_evidence_adds_up_and_nothing_is_repeated() -> None:
    first = caused(EFFECT, CAUSE, lag_ms=5, evidence=(evidence(note="a"), evidence(note="b")))
    second = caused(EFFECT, CAUSE, recorded_at=at(9), evidence=(evidence(note="b"), evidence(note="c")))
    merged = merge_edges(first, second)
    assert isinstance(merged, CauseEdge)
    assert [item.note for item in merged.evidence] == ["a", "b", "c"]
    assert (merged.recorded_at, merged.lag_ms) == (first.recorded_at, 5)


def test_verdicts_are_kept_in_the_order_of_their_times() -> None:
    first = caused(EFFECT, CAUSE, verdicts=(refuted(5),))
    merged = merge_edges(first, caused(EFFECT, CAUSE, verdicts=(confirmed(3), refuted(5))))
    assert isinstance(merged, CauseEdge)
    assert merged.verdicts == (confirmed(3), refuted(5))
    assert not merged.active


@pytest.mark.parametrize("join", [generalizes, supersedes])
def test_other_relations_stay_as_they_were_first_written(join) -> None:  # type: ignore[no-untyped-def]
    first, second = fact(), fact()
    old = join(first, second)
    assert merge_edges(old, join(first, second, at(9))) == old


parts = st.lists(st.integers(0, 5), max_size=4).map(
    lambda notes: caused(
        EFFECT,
        CAUSE,
        evidence=tuple(evidence(note=str(note)) for note in dict.fromkeys(notes)),
        verdicts=tuple(refuted(note) for note in sorted(set(notes))),
    )
)


@given(parts, parts)
def test_writing_an_edge_twice_is_writing_it_once(first: CauseEdge, second: CauseEdge) -> None:
    once = merge_edges(first, second)
    assert merge_edges(once, second) == once
    assert merge_edges(once, first) == once


@given(st.lists(parts, min_size=3, max_size=3))
def test_the_order_of_writing_changes_no_verdict_and_no_grade(edges: list[CauseEdge]) -> None:
    results = set()
    for order in permutations(edges):
        merged: CauseEdge | None = None
        for edge in order:
            merged = merge_edges(merged, edge)  # type: ignore[assignment]
        assert merged is not None
        results.add((merged.verdicts, frozenset(merged.evidence), merged.grade, merged.confidence))
    assert len(results) == 1


def test_a_first_edge_is_put_in_order_too() -> None:
    late = Verdict(VerdictKind.CONFIRM, "b", "", at(5))
    early = Verdict(VerdictKind.REFUTE, "a", "", at(3))
    edge = merge_edges(None, replace(caused(EFFECT, CAUSE), verdicts=(late, early)))
    assert isinstance(edge, CauseEdge)
    assert edge.verdicts == (early, late)
    assert edge.active
