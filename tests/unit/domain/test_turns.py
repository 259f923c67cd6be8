"""The signals that a turn can give, under the names that the schema shows."""

from __future__ import annotations

from graphmem.domain.turns import ObservedTurn, TurnSignal


def test_a_turn_that_led_to_nothing_says_so() -> None:
    found = ObservedTurn(signal=TurnSignal.NONE)
    assert (found.expected, found.fact, found.experience) == ("", None, None)


def test_signals_are_named_as_in_the_schema() -> None:
    assert [str(signal) for signal in TurnSignal] == [
        "CORRECTION",
        "RESTATED",
        "ABANDONED",
        "SUCCESS",
        "NONE",
    ]
