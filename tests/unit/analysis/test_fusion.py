"""One relevance from words and meaning; age takes a tenth at most."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.fusion import HALF_LIFE_DAYS, decay, relevance

unhurried = settings(deadline=None)

bm25 = st.floats(0, 200)
deviations = st.floats(-20, 20)
weights = st.floats(0, 1)
days = st.floats(-1e6, 1e6)


def one(lexical: float, deviation: float, weight: float) -> float:
    """The relevance of a single item."""
    return float(relevance(np.array([lexical]), np.array([deviation]), weight)[0])


@unhurried
@given(bm25, bm25, deviations, weights)
def test_more_shared_words_never_lower_it(less: float, more: float, deviation: float, weight: float) -> None:
    less, more = sorted((less, more))
    assert one(less, deviation, weight) <= one(more, deviation, weight)


@unhurried
@given(bm25, deviations, deviations, weights)
def test_more_similarity_never_lowers_it(lexical: float, less: float, more: float, weight: float) -> None:
    less, more = sorted((less, more))
    assert one(lexical, less, weight) <= one(lexical, more, weight)


@unhurried
@given(st.lists(st.tuples(bm25, deviations), min_size=1, max_size=8), weights)
def test_it_does_not_depend_on_the_other_candidates(items: list[tuple[float, float]], weight: float) -> None:
    together = relevance(np.array([a for a, _ in items]), np.array([b for _, b in items]), weight)
    assert together.tolist() == [one(a, b, weight) for a, b in items]


@pytest.mark.parametrize(
    ("lexical", "deviation", "weight", "expected"),
    [(8, 0, 1.0, 0.5), (0, 6, 0.0, 1.0), (8, 6, 0.5, 0.75), (0, 0, 0.7, 0.0), (0, -6, 0.0, -1.0)],
)
def test_it_follows_the_formula(lexical: float, deviation: float, weight: float, expected: float) -> None:
    assert one(lexical, deviation, weight) == pytest.approx(expected)


@unhurried
@given(bm25, weights)
def test_words_alone_never_reach_one(lexical: float, weight: float) -> None:
    assert 0 <= one(lexical, 0.0, weight) < 1


@unhurried
@given(days)
def test_decay_stays_between_nine_tenths_and_one(age: float) -> None:
    assert 0.9 <= float(decay(np.array([age]))[0]) <= 1.0


@unhurried
@given(days, days)
def test_the_older_never_weighs_more(first: float, second: float) -> None:
    younger, older = sorted((first, second))
    assert float(decay(np.array([older]))[0]) <= float(decay(np.array([younger]))[0])


@pytest.mark.parametrize(("age", "expected"), [(0, 1.0), (-365, 1.0), (HALF_LIFE_DAYS, 0.95), (1e9, 0.9)])
def test_decay_halves_its_tenth_every_month(age: float, expected: float) -> None:
    assert float(decay(np.array([age]))[0]) == pytest.approx(expected)
