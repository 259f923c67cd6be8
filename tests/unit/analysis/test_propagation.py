"""Propagation counts trials and effects as it says, and its intervals hold what they promise."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from benchmarks.planted_ways import seen as occurrences
from graphmem.analysis.estimates import beta_share, wilson
from graphmem.analysis.propagation import ClassPropagation, propagation
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.overview import Bond
from graphmem.tooling.chains import hidden_confounders
from tests.builders import T0, refuted
from tests.unit.analysis.causal import edge, edges, happened


def of(found: tuple[ClassPropagation, ...], cause: str, effect: str) -> ClassPropagation:
    """The pair asked for."""
    return next(item for item in found if (item.cause_class, item.effect_class) == (cause, effect))


EVENTS = [
    happened("a1", 0, "a", "one"),
    happened("b1", 10, "b", "one"),
    happened("a2", 0, "a", "two"),
    happened("s2", 5, "", "two"),
    happened("a3", 0, "a", "three"),
    happened("b4", 0, "b", "four"),
    happened("a4", 100, "a", "four"),
    happened("b5", 200, "b", "four"),
]


def test_an_occurrence_that_ended_its_episode_is_no_trial() -> None:
    pair = of(propagation(EVENTS, edges(("b1", "a1"), ("b5", "a4")), min_trials=1).pairs, "a", "b")
    assert (pair.trials, pair.caused, pair.followed) == (3, 2, 2)
    assert pair.probability == beta_share(2, 3)


def test_an_effect_in_another_episode_of_what_ended_its_own_is_no_success() -> None:
    events = [*EVENTS, happened("a6", 0, "a", "six"), happened("b7", 0, "b", "seven")]
    pair = of(propagation(events, edges(("b7", "a6")), min_trials=1).pairs, "a", "b")
    assert (pair.trials, pair.caused) == (3, 0)


def test_a_stated_cause_of_the_same_time_is_a_trial() -> None:
    events = [happened("effect", 0, "b"), happened("the cause", 0, "a")]
    pair = of(propagation(events, edges(("effect", "the cause")), min_trials=1).pairs, "a", "b")
    assert (pair.trials, pair.caused, pair.followed) == (1, 1, 1)


def test_effects_after_the_window_do_not_count() -> None:
    pairs = propagation(EVENTS, edges(("b1", "a1"), ("b5", "a4")), timedelta(seconds=50), 1).pairs
    pair = of(pairs, "a", "b")
    assert (pair.trials, pair.caused, pair.followed) == (3, 1, 1)


def test_two_effects_of_one_class_are_one_success() -> None:
    events = [happened("a", 0, "a"), happened("b", 1, "b"), happened("c", 2, "b")]
    pair = of(propagation(events, edges(("b", "a"), ("c", "a")), min_trials=1).pairs, "a", "b")
    assert (pair.trials, pair.caused) == (1, 1)


def test_inferred_and_refuted_edges_do_not_count() -> None:
    wrong = CauseEdge(from_id="b1", to_id="a1", recorded_at=T0, verdicts=(refuted(),))
    for item in (wrong, edge("b1", "a1", grade=Grade.INFERRED)):
        assert of(propagation(EVENTS, [item], min_trials=1).pairs, "a", "b").caused == 0


def test_pairs_with_few_trials_are_left_out_and_nothing_is_a_link_yet() -> None:
    assert propagation(EVENTS, [], min_trials=4).pairs == ()
    found = propagation(EVENTS, [], min_trials=1)
    assert (found.episodes, found.classes) == (4, ("a", "b"))
    assert [(item.link.bond, item.link.q, item.link.together) for item in found.pairs if item.link] == [
        (Bond.CO_OCCURS, None, 2)
    ] * 2


def test_without_a_history_the_table_is_empty() -> None:
    assert propagation([], []).pairs == ()


def test_planted_probabilities_lie_in_nine_of_ten_intervals() -> None:
    held = []
    for seed in range(4):
        history = hidden_confounders(300, seed)
        planted = {(a.lower(), b.lower()): chance for (a, b), chance in history.class_links.items()}
        for item in propagation(occurrences(history.memories), history.edges).pairs:
            truth = planted.get((item.cause_class, item.effect_class))
            if truth is not None:
                held.append(item.probability.low <= truth <= item.probability.high)
    assert len(held) > 50
    assert 0.8 < sum(held) / len(held) < 0.98


@pytest.mark.parametrize("n", [20, 200])
def test_both_intervals_cover_about_as_often_as_they_say(n: int) -> None:
    """Over shares of all sizes: at a single share few trials cannot do better than jump."""
    chance = random.Random(n)
    drawn = [(share := chance.random(), sum(chance.random() < share for _ in range(n))) for _ in range(2_000)]
    for estimate, level in ((beta_share, 0.9), (wilson, 0.95)):
        covered = [(found := estimate(hits, n)).low <= share <= found.high for share, hits in drawn]
        assert abs(sum(covered) / len(covered) - level) < 0.02


def test_the_ends_of_the_intervals() -> None:
    assert (beta_share(0, 9).low, beta_share(9, 9).high) == (0.0, 1.0)
    assert (wilson(0, 0).value, wilson(0, 0).low, wilson(0, 0).high) == (0.5, 0.0, 1.0)
    for hits in range(10):
        found = wilson(hits, 9)
        assert 0 <= found.low <= found.value <= found.high <= 1
