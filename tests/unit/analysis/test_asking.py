"""When past failures are worth a question, and how much of what worked speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.asking import ASK_FAILURES, ASK_SHARE, failing_share, questions
from graphmem.analysis.inputs import profile
from graphmem.analysis.past_runs import Asked, PastFailure, PastSuccess

unhurried = settings(deadline=None)
nearnesses = st.lists(st.floats(0, 1.3), min_size=ASK_FAILURES, max_size=20)


def failures(*nearness: float, text: str = "read the ledger", tool: str = "bash") -> list[PastFailure]:
    """Failures of one tool and error class that are relevant enough."""
    return [
        PastFailure(f"e{n}", 0.5, f"{text} {n}", f"{text} {n}", "keyerror", tool, "", nearness=near)
        for n, near in enumerate(nearness)
    ]


def successes(count: int, nearness: float, text: str = "read it", tool: str = "bash") -> list[PastSuccess]:
    """So many that worked, all as near."""
    return [PastSuccess(text, tool, nearness)] * count


def asks(
    worked: Sequence[PastSuccess],
    failed: Sequence[PastFailure],
    situation: str = "read a ledger",
    tool: str = "",
) -> bool:
    """Whether a question is asked."""
    special = {failure.id: profile(failure.situation).special for failure in failed}
    return bool(list(questions(Asked(situation, tool), failed, special, (), lambda: worked)))


MOST = 6
"""So many nearer successes leave (3 - 1) / (3 + 6 - 1) = one in four."""


def test_without_successes_three_failures_ask() -> None:
    assert asks([], failures(0.5, 0.4, 0.3))


@pytest.mark.parametrize(("nearer", "spoken"), [(MOST, True), (MOST + 1, False)])
def test_a_question_is_asked_while_every_fourth_of_the_nearest_failed(nearer: int, spoken: bool) -> None:
    assert asks(successes(nearer, 0.35), failures(0.5, 0.4, 0.3)) is spoken


def test_successes_in_situations_further_off_than_the_third_failure_do_not_count() -> None:
    assert asks(successes(100, 0.29), failures(0.5, 0.4, 0.3))
    assert not asks(successes(100, 0.3), failures(0.5, 0.4, 0.3))


def test_more_failures_among_the_nearest_outweigh_more_successes() -> None:
    tied = [0.3] * 6
    assert asks(successes(15, 0.3), failures(*tied))
    assert not asks(successes(16, 0.3), failures(*tied))


def test_what_worked_with_another_tool_does_not_count_where_a_tool_is_named() -> None:
    other = successes(50, 0.9, tool="mail")
    assert asks(other, failures(0.5, 0.4, 0.3), tool="bash")
    assert not asks(other, failures(0.5, 0.4, 0.3))
    assert not asks(successes(50, 0.9, tool=""), failures(0.5, 0.4, 0.3), tool="bash")


@pytest.mark.parametrize(
    ("worked_on", "spoken"),
    [("mean of [3, 5, 8]", True), ("mean of a list", True), ("mean of None", True), ("mean of []", False)],
)
def test_only_what_worked_on_the_same_special_input_speaks_against_asking_about_it(
    worked_on: str, spoken: bool
) -> None:
    failed = failures(0.5, 0.4, 0.3, text="mean of []")
    assert asks(successes(50, 0.9, worked_on), failed, "median of []") is spoken


@pytest.mark.parametrize(("worked_on", "spoken"), [("copy [] again", True), ("copy 3 files", False)])
def test_what_worked_on_a_special_input_says_nothing_about_an_ordinary_one(
    worked_on: str, spoken: bool
) -> None:
    assert (
        asks(successes(50, 0.9, worked_on), failures(0.5, 0.4, 0.3, text="copy file"), "copy 4 files")
        is spoken
    )


def test_what_an_applied_reminder_averted_speaks_for_the_question() -> None:
    plain = successes(12, 0.9)
    averted = [replace(one, averted=True) for one in successes(5, 0.95)]
    assert not asks(plain, failures(0.5, 0.4, 0.3))
    assert asks([*plain, *averted], failures(0.5, 0.4, 0.3))


def test_what_worked_is_asked_for_only_where_a_question_hangs_on_it() -> None:
    def never() -> list[PastSuccess]:
        raise AssertionError("nobody needs to know")

    special = {f"e{n}": frozenset[str]() for n in range(3)}
    two = failures(0.5, 0.4)
    assert list(questions(Asked("read a ledger"), two, special, (), never)) == []  # type: ignore[arg-type]
    three = failures(0.5, 0.4, 0.3)
    assert list(questions(Asked("read a ledger"), three, special, ("e1",), never)) == []  # type: ignore[arg-type]


@unhurried
@given(nearnesses, st.lists(st.floats(0, 1.3), max_size=40))
def test_the_share_is_one_and_falls_with_what_worked(failed: list[float], worked: list[float]) -> None:
    assert failing_share(failed, []) == 1.0
    shares = [failing_share(failed, worked[:count]) for count in range(len(worked) + 1)]
    assert shares == sorted(shares, reverse=True)
    assert all(0 < share <= 1 for share in shares)


@pytest.mark.parametrize("share", [0.1, ASK_SHARE, 0.6])
def test_the_share_is_right_on_average(share: float) -> None:
    """Runs that fail by a coin, looked at from the nearest on: the mean estimate is the coin's share."""
    chance, estimates = Random(1), []
    for _ in range(4_000):
        runs = [chance.random() < share for _ in range(200)]
        near = [1 - place / 200 for place in range(200)]
        failed = [nearness for nearness, fails in zip(near, runs, strict=True) if fails]
        worked = [nearness for nearness, fails in zip(near, runs, strict=True) if not fails]
        if len(failed) >= ASK_FAILURES:
            estimates.append(failing_share(failed, worked))
    assert sum(estimates) / len(estimates) == pytest.approx(share, abs=0.01)
