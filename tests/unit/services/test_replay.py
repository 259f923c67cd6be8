"""Replay: what was said then, what would be said now, and no peeking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.answers import Strength
from graphmem.domain.drafts import PatternReview
from graphmem.domain.memories import PatternStatus, Result
from graphmem.domain.replaying import Miss, Replayed, ReplayedFailure
from graphmem.services import replay
from graphmem.services.replay import question_of
from graphmem.wiring import Services
from tests.builders import NS, T0, Clock, full_experience
from tests.services import asked, failed, opened, recorded, refused, state

FAULT: dict[str, Any] = {
    "context": "input [None]",
    "tool": "cleaner",
    "error_type": "boundary input",
    "manifestation": "broke on an empty cell",
    "correction": "return an empty result",
}
ACTION = "clean the price column"


@pytest.fixture
def memory(path: Path) -> Iterator[Services]:
    """Services without vectors: what is found is found by words, so that each step can be told."""
    with opened(path, words_only=True, clock=Clock()) as made:
        yield made


def fail(services: Services, task: str = "", **fields: Any) -> str:
    return failed(services, **({"action": ACTION, "task_id": task} | FAULT | fields)).memory.ref


def replayed(services: Services, since: Any = T0) -> Replayed:
    return services.replay.replay(NS, since)


def items(services: Services) -> dict[str, ReplayedFailure]:
    return {item.failure.ref: item for item in replayed(services).items}


def test_nothing_is_replayed_of_nothing(memory: Services) -> None:
    found = replayed(memory)
    assert (found.failures, found.repeats, found.items, found.truncated) == (0, 0, (), False)
    assert (found.said_now.value, found.disturbed.value) == (None, None)


def test_the_first_of_its_kind_cannot_be_caught(memory: Services) -> None:
    fail(memory, "one")
    (item,) = replayed(memory).items
    assert (item.earlier, item.then, item.now, item.miss) == (0, None, None, Miss.NOTHING_KNOWN)
    assert replayed(memory).repeats == 0


def test_a_repeat_that_nobody_asked_about_would_be_caught(memory: Services) -> None:
    for task in ("one", "two"):
        fail(memory, task)
    second = items(memory)["E-2"]
    assert (second.earlier, second.then, second.now, second.miss) == (1, None, Strength.REMIND, None)
    found = replayed(memory)
    assert (found.failures, found.repeats) == (2, 1)
    assert (found.said_then.value, found.said_now.value) == (0, 1)


def test_what_was_said_then_is_told(memory: Services) -> None:
    """Told in the session before it failed, not told in another one, and told only afterwards."""
    fail(memory, "one")
    asked(memory, f"{ACTION}, input [None]", session_id="told")
    fail(memory, "two", session_id="told")
    fail(memory, "three", session_id="silent")
    asked(memory, f"{ACTION}, input [None]", session_id="silent")
    found = items(memory)
    assert found["E-2"].then is Strength.REMIND
    assert (found["E-3"].then, found["E-3"].now) == (None, Strength.REMIND)
    whole = replayed(memory)
    assert (whole.said_then.count, whole.said_now.count, whole.said_now.n) == (1, 2, 2)


def test_no_peeking(memory: Services) -> None:
    """A failure is met with what had been recorded before it, whatever its time of happening says."""
    fail(memory, "late", occurred_at=T0.replace(hour=9))
    fail(memory, "early", occurred_at=T0.replace(hour=7))
    found = {item.failure.ref: item.earlier for item in replayed(memory, T0.replace(hour=0)).items}
    assert found == {"E-1": 0, "E-2": 0}


def test_the_own_task_is_no_memory(memory: Services) -> None:
    """A retry in the same task is not caught by the step before it."""
    for _ in range(3):
        fail(memory, "one")
    assert [(item.earlier, item.now) for item in replayed(memory).items] == [(0, None)] * 3


def test_a_pattern_speaks_only_once_it_was_known(memory: Services) -> None:
    """Muted, it silences the failures after its third episode; those before it were met without a pattern."""
    for number in range(5):
        fail(memory, f"t{number}")
    memory.curate.review_pattern(NS, PatternReview(id="P-1", status=PatternStatus.MUTED))
    assert [item.said_now for item in replayed(memory).items] == [False, False, True, True, False]


def test_not_found_without_a_word_in_common(memory: Services) -> None:
    """One mistake by its outcome, in a situation that shares no word."""
    fail(memory, "one")
    fail(memory, "two", action="tidy up", context="all sheets", tool="")
    second = items(memory)["E-2"]
    assert (second.earlier, second.now, second.miss) == (1, None, Miss.NOT_FOUND)
    assert second.nearest is not None
    assert (second.nearest.memory.ref, second.nearest.lexical_score, second.nearest.deviation) == (
        "E-1",
        0,
        None,
    )


def test_found_but_behind_others(memory: Services) -> None:
    """Three failures of another kind fit the situation better and take the places of the list."""
    fail(memory, "one", context="input [None] of the suppliers", tool="")
    for task in ("a", "b", "c"):
        other = {"manifestation": "the disk was full", "error_type": "OSError", "correction": "", "tool": ""}
        fail(memory, task, action="write the sheet of totals", context=f"page {task}", **other)
    fail(memory, "two", action="write the sheet of totals", context="page d of the suppliers", tool="")
    last = items(memory)["E-5"]
    assert (last.earlier, last.now, last.miss, last.others) == (1, None, Miss.BEHIND, 1)


def test_listed_but_not_sure(memory: Services) -> None:
    """A mistake told in other words and on another input is listed; one earlier failure is not sure enough."""
    fail(memory, "one")
    fail(memory, "two", action="clean the age column of clients", context="rows = {}")
    second = items(memory)["E-2"]
    assert (second.earlier, second.now, second.miss) == (1, Strength.BACKGROUND, Miss.NOT_SURE)
    assert second.nearest is not None
    assert second.nearest.memory.ref == "E-1"
    assert second.nearest.lexical_score > 0


def test_what_worked_is_the_counterweight(memory: Services) -> None:
    fail(memory, "one")
    recorded(memory, ACTION, context="input [None]", tool="cleaner", task_id="two")
    recorded(memory, "read the news", task_id="three")
    found = replayed(memory)
    assert (found.disturbed.count, found.disturbed.n) == (1, 2)


def test_only_since_and_at_most_so_many(memory: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in ("one", "two", "three"):
        fail(memory, task)
    late = memory.store.get(NS, ["E-3"])["E-3"].occurred_at
    assert [item.failure.ref for item in replayed(memory, late).items] == ["E-3"]
    found = memory.replay.replay(NS, T0, most=2)
    assert ([item.failure.ref for item in found.items], found.truncated) == (["E-3", "E-2"], True)
    monkeypatch.setattr(replay, "MOST_WORKED", 0)
    recorded(memory, "a")
    assert replayed(memory).disturbed.n == 0


def test_it_writes_nothing(memory: Services) -> None:
    fail(memory, "one")
    fail(memory, "two", session_id="s")
    before = state(memory)
    replayed(memory)
    assert state(memory) == before
    assert refused(memory, memory.replay.replay, NS, T0.replace(tzinfo=None)) == "BAD_INPUT since"


def test_the_question_holds_nothing_of_the_outcome() -> None:
    experience = full_experience(result=Result.FAILURE)
    question = question_of(experience)
    assert (question.situation, question.concern) == (experience.situation, "")
    assert (question.keys.tool, question.keys.agent, question.keys.task_type) == ("bash", "agent-1", "coding")
    assert experience.correction not in question.situation
