"""The rule of the tiers, and which notes are needed for good."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from graphmem.domain.answers import Strength
from graphmem.domain.memories import Level, Tier
from graphmem.domain.recurrence import Answer, Exposure
from graphmem.domain.tiers import is_needed, tier_of
from tests.builders import T0

MOMENT = timedelta(microseconds=1)
WEEK, MONTH = timedelta(days=7), timedelta(days=30)


@pytest.mark.parametrize(
    ("age", "over", "speaks", "tier"),
    [
        (-MONTH, Level.HIGH, False, Tier.HOT),
        (WEEK, Level.HIGH, False, Tier.HOT),
        (WEEK + MOMENT, Level.NONE, False, Tier.WARM),
        (WEEK + MOMENT, Level.MEDIUM, False, Tier.COLD),
        (WEEK + MOMENT, Level.MEDIUM, True, Tier.WARM),
        (MONTH, Level.NONE, False, Tier.WARM),
        (MONTH + MOMENT, Level.NONE, False, Tier.COLD),
        (MONTH + MOMENT, Level.MEDIUM, True, Tier.COLD),
        (MONTH + MOMENT, Level.HIGH, True, Tier.WARM),
        (MONTH + MOMENT, Level.HIGH, False, Tier.COLD),
    ],
)
def test_tiers_by_age_and_pattern(age: timedelta, over: Level, speaks: bool, tier: Tier) -> None:
    assert tier_of(age, over, speaks) is tier


@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ({}, False),
        ({"shown": False}, False),
        ({"strength": Strength.ASK}, True),
        ({"said_at": T0}, True),
        ({"rate": 0.1}, True),
        ({"answer": Answer.REFUTED}, True),
    ],
)
def test_what_a_measurement_rests_on_is_needed(fields: dict[str, Any], needed: bool) -> None:
    assert is_needed(Exposure(id="e", session_id="s", lineage="l", memory_id="m", at=T0, **fields)) is needed
