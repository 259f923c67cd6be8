"""Unit tests of graphmem.domain.memories."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from graphmem.domain.memories import (
    KINDS,
    REF_LETTERS,
    Memory,
    MemoryKind,
    Result,
    RootCause,
    SearchField,
    Writer,
    is_failure,
    searchable,
)
from tests.builders import (
    T0,
    experience,
    fact,
    failure,
    full_experience,
    full_memories,
    pattern,
    strategy,
    vector,
)


def test_every_kind_has_a_class_and_a_letter() -> None:
    assert set(KINDS) == set(REF_LETTERS) == set(MemoryKind)
    assert all(made.kind is kind for kind, made in KINDS.items())
    assert "".join(REF_LETTERS.values()) == "FEPS"


def test_a_memory_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        fact().title = "x"  # type: ignore[misc]


def test_a_bare_memory_has_no_words() -> None:
    with pytest.raises(NotImplementedError, match="Memory"):
        _ = Memory(id="i", namespace="main", occurred_at=T0, recorded_at=T0).text


def test_the_defaults_of_a_memory() -> None:
    made = fact()
    assert (made.version, made.revision, made.ref, made.writer) == (1, 0, "", Writer())
    assert (made.writer.id, made.writer.trust) == ("unknown", 1.0)


def test_no_two_memories_share_their_containers() -> None:
    assert fact().metadata is not fact().metadata
    assert fact().vectors is not fact().vectors


@pytest.mark.parametrize(
    ("task", "session", "expected"),
    [("t", "s", "t"), ("t", "", "t"), ("", "s", "s"), ("", "", "the id")],
)
def test_an_episode_is_the_task_else_the_session_else_itself(task: str, session: str, expected: str) -> None:
    assert failure(id="the id", task_id=task, session_id=session).episode == expected


def test_the_words_of_each_kind() -> None:
    assert fact("so it is").text == "so it is"
    assert strategy("do so").text == "do so"
    assert (
        pattern("look first", trigger_conditions="empty", prevention="ask").text == "look first\nempty\nask"
    )
    assert pattern("look first").text == "look first"
    assert experience("act", context="there").text == "act\nthere"


def test_an_outcome_is_what_went_wrong_and_what_was_learnt() -> None:
    made = full_experience(root_cause=RootCause("nobody asked"))
    assert made.outcome.split("\n") == [
        "IndexError",
        "index 0 out of range",
        "nobody asked",
        "空数组要返回空结果",
        "check <X> first",
    ]
    assert made.text == f"{made.action}\n{made.context}\n{made.outcome}"


def test_a_lesson_that_a_pattern_wrote_back_is_not_ones_own() -> None:
    own = failure(generalization="check first", generalization_source="agent")
    assert own.outcome == "check first"
    assert replace(own, generalization_source="pattern").outcome == ""


def test_what_the_agent_had_and_expected_is_not_searched() -> None:
    made = failure("act", output="OUTPUT", expected="EXPECTED", trace="TRACE")
    words = " ".join(searchable(made).values())
    assert words == "act"


def test_an_experience_is_searched_by_two_fields() -> None:
    made = failure("act", context="there", error_type="KeyError")
    assert searchable(made) == {SearchField.SITUATION: "act\nthere", SearchField.OUTCOME: "KeyError"}


def test_without_an_outcome_there_is_no_outcome_text() -> None:
    assert searchable(experience("act")) == {SearchField.SITUATION: "act"}


@pytest.mark.parametrize("made", [item for item in full_memories() if item.kind is not MemoryKind.EXPERIENCE])
def test_the_other_kinds_are_searched_by_their_text(made: Memory) -> None:
    assert searchable(made) == {SearchField.TEXT: made.text}


@pytest.mark.parametrize("result", list(Result))
def test_only_an_experience_that_failed_is_a_failure(result: Result) -> None:
    assert is_failure(experience(result=result)) is (result is Result.FAILURE)
    assert not is_failure(fact())
    assert not is_failure(pattern())


def test_a_memory_is_printed_without_its_vectors() -> None:
    memory = failure("copy the file", vectors={SearchField.SITUATION: vector(1.0, 2.0)})
    assert "copy the file" in repr(memory)
    assert "vectors" not in repr(memory)
