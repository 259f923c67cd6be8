"""Evidence of the gate, the probability that it makes, and what outcomes make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from graphmem.analysis.calibration import (
    LEAST,
    LEAST_OF_EACH,
    NEAREST,
    SHIPPED,
    STIFFNESS,
    Judgement,
    features,
    in_force,
    probability,
    refit,
    tried,
)
from graphmem.domain.gate import FEATURES, GateFeatures, GatePrior

unhurried = settings(deadline=None)

classes = st.sampled_from(["", "indexerror", "timeout", "keyerror"])
scores = st.floats(-1, 1.5)
Ranked = Sequence[tuple[str, float]]
ranked = st.lists(st.tuples(classes, scores), min_size=1, max_size=9).map(
    lambda items: sorted(items, key=lambda item: -item[1])
)
shares = st.floats(0, 1)
evidence = st.builds(GateFeatures, scores, st.floats(0, 1), shares, shares)
priors = st.builds(GatePrior, st.floats(-5, 5), st.tuples(*[st.floats(0, 5)] * 4).map(tuple))


def looked(found: Ranked) -> GateFeatures:
    """Features of failures that are in one class each, '' for none."""
    return features([(frozenset({name} - {""}), value) for name, value in found])


@unhurried
@given(ranked)
def test_shares_are_shares(found: Ranked) -> None:
    seen = looked(found)
    assert 1 / NEAREST <= seen.agreement <= 1
    assert 0 < seen.vote_share <= 1
    assert seen.gap >= 0


@unhurried
@given(ranked)
def test_only_the_five_nearest_vote(found: Ranked) -> None:
    assert looked(found) == looked(found[:NEAREST])


@unhurried
@given(ranked, st.floats(0, 1))
def test_a_more_relevant_best_failure_never_lowers_the_probability(found: Ranked, more: float) -> None:
    (name, value), *rest = found
    stronger = [(name, value + more), *rest]
    assert probability(SHIPPED, looked(stronger)) >= probability(SHIPPED, looked(found))


@unhurried
@given(ranked, st.integers(1, 8))
def test_one_more_agreeing_failure_never_lowers_the_probability(found: Ranked, place: int) -> None:
    best = found[0][0] or "timeout"
    before = [(best, found[0][1]), *found[1:]]
    after = [(best, value) if index == place else (name, value) for index, (name, value) in enumerate(before)]
    assert probability(SHIPPED, looked(after)) >= probability(SHIPPED, looked(before))


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
    seen = looked([("", 0.9), ("", 0.8), ("", 0.7)])
    assert seen.agreement == 1 / NEAREST
    assert seen.gap == pytest.approx(0.1)


def test_failures_agree_by_any_class_that_they_share() -> None:
    both, one, other = (
        frozenset({"cluster C-1", "error timeout"}),
        frozenset({"error timeout"}),
        frozenset({"cluster C-1"}),
    )
    assert features([(both, 0.9), (one, 0.8), (other, 0.7)]).agreement == 3 / NEAREST
    assert features([(one, 0.9), (both, 0.8), (other, 0.7)]).agreement == 2 / NEAREST


def test_the_gap_is_taken_to_the_next_other_class() -> None:
    assert looked([("a", 0.9), ("a", 0.8), ("b", 0.5)]).gap == pytest.approx(0.4)


def test_without_another_class_the_gap_is_the_relevance_itself() -> None:
    assert looked([("a", 0.9), ("a", 0.8)]).gap == pytest.approx(0.9)


def test_votes_weigh_by_rank() -> None:
    assert looked([("a", 0.9), ("b", 0.8), ("a", 0.7)]).vote_share == pytest.approx((1 + 1 / 3) / (11 / 6))


def test_five_of_one_class_pass_and_one_alone_does_not() -> None:
    five = looked([("indexerror", 0.6)] * 5)
    assert probability(SHIPPED, five) > 0.7 > probability(SHIPPED, looked([("indexerror", 0.6)]))


def test_nothing_found_has_no_looked() -> None:
    with pytest.raises(IndexError):
        looked([])


def planted(gate: GatePrior, number: int, seed: int = 0) -> list[Judgement]:
    """Evidence drawn evenly, judged as a gate has it; a session each."""
    chance = np.random.default_rng(seed)
    drawn = [GateFeatures(*chance.uniform(0, 1, 4).tolist()) for _ in range(number)]
    return [
        Judgement(seen, bool(chance.random() < probability(gate, seen)), str(place))
        for place, seen in enumerate(drawn)
    ]


def same(relevant: int, other: int) -> list[Judgement]:
    """The same evidence throughout."""
    seen = GateFeatures(0.5, 0.1, 0.2, 0.5)
    return [Judgement(seen, place < relevant, str(place)) for place in range(relevant + other)]


def test_a_planted_gate_is_recovered() -> None:
    gate = GatePrior(-1.0, (3.0, 0.0, 1.0, 2.0))
    found = refit(planted(gate, 8_000))
    assert found.intercept == pytest.approx(gate.intercept, abs=0.25)
    assert found.slopes == pytest.approx(gate.slopes, abs=0.25)


@pytest.mark.parametrize("seed", range(5))
def test_it_fits_as_well_as_a_general_solver(seed: int) -> None:
    judgements = planted(GatePrior(0.5, (1.0, 0.0, 0.0, 1.0)), 60, seed)
    x = np.array([(1.0, *item.evidence.values()) for item in judgements])
    y = np.array([item.relevant for item in judgements], dtype=float)
    start = np.array((SHIPPED.intercept, *SHIPPED.slopes))

    def loss(weights: np.ndarray) -> float:
        score = x @ weights
        ridge = np.array(STIFFNESS) @ (weights - start) ** 2 / 2
        return float(np.sum(np.logaddexp(0, score) - y * score) + ridge)

    general = minimize(loss, start, method="L-BFGS-B", bounds=[(None, None)] + [(0, None)] * 4)
    found = refit(judgements)
    assert loss(np.array((found.intercept, *found.slopes))) <= general.fun + 1e-6


@unhurried
@given(st.lists(st.builds(Judgement, evidence, st.booleans(), st.sampled_from("abc")), max_size=30))
def test_no_labels_make_a_slope_negative(judgements: list[Judgement]) -> None:
    assert min(refit(judgements).slopes) >= 0


def test_evidence_that_speaks_against_is_left_out_not_turned_round() -> None:
    against = planted(GatePrior(1.0, (-3.0, -1.0, -1.0, -2.0)), 1_000)
    assert refit(against).slopes == (0, 0, 0, 0)


def test_without_labels_the_prior_stays() -> None:
    assert refit([]) == SHIPPED


def test_few_labels_move_the_intercept_before_the_slopes() -> None:
    found = refit(planted(GatePrior(1.0, SHIPPED.slopes), 60))
    assert found.intercept - SHIPPED.intercept > 1.5
    assert found.slopes == pytest.approx(SHIPPED.slopes, abs=0.75)


@pytest.mark.parametrize(
    ("relevant", "other", "enough"),
    [
        (LEAST - LEAST_OF_EACH, LEAST_OF_EACH, True),
        (LEAST - LEAST_OF_EACH - 1, LEAST_OF_EACH, False),
        (LEAST, LEAST_OF_EACH - 1, False),
        (LEAST_OF_EACH - 1, LEAST, False),
        (0, 0, False),
    ],
)
def test_labels_of_both_kinds_are_needed(relevant: int, other: int, enough: bool) -> None:
    assert (tried(same(relevant, other)) is not None) is enough


def test_another_gate_is_seen_to_be_better() -> None:
    found = tried(planted(GatePrior(-1.0, (3.0, 0.0, 1.0, 2.0)), 200))
    assert found is not None
    assert (found.better, found.low > 0) == (True, True)
    assert found.gain == pytest.approx(found.shipped_loss - found.refitted_loss)
    assert found.low < found.gain < found.high


def test_where_the_shipped_gate_is_right_no_refit_is_taken() -> None:
    trials = [tried(planted(SHIPPED, 120, seed)) for seed in range(40)]
    assert [trial.better for trial in trials if trial is not None] == [False] * 40


def test_a_session_counts_once_however_long_it_is() -> None:
    """Sixty labels of two sessions prove as little as two."""
    long = [replace(item, group=(item.evidence.relevance < 0.5 and "a") or "b") for item in same(50, 10)]
    assert (found := tried(long)) is not None
    assert not found.better


def test_a_gate_on_other_features_is_not_used() -> None:
    own = GatePrior(0.0, (1.0, 1.0, 1.0, 1.0), FEATURES)
    assert in_force(own) is own
    assert in_force(None) is SHIPPED
    assert in_force(replace(own, version=FEATURES + 1)) is SHIPPED
