"""Lessons over the memories of a walk: the ones that may be said, over most of them first."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.memories import Level, PatternStatus, State, StrategyStatus
from graphmem.services.lessons_over import lessons_over
from tests.builders import pattern, strategy


def told(**fields: Any) -> Any:
    """A pattern that may be said."""
    return pattern(level=Level.MEDIUM, **fields)


def test_lessons_over_most_of_the_walk_come_first() -> None:
    rare, common, above = told(), told(), strategy()
    generals = {"a": [rare.id, common.id], "b": [common.id], rare.id: [above.id], common.id: [above.id]}
    held = {item.id: item for item in (rare, common, above)}
    assert lessons_over(["a", "b", "c"], generals, held) == ((common, rare), (above,))
    assert lessons_over(["b"], generals, held) == ((common,), (above,))
    assert lessons_over(["c"], generals, held) == ((), ())


@pytest.mark.parametrize(
    "fields",
    [{"level": Level.NONE}, {"status": PatternStatus.MUTED}, {"state": State.RETRACTED}],
)
def test_what_is_not_said_elsewhere_is_not_said_here(fields: dict[str, Any]) -> None:
    """Nor are the strategies of such a pattern."""
    silent, above = pattern(**({"level": Level.HIGH} | fields)), strategy()
    generals = {"a": [silent.id], silent.id: [above.id]}
    assert lessons_over(["a"], generals, {silent.id: silent, above.id: above}) == ((), ())


def test_a_settled_pattern_is_told_with_its_status() -> None:
    settled = told(status=PatternStatus.RESOLVED)
    assert lessons_over(["a"], {"a": [settled.id]}, {settled.id: settled}) == ((settled,), ())


def test_a_retired_strategy_is_left_out() -> None:
    one, retired = told(), strategy(status=StrategyStatus.RETIRED)
    generals = {"a": [one.id], one.id: [retired.id]}
    assert lessons_over(["a"], generals, {one.id: one, retired.id: retired}) == ((one,), ())


def test_what_was_removed_meanwhile_is_passed_over() -> None:
    assert lessons_over(["a"], {"a": ["gone"], "gone": ["also gone"]}, {}) == ((), ())
