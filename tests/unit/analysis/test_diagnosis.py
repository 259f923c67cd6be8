"""The rule analyst: what a failure's own words tell, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.analysis.diagnosis import READ, SOURCE, diagnosed, error_type_of, root_cause_of
from graphmem.analysis.diagnosis_cues import CUES
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import ContextSufficiency, Result, RootCause, RootCauseType


def failure(**told: Any) -> ExperienceDraft:
    """A draft of a failure."""
    return ExperienceDraft(**({"action": "act", "result": Result.FAILURE} | told))


def kind(text: str) -> str:
    """The type that a manifestation tells, '' for none."""
    found = root_cause_of(failure(manifestation=text))
    return found.type.value if found and found.type else ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("nobody told the agent which account is meant", "INFORMATION_GAP"),
        ("没有说明要用哪个账户", "INFORMATION_GAP"),
        ("list index out of range", "CAPABILITY_GAP"),
        ("忘了处理空列表", "CAPABILITY_GAP"),
        ("the build tool reported success although nothing was built", "MISLEADING_FEEDBACK"),
        ("工具返回成功，其实什么也没做", "MISLEADING_FEEDBACK"),
        ("the call timed out", "SYSTEM_LIMIT"),
        ("磁盘已满，无法写入", "SYSTEM_LIMIT"),
        ("the customer is unhappy", ""),
        ("结果不太好", ""),
        ("sorted 503 rows into 429 bins and something is off", "CAPABILITY_GAP"),
    ],
)
def test_the_type_is_told_by_the_words(text: str, wanted: str) -> None:
    assert kind(text) == wanted


def test_bare_numbers_are_no_status_codes() -> None:
    assert kind("we got 503 rows") == ""
    assert kind("the service answered with status 503") == "SYSTEM_LIMIT"


def test_a_missing_answer_is_believed_before_a_crash() -> None:
    assert kind("KeyError: 'rate' - nobody told us the field") == "INFORMATION_GAP"
    assert kind("the message was misleading: permission denied, the disk was full") == "MISLEADING_FEEDBACK"


def test_sufficiency_follows_from_the_type() -> None:
    wanted = {
        "nobody told us": ContextSufficiency.INSUFFICIENT,
        "the hint was misleading": ContextSufficiency.MISLEADING,
        "forgot to check": ContextSufficiency.SUFFICIENT,
    }
    for text, sufficiency in wanted.items():
        found = root_cause_of(failure(manifestation=text))
        assert found is not None
        assert found.context_sufficiency is sufficiency


def test_a_silent_manifestation_lets_the_last_lines_of_output_and_trace_speak() -> None:
    output = "TimeoutError: solved\n" + "line\n" * 5 + "zsh: permission denied: ./run"
    found = root_cause_of(failure(manifestation="it stopped", output=output))
    assert found is not None
    assert found.type is RootCauseType.SYSTEM_LIMIT
    early = "connection refused\n" + "line\n" * 5
    assert root_cause_of(failure(manifestation="it stopped", trace=early)) is None


def test_reason_and_prevention_are_taken_where_they_are_said() -> None:
    said = "The upload broke because the token had expired. Next time, refresh it first."
    found = root_cause_of(failure(manifestation=said))
    assert found is not None
    assert (found.summary, found.prevention) == ("the token had expired", "refresh it first")
    said = "根因：缓存目录被删除。下次先检查目录是否存在。"
    found = root_cause_of(failure(manifestation=said))
    assert found is not None
    assert (found.summary, found.prevention) == ("缓存目录被删除", "先检查目录是否存在")


def test_an_explicit_root_cause_wins_over_because() -> None:
    said = "Failed because of a crash. Root cause: the disk is full."
    found = root_cause_of(failure(manifestation=said))
    assert found is not None
    assert found.summary == "the disk is full"


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ({"manifestation": "ValueError: bad, then KeyError"}, "ValueError"),
        (
            {"trace": "KeyError: 1\n...\nrequests.exceptions.ConnectTimeoutError: x"},
            "requests.exceptions.ConnectTimeoutError",
        ),
        ({"output": "got HTTP 404"}, "HTTP 404"),
        ({"output": "429 Too Many Requests"}, "HTTP 429"),
        ({"output": "subprocess.TimeoutExpired: 30 s"}, "subprocess.TimeoutExpired"),
        ({"manifestation": "an error occurred"}, ""),
        ({"output": "Errors: 3, ErrorHandlerFactory loaded"}, ""),
    ],
)
def test_the_error_type_is_a_name_that_stands_there(told: dict[str, str], wanted: str) -> None:
    assert error_type_of(failure(**told)) == wanted


def test_what_the_writer_gave_is_kept_whole() -> None:
    stated = RootCause("nobody asked", deviated_at=3)
    draft = failure(manifestation="TimeoutError: x", error_type="Slow", root_cause=stated)
    assert diagnosed(draft) == draft


def test_what_is_found_says_that_a_rule_found_it() -> None:
    found = diagnosed(failure(manifestation="TimeoutError: x"))
    assert found.error_type == "TimeoutError"
    assert found.root_cause is not None
    assert found.root_cause.source == SOURCE


@pytest.mark.parametrize("result", [Result.SUCCESS, Result.PARTIAL])
def test_only_failures_are_diagnosed(result: Result) -> None:
    draft = failure(result=result, manifestation="TimeoutError: x")
    assert diagnosed(draft) is draft


def test_nothing_told_is_nothing_found() -> None:
    assert diagnosed(failure(manifestation="it did not work out")).root_cause is None


def test_of_a_long_text_the_end_is_read() -> None:
    long = "TimeoutError " + "x" * READ
    assert error_type_of(failure(output=long)) == ""
    assert error_type_of(failure(output=long + " KeyError")) == "KeyError"


def test_every_type_has_cues_in_both_languages() -> None:
    assert set(CUES) == set(RootCauseType)
    for pattern in CUES.values():
        assert any(ord(char) > 0x4E00 for char in pattern.pattern)
