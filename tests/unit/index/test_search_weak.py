"""What went wrong and is only the nearest there is: listed, marked, and in nobody's way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from graphmem.domain.memories import Memory, MemoryKind, Result, SearchField
from graphmem.index.search import RANKED, Search, search
from tests.builders import at, experience, fact, failure
from tests.unit.index.test_search import SPACE, index_of, prepared

ASKED = "disks"


def lying(deviation: float) -> bytes:
    """A vector so many deviations above chance from what is asked."""
    asked = prepared(ASKED).vector
    assert asked is not None
    other = np.zeros_like(asked)
    other[int(np.argmin(np.abs(asked)))] = 1
    other -= asked * float(asked @ other)
    other /= np.linalg.norm(other)
    cosine = SPACE.cosine(deviation)
    return bytes((cosine * asked + np.sqrt(1 - cosine**2) * other).astype("<f4").tobytes())


def told(memory: Memory, deviation: float) -> Memory:
    """The memory, with its situation or text there."""
    name = SearchField.SITUATION if memory.kind is MemoryKind.EXPERIENCE else SearchField.TEXT
    return replace(memory, vectors={name: lying(deviation)})


def found(*memories: Memory, kind: MemoryKind = MemoryKind.EXPERIENCE, **given: Any) -> dict[str, bool]:
    """What a question lists, by id: whether it is weak; best first."""
    wanted: dict[str, Any] = {"concern": None, "keys": {}, "now": at(0), "situation": prepared(ASKED)}
    return {hit.id: hit.weak for hit in search(index_of(*memories), Search(kind=kind, **(wanted | given)))}


@pytest.mark.parametrize(
    ("deviation", "listed"), [(3.0, [False]), (1.9, [True]), (0.1, [True]), (-0.1, []), (-3.0, [])]
)
def test_a_failure_above_chance_is_listed_and_marked(deviation: float, listed: list[bool]) -> None:
    assert list(found(told(failure("xyz"), deviation)).values()) == listed


@pytest.mark.parametrize("result", [Result.SUCCESS, Result.PARTIAL, Result.FAILURE])
def test_of_experiences_only_what_went_wrong_is_listed_so(result: Result) -> None:
    memory = told(experience("xyz", result=result), 1.5)
    assert bool(found(memory)) is (result is not Result.SUCCESS)


def test_a_fact_is_never_listed_so() -> None:
    assert found(told(fact("xyz"), 1.5), kind=MemoryKind.FACT) == {}


def test_where_no_meaning_is_compared_nothing_is_near() -> None:
    assert found(told(failure("xyz"), 1.5), situation=prepared(ASKED, words_only=True)) == {}
    assert found(failure("xyz")) == {}


@pytest.mark.parametrize("reason", [{"tool": "bash"}, {"correction": ASKED}])
def test_a_word_or_the_very_tool_makes_it_fit(reason: dict[str, str]) -> None:
    memory = told(failure("xyz", **reason), 0.5)
    assert found(memory, keys={"tool": "bash"}) == {memory.id: False}


def test_many_weak_ones_leave_room_for_those_that_fit() -> None:
    weak = [told(failure("xyz"), 1.9) for _ in range(RANKED + 5)]
    fitting = [told(failure("xyz", correction=f"{ASKED} {'y ' * 90}"), -2.5) for _ in range(RANKED)]
    listed = found(*weak, *fitting)
    assert {memory.id for memory in fitting} <= listed.keys()
    assert sum(listed.values()) == RANKED
