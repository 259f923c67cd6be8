"""Intervals and tests against published figures, against scipy, and against their own promise of 95 %."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from scipy.stats.contingency import relative_risk

from graphmem.analysis.effects import ENOUGH, Z, effect, exact_p, fate, rate
from graphmem.domain.proof import Effect, Fate


def shares(first: tuple[int, int], second: tuple[int, int]) -> Effect:
    """First against second, each as count of n."""
    return effect(rate(*first), rate(*second))


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_figures_of_the_literature(count: int, n: int, low: float, high: float) -> None:
    """The four examples of Newcombe's paper on the single proportion (Stat. Med. 17, 857-872, table I)."""
    found = rate(count, n)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((5, 56), (0, 29), -0.0381, 0.1926),
    ],
)
def test_the_difference_has_the_interval_of_the_literature(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    """Examples of Newcombe's paper on the difference, method 10."""
    found = shares(first, second)
    assert found.low is not None
    assert found.high is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_the_exact_test_is_that_of_scipy(a: int, b: int, c: int, d: int) -> None:
    theirs = fisher_exact([[a, b], [c, d]]).pvalue
    assert exact_p(a, a + b, c, c + d) == pytest.approx(theirs, rel=1e-6)


def test_the_exact_test_bears_large_arms() -> None:
    assert exact_p(5_200, 20_000, 5_000, 20_000) == pytest.approx(
        fisher_exact([[5_200, 14_800], [5_000, 15_000]]).pvalue, rel=1e-6
    )


@given(st.integers(0, 200), st.integers(0, 200))
def test_a_share_lies_in_its_interval(count: int, rest: int) -> None:
    found = rate(count, count + rest)
    assert 0 <= found.low <= found.high <= 1
    if found.value is not None:
        assert found.low <= found.value <= found.high


@given(st.integers(0, 80), st.integers(0, 80), st.integers(0, 80), st.integers(0, 80))
def test_swapped_arms_give_the_mirrored_answer(a: int, b: int, c: int, d: int) -> None:
    there, back = shares((a, a + b), (c, c + d)), shares((c, c + d), (a, a + b))
    if there.difference is None:
        assert back.difference is None
        return
    assert back.low is not None
    assert there.high == pytest.approx(-back.low)
    assert there.p == pytest.approx(back.p)
    assert not (there.harm and back.harm)


@pytest.mark.parametrize(("p", "n"), [(0.05, 40), (0.3, 30), (0.5, 12)])
def test_a_wilson_interval_covers_in_about_95_percent(p: float, n: int) -> None:
    """Exactly: the binomial weight of the counts whose interval holds the truth (between .92 and .98)."""
    weight = sum(
        math.comb(n, k) * p**k * (1 - p) ** (n - k)
        for k in range(n + 1)
        if rate(k, n).low <= p <= rate(k, n).high
    )
    assert 0.92 < weight < 0.98


def test_a_difference_interval_covers_in_about_95_percent() -> None:
    """Exactly, over both binomials."""
    covered = 0.0
    n, m, p, q = 25, 30, 0.35, 0.2
    for a, b in product(range(n + 1), range(m + 1)):
        found = shares((a, n), (b, m))
        assert found.low is not None
        assert found.high is not None
        if found.low <= p - q <= found.high:
            weight = math.comb(n, a) * p**a * (1 - p) ** (n - a)
            covered += weight * math.comb(m, b) * q**b * (1 - q) ** (m - b)
    assert 0.92 < covered < 0.98


def test_without_an_arm_nothing_is_said() -> None:
    found = shares((3, 10), (0, 0))
    assert (found.difference, found.low, found.p, found.lift, found.harm) == (None, None, None, None, False)
    nothing = rate(0, 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, 0.0, 1.0)


def test_lift_is_the_share_that_was_saved() -> None:
    found = shares((10, 100), (40, 100))
    assert found.lift == pytest.approx(1 - relative_risk(10, 100, 40, 100).relative_risk)
    assert shares((10, 100), (0, 100)).lift is None


def test_the_alarm_needs_the_whole_interval() -> None:
    assert shares((30, 50), (10, 50)).harm
    assert not shares((12, 50), (10, 50)).harm
    assert not shares((10, 50), (30, 50)).harm


def test_fates() -> None:
    """Harm at any size; no help only with data that rule a use out; everything else waits."""
    assert fate(rate(*(30, 50)), rate(*(10, 50))) is Fate.HARMS
    assert fate(rate(*(300, 1_000)), rate(*(300, 1_000))) is Fate.DOES_NOT_HELP
    assert fate(rate(*(30, 100)), rate(*(30, 100))) is None
    assert fate(rate(*(10, 100)), rate(*(40, 100))) is None
    assert fate(rate(*(0, ENOUGH - 1)), rate(*(0, 5_000))) is None
    assert fate(rate(*(1, 10)), rate(*(0, 0))) is None


@pytest.mark.parametrize(("count", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_what_is_no_share_is_refused(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        rate(count, n)


def test_z_is_the_normal_quantile() -> None:
    assert pytest.approx(1.959964, abs=1e-6) == Z


def test_figures_are_plain_numbers() -> None:
    assert not isinstance(rate(1, 2).low, np.floating)
