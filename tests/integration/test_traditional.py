"""A mistake written down in simplified Chinese is met by a question in traditional Chinese, and the other way."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphmem
from graphmem.domain.answers import Strength

SIMPLIFIED = ("解析价格字段", "输入空字符串")
TRADITIONAL = ("解析價格欄位", "輸入空字串")


@pytest.mark.parametrize(("written", "asked"), [(SIMPLIFIED, TRADITIONAL), (TRADITIONAL, SIMPLIFIED)])
def test_a_repeat_is_noticed_in_either_writing(
    tmp_path: Path, written: tuple[str, str], asked: tuple[str, str]
) -> None:
    with graphmem.open(f"sqlite:///{tmp_path / 'm.db'}", embedder="none") as memory:
        action, context = written
        memory.record(action, "FAILURE", context=context, error_type="ValueError", tool="parse")
        found = memory.recall("，".join(asked), tool="parse")
    assert [reminder.strength for reminder in found.reminders] == [Strength.REMIND]
    assert action in found.reminders[0].text
