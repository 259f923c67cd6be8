"""Tokens of a day: used up, overdrawn, and new with the next day."""

from __future__ import annotations

from datetime import timedelta

from graphmem.services.allowance import Allowance
from tests.builders import T0


def test_what_is_used_is_gone_until_the_next_day() -> None:
    now = [T0]
    allowance = Allowance(1_000, lambda: now[0])
    assert allowance.left == 1_000
    allowance.use(300)
    allowance.use(200)
    assert allowance.left == 500
    allowance.use(600)
    assert allowance.left == -100
    now[0] += timedelta(days=1)
    assert allowance.left == 1_000
    allowance.use(1)
    assert allowance.left == 999
