"""Possible causes from text and time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.proposals import MAX_PROPOSALS, PROPOSED, QUOTE_LENGTH, Trail, propose

unhurried = settings(deadline=None)

LOG = "FATAL: could not open relation mapping file in pg_filenode.map"
EFFECT = Trail("effect", "restart the database", "", "ops", True, 100)


def trail(name: str, seconds: float, **fields: Any) -> Trail:
    """A failure of another agent that says nothing."""
    given: dict[str, Any] = {"text": "", "output": "", "agent": "", "failed": True}
    return Trail(id=name, seconds=seconds, **(given | fields))


def score(effect: Trail, *earlier: Trail, of: str) -> float:
    """The score of one of the proposals, 0 when it is not worthwhile."""
    return next((item.score for item in propose(effect, earlier) if item.id == of), 0.0)


trails = st.builds(
    Trail,
    st.uuids().map(str),
    st.text(max_size=60),
    st.text(max_size=60),
    st.sampled_from(["", "ops", "coder"]),
    st.booleans(),
    st.integers(0, 10**12).map(lambda microseconds: microseconds / 1e6),
)


@unhurried
@given(trails, st.lists(trails, max_size=10, unique_by=lambda item: item.id))
def test_proposals_are_few_likely_and_in_order(effect: Trail, earlier: list[Trail]) -> None:
    found = propose(effect, earlier)
    assert len(found) <= MAX_PROPOSALS
    assert all(PROPOSED <= item.score <= 1 for item in found)
    assert found == sorted(found, key=lambda item: (-item.score, item.id))
    assert {item.id for item in found} <= {item.id for item in earlier}


@unhurried
@given(trails, st.lists(trails, max_size=6, unique_by=lambda item: item.id))
def test_the_order_of_what_happened_is_read_from_the_times(effect: Trail, earlier: list[Trail]) -> None:
    assert propose(effect, earlier) == propose(effect, earlier[::-1])


def test_nothing_happened_before_nothing_is_proposed() -> None:
    assert propose(EFFECT, []) == []


def test_what_shares_the_state_beats_what_has_nothing_in_common() -> None:
    effect = replace(EFFECT, output="connection pool exhausted on db7")
    same = trail("same", 90, output="connection pool exhausted on db7")
    other = trail("other", 90, output="ordered lunch")
    assert score(effect, same, other, of="same") > score(effect, same, other, of="other")


def test_a_cause_whose_output_is_quoted_is_proposed_where_a_silent_one_is_too_far_back() -> None:
    effect = replace(EFFECT, text=f"the log said: {LOG}", seconds=4)
    between = [trail("second", 2), trail("third", 3)]
    (quoted,) = (
        item for item in propose(effect, [trail("far", 0, output=LOG), *between]) if item.id == "far"
    )
    assert "quotes its output" in quoted.reasons
    assert score(effect, trail("far", 0), *between, of="far") == 0


@pytest.mark.parametrize(("length", "is_quoted"), [(QUOTE_LENGTH - 1, False), (QUOTE_LENGTH, True)])
def test_a_quote_is_so_many_characters_in_a_row(length: int, is_quoted: bool) -> None:
    words = "abcdefghijklmnopqrstuvwxyz"[:length]
    (found,) = propose(replace(EFFECT, text=f"<{words}>"), [trail("cause", 99, output=f"({words})")])
    assert ("quotes its output" in found.reasons) is is_quoted


def test_shared_identifiers_are_named() -> None:
    effect = replace(EFFECT, text="cannot read /srv/data/orders_2026.csv")
    (found,) = propose(effect, [trail("cause", 99, output="wrote /srv/data/orders_2026.csv")])
    assert "names /srv/data/orders_2026.csv" in found.reasons


def test_short_numbers_are_no_identifiers() -> None:
    effect = replace(EFFECT, text="exit 42")
    (found,) = propose(effect, [trail("cause", 99, output="code 42")])
    assert not any(reason.startswith("names") for reason in found.reasons)


def test_what_failed_is_likelier_than_what_succeeded() -> None:
    failing, fine = trail("failing", 90), trail("fine", 90, failed=False)
    assert score(EFFECT, failing, fine, of="failing") > score(EFFECT, failing, fine, of="fine")


def test_a_failure_of_the_same_agent_is_likelier_a_repetition() -> None:
    own, others = trail("own", 90, agent="ops"), trail("others", 90, agent="coder")
    assert score(EFFECT, own, others, of="others") > score(EFFECT, own, others, of="own")


def test_nobody_is_no_agent() -> None:
    effect = replace(EFFECT, agent="")
    assert score(effect, trail("nobody", 90), of="nobody") == score(
        effect, trail("coder", 90, agent="coder"), of="coder"
    )


@pytest.mark.parametrize("pace", [0.001, 60, 86_400])
def test_the_rhythm_of_the_task_is_what_counts_not_its_seconds(pace: float) -> None:
    """The same story told in milliseconds or days has the same proposals."""
    story = [trail(f"t{number}", number * pace, output=f"step {number}") for number in range(4)]
    told = propose(replace(EFFECT, seconds=4 * pace, output="step 3"), story)
    usual = [trail(f"t{number}", number, output=f"step {number}") for number in range(4)]
    assert told == propose(replace(EFFECT, seconds=4, output="step 3"), usual)


@unhurried
@given(st.floats(0, 99), st.floats(0, 99))
def test_the_nearer_of_two_equal_ones_is_never_less_likely(first: float, second: float) -> None:
    far, near = sorted((first, second))
    both = trail("far", far), trail("near", near)
    assert score(EFFECT, *both, of="near") >= score(EFFECT, *both, of="far")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("mark", ["/", ".", "#", "_", "-", "a", "9", "a-", "/-", "日"])
def test_a_long_run_of_one_mark_does_not_stop_the_clock(mark: str) -> None:
    long = mark * (60_000 // len(mark)) + " "
    effect = replace(EFFECT, text=long)
    assert len(propose(effect, [trail("cause", 99, output=long)])) == 1
