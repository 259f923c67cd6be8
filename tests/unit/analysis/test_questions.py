"""What an analyst is asked: one table, in the words of each door."""

from __future__ import annotations

import pytest

from graphmem.analysis.questions import NAMES, QUESTIONS, questions
from graphmem.domain.analyses import WorkKind

ENGLISH, CHINESE = "clean the price column", "清洗价格列"


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
@pytest.mark.parametrize("kind", WorkKind)
def test_there_are_four_and_every_field_is_named(kind: WorkKind, text: str) -> None:
    asked = questions(kind, text)
    assert len(asked) == 4
    assert [question for question in asked if "{" in question or "}" in question] == []


def test_each_door_calls_the_fields_what_they_are_called_there() -> None:
    own = {name: f"<{name}>" for name in NAMES}
    last = questions(WorkKind.FAILURE, ENGLISH, own)[3]
    assert last.endswith("(<change_at>, <prevention>)")
    assert questions(WorkKind.FAILURE, ENGLISH)[3].endswith("(changeAt, prevention)")


@pytest.mark.parametrize("kind", WorkKind)
def test_both_languages_ask_for_the_same(kind: WorkKind) -> None:
    english, chinese = ("".join(QUESTIONS[kind, language]) for language in ("en", "zh"))
    for name in NAMES:
        field = "{" + name + "}"
        assert english.count(field) == chinese.count(field)


def test_the_language_is_that_of_the_text_or_english() -> None:
    assert questions(WorkKind.FAILURE, "1234") == questions(WorkKind.FAILURE, ENGLISH)
    assert questions(WorkKind.FAILURE, CHINESE)[0].startswith("Agent 的决策在哪里偏离了正确方向？")
