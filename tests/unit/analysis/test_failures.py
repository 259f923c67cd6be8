from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from graphmem.analysis.failures import Failure, episodes, failure_of, words
from graphmem.domain.memories import Experience, Result, RootCause, RootCauseType, SearchField

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SITUATION, OUTCOME = (np.array(row, dtype="<f4").tobytes() for row in ((1, 0), (0, 1)))
EXPERIENCE = Experience(
    id="e1",
    namespace="main",
    occurred_at=NOON,
    recorded_at=NOON,
    task_id="task-7",
    task_type="report",
    action="Compute the average",
    context="rows = []",
    result=Result.FAILURE,
    tool="python",
    error_type="builtins.ZeroDivisionError",
    manifestation="Divided by zero.",
    correction="Return zero for an empty list.",
    vectors={SearchField.SITUATION: SITUATION, SearchField.OUTCOME: OUTCOME},
)


def test_a_failure_tells_its_outcome_with_that_texts_vector() -> None:
    failure = failure_of(EXPERIENCE)
    assert failure.account == EXPERIENCE.outcome
    assert failure.vector is not None
    assert failure.vector.tolist() == [0, 1]
    assert failure.situation == EXPERIENCE.situation
    assert (failure.correction, failure.tool, failure.task_type) == (
        EXPERIENCE.correction,
        "python",
        "report",
    )


@pytest.mark.parametrize("error_type", ["", "wrong_answer"])
def test_without_an_outcome_in_words_the_situation_is_compared(error_type: str) -> None:
    silent = replace(EXPERIENCE, error_type=error_type, manifestation="", correction="")
    failure = failure_of(silent)
    assert failure.account == silent.situation
    assert failure.vector is not None
    assert failure.vector.tolist() == [1, 0]


@pytest.mark.parametrize(
    "data",
    [b"", np.array([np.nan, 1], dtype="<f4").tobytes(), np.zeros(2, dtype="<f4").tobytes(), b"\0\0\0"],
    ids=["absent", "nan", "zero", "torn"],
)
def test_a_vector_that_cannot_be_compared_is_none(data: bytes) -> None:
    assert failure_of(replace(EXPERIENCE, vectors={SearchField.OUTCOME: data})).vector is None


def test_a_root_cause_that_a_rule_made_has_no_type() -> None:
    cause = RootCause("No check", RootCauseType.CAPABILITY_GAP, prevention="Check first.", source="llm")
    by_model = failure_of(replace(EXPERIENCE, root_cause=cause))
    by_rule = failure_of(replace(EXPERIENCE, root_cause=replace(cause, source="rule")))
    assert by_model.root_cause_type == "CAPABILITY_GAP"
    assert by_rule.root_cause_type == ""
    assert by_rule.root_cause == "No check"
    assert by_rule.prevention == "Check first."


def test_the_episode_is_the_task_else_the_session_else_the_memory() -> None:
    alone = replace(EXPERIENCE, task_id="", session_id="")
    found = [failure_of(memory) for memory in (EXPERIENCE, replace(alone, session_id="s"), alone)]
    assert [failure.episode for failure in found] == ["task-7", "s", "e1"]
    assert episodes([*found, found[0]]) == 3


def test_kinds_are_normalised_error_types() -> None:
    assert failure_of(EXPERIENCE).kind == ("zerodivisionerror", "")


def test_numbers_are_no_words_and_han_characters_are() -> None:
    assert words("Order 4711 failed at 2026-01-01") == words("Order 9 failed")
    assert {"连接池", "连", "接", "池"} <= set(words("连接池耗尽"))
    assert words("") == words("12 34") == ()


def test_the_language_is_that_of_the_account() -> None:
    assert Failure("a", "下标越界", "a").language == "zh"
    assert Failure("a", "index out of range", "a", situation="取第一条").language == "en"
