"""Episodes are read in order of time, and a stated cause comes before its effect whatever the clock says."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from graphmem.analysis.history import by_episode, causes_first, stated_pairs
from graphmem.domain.causation import CauseEdge, Grade
from tests.builders import T0, refuted
from tests.unit.analysis.causal import edge, happened


def order(*placed: tuple[str, float], stated: tuple[tuple[str, str], ...] = ()) -> list[str]:
    """Ids of one episode as they are read, for (id, seconds) and (effect, cause)."""
    read = by_episode(happened(name, seconds) for name, seconds in placed)
    return [event.id for event in causes_first(read, stated)["task"]]


def test_events_are_read_in_order_of_time_and_equal_times_in_order_of_ids() -> None:
    assert order(("c", 1), ("b", 0), ("a", 1)) == ["b", "a", "c"]


def test_a_stated_cause_of_the_same_time_comes_first() -> None:
    assert order(("a", 0), ("b", 0), ("c", 0), stated=(("a", "c"),)) == ["b", "c", "a"]


def test_a_stated_cause_of_a_later_time_comes_first() -> None:
    assert order(("end", 0), ("cause", 3), ("after", 5), stated=(("end", "cause"),)) == [
        "cause",
        "end",
        "after",
    ]


def test_in_a_circle_of_statements_time_decides() -> None:
    assert order(("a", 0), ("b", 1), stated=(("a", "b"), ("b", "a"))) == ["a", "b"]


def test_what_is_stated_of_other_episodes_or_of_itself_moves_nothing() -> None:
    assert order(("a", 0), ("b", 1), stated=(("a", "elsewhere"), ("a", "a"), ("elsewhere", "b"))) == [
        "a",
        "b",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_with_any_statements_that_are_no_circle_all_causes_come_first(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"n{number}" for number in range(12)]
    true = chance.sample(names, len(names))
    stated = tuple((true[j], true[i]) for i in range(12) for j in range(i + 1, 12) if chance.random() < 0.2)
    found = order(*((name, chance.randrange(4)) for name in names), stated=stated)
    assert sorted(found) == sorted(names)
    assert all(found.index(cause) < found.index(effect) for effect, cause in stated)


def test_a_chain_told_backwards_is_turned_round() -> None:
    names = [f"n{number:04}" for number in range(2_000)]
    assert order(*((name, 0) for name in names), stated=tuple(pairwise(names))) == names[::-1]


def test_inferred_and_refuted_edges_state_nothing() -> None:
    wrong = CauseEdge(from_id="b", to_id="a", recorded_at=T0, verdicts=(refuted(),))
    assert stated_pairs(
        [wrong, edge("c", "a", grade=Grade.INFERRED), edge("d", "a", grade=Grade.TRACED)]
    ) == [("d", "a")]
