"""Two hundred simulated months with a known effect: is it found, and only where it is?"""

from __future__ import annotations

import pytest

from benchmarks.experiment import (
    EFFECTS,
    Verdict,
    before_after,
    by_coin,
    judge,
    month,
    months,
    months_without_a_coin,
)
from graphmem.domain.recurrence import Outcome

RUNS = 200


@pytest.fixture(scope="module", params=sorted(EFFECTS))
def verdicts(request: pytest.FixtureRequest) -> tuple[str, list[Verdict]]:
    """The name of the effect, and what each month says of it at a hold-out rate of one half."""
    change = EFFECTS[request.param]
    return request.param, [judge(by_coin(month(seed, change, 0.5)), change) for seed in range(RUNS)]


def said(verdicts: list[Verdict], name: str) -> float:
    """Share of the months that say so."""
    return sum(getattr(one, name) for one in verdicts) / len(verdicts)


def test_the_interval_covers_the_truth(verdicts: tuple[str, list[Verdict]]) -> None:
    """In .95 of the months, give or take what two hundred allow."""
    assert 0.90 <= said(verdicts[1], "covers") <= 0.985


def test_the_alarm_is_raised_by_harm_and_by_little_else(verdicts: tuple[str, list[Verdict]]) -> None:
    name, found = verdicts
    alarms = said(found, "harms")
    assert alarms >= 0.8 if name == "harms" else alarms <= 0.05


def test_help_is_found_and_not_imagined(verdicts: tuple[str, list[Verdict]]) -> None:
    name, found = verdicts
    helps = said(found, "helps")
    assert helps >= 0.8 if name == "helps" else helps <= 0.05


def test_before_and_after_see_help_in_what_does_nothing() -> None:
    """Why there is a coin: the rate falls by itself, and the comparison takes it for the memory's doing."""
    assert said(months_without_a_coin(50, 0.0), "helps") > 0.5


def test_who_looks_every_evening_is_alarmed_more_often() -> None:
    once = months(30, 0.0, 0.5)
    assert said(once, "harms_on_a_day") >= said(once, "harms")


def test_a_month_is_the_same_again_and_holds_every_outcome() -> None:
    trials = month(3, -0.15, 0.5)
    assert trials == month(3, -0.15, 0.5)
    assert trials != month(4, -0.15, 0.5)
    assert {one.outcome for one in trials} == {Outcome.RECURRED, Outcome.AVOIDED, Outcome.CENSORED}
    assert 0.15 < sum(one.outcome is Outcome.CENSORED for one in trials) / len(trials) < 0.25


def test_nothing_is_shown_before_the_introduction() -> None:
    trials = month(1, 0.0, 0.0, introduced=10)
    assert next(one.day for one in trials if one.shown) == 10
    with pytest.raises(ValueError, match="empty"):
        judge(before_after([one for one in trials if one.day > 10]), 0.0)
