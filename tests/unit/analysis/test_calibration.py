"""Evidence of the gate, and the probability that it makes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.calibration import NEAREST, SHIPPED, features, probability
from graphmem.domain.gate import GateFeatures, GatePrior

unhurried = settings(deadline=None)

classes = st.sampled_from(["", "indexerror", "timeout", "keyerror"])
scores = st.floats(-1, 1.5)
ranked = st.lists(st.tuples(classes, scores), min_size=1, max_size=9).map(
    lambda items: sorted(items, key=lambda item: -item[1])
)
shares = st.floats(0, 1)
evidence = st.builds(GateFeatures, scores, st.floats(0, 1), shares, shares)
priors = st.builds(GatePrior, st.floats(-5, 5), st.tuples(*[st.floats(0, 5)] * 4).map(tuple))


@unhurried
@given(ranked)
def test_shares_are_shares(found: list[tuple[str, float]]) -> None:
    seen = features(found)
    assert 1 / NEAREST <= seen.agreement <= 1
    assert 0 < seen.vote_share <= 1
    assert seen.gap >= 0


@unhurried
@given(ranked)
def test_only_the_five_nearest_vote(found: list[tuple[str, float]]) -> None:
    assert features(found) == features(found[:NEAREST])


@unhurried
@given(ranked, st.floats(0, 1))
def test_a_more_relevant_best_failure_never_lowers_the_probability(
    found: list[tuple[str, float]], more: float
) -> None:
    (name, value), *rest = found
    stronger = [(name, value + more), *rest]
    assert probability(SHIPPED, features(stronger)) >= probability(SHIPPED, features(found))


@unhurried
@given(ranked, st.integers(1, 8))
def test_one_more_agreeing_failure_never_lowers_the_probability(
    found: list[tuple[str, float]], place: int
) -> None:
    best = found[0][0] or "timeout"
    before = [(best, found[0][1]), *found[1:]]
    after = [(best, value) if index == place else (name, value) for index, (name, value) in enumerate(before)]
    assert probability(SHIPPED, features(after)) >= probability(SHIPPED, features(before))


@unhurried
@given(priors, evidence, st.sampled_from(["relevance", "gap", "agreement", "vote_share"]), st.floats(0, 1))
def test_more_of_any_evidence_never_lowers_the_probability(
    prior: GatePrior, seen: GateFeatures, name: str, more: float
) -> None:
    stronger = replace(seen, **{name: getattr(seen, name) + more})
    assert probability(prior, stronger) >= probability(prior, seen)


@unhurried
@given(priors, evidence)
def test_it_is_a_probability(prior: GatePrior, seen: GateFeatures) -> None:
    assert 0 <= probability(prior, seen) <= 1


def test_the_shipped_slopes_never_count_evidence_against() -> None:
    assert min(SHIPPED.slopes) >= 0


def test_failures_of_an_unknown_class_agree_with_nothing() -> None:
    seen = features([("", 0.9), ("", 0.8), ("", 0.7)])
    assert seen.agreement == 1 / NEAREST
    assert seen.gap == pytest.approx(0.1)


def test_the_gap_is_taken_to_the_next_other_class() -> None:
    assert features([("a", 0.9), ("a", 0.8), ("b", 0.5)]).gap == pytest.approx(0.4)


def test_without_another_class_the_gap_is_the_relevance_itself() -> None:
    assert features([("a", 0.9), ("a", 0.8)]).gap == pytest.approx(0.9)


def test_votes_weigh_by_rank() -> None:
    assert features([("a", 0.9), ("b", 0.8), ("a", 0.7)]).vote_share == pytest.approx((1 + 1 / 3) / (11 / 6))


def test_five_of_one_class_pass_and_one_alone_does_not() -> None:
    five = features([("indexerror", 0.6)] * 5)
    assert probability(SHIPPED, five) > 0.7 > probability(SHIPPED, features([("indexerror", 0.6)]))


def test_nothing_found_has_no_features() -> None:
    with pytest.raises(IndexError):
        features([])
