"""The order in which cues are believed, and words that are none."""

from __future__ import annotations

import pytest

from graphmem.analysis.diagnosis_cues import CAPABILITY, CUES, INFORMATION, MISLEADING, SYSTEM
from graphmem.domain.memories import RootCauseType


def test_the_agents_own_fault_is_believed_last() -> None:
    assert list(CUES)[-1] is RootCauseType.CAPABILITY_GAP
    assert next(iter(CUES)) is RootCauseType.MISLEADING_FEEDBACK


@pytest.mark.parametrize("text", ["all went well", "the cache was cleared", "一切正常", "文档已更新"])
def test_ordinary_words_are_no_cues(text: str) -> None:
    assert not any(pattern.search(text) for pattern in CUES.values())


@pytest.mark.parametrize(
    "text",
    ["tests passed but only because they were skipped", "文档过时了", "exit code 0 although it crashed"],
)
def test_feedback_that_said_something_false(text: str) -> None:
    assert MISLEADING.search(text)


@pytest.mark.parametrize("text", ["out of memory", "rate limit hit", "没有权限", "步数上限"])
def test_limits_of_the_system(text: str) -> None:
    assert SYSTEM.search(text)
    assert not INFORMATION.search(text)


@pytest.mark.parametrize("text", ["the unit was never specified", "unclear task", "信息不足", "需求有歧义"])
def test_missing_information(text: str) -> None:
    assert INFORMATION.search(text)


@pytest.mark.parametrize("text", ["off-by-one", "skipped the check", "除以零", "忽略了要求"])
def test_what_the_agent_did_wrong(text: str) -> None:
    assert CAPABILITY.search(text)
