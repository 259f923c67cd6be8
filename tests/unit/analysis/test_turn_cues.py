"""Cues alone, a sentence each: the phrases of seed 1, 4.2 are among them."""

from __future__ import annotations

import pytest

from graphmem.analysis import turn_cues as cues


@pytest.mark.parametrize("sentence", ["不对", "错了", "不对，应该是三", "这个结果不对", "又错了"])
def test_chinese_rejections(sentence: str) -> None:
    assert cues.ZH_REJECTION.search(sentence)


@pytest.mark.parametrize(
    "sentence", ["that's wrong", "no, it should be three", "you are wrong", "Still wrong."]
)
def test_english_rejections(sentence: str) -> None:
    assert cues.EN_REJECTION.search(sentence)


@pytest.mark.parametrize("sentence", ["应该是三，不是四", "我说的是三"])
def test_chinese_replacements(sentence: str) -> None:
    assert cues.ZH_REPLACEMENT.search(sentence)


@pytest.mark.parametrize("sentence", ["it should be three, not four", "The correct value is 3"])
def test_english_replacements(sentence: str) -> None:
    assert cues.EN_REPLACEMENT.search(sentence)


@pytest.mark.parametrize("sentence", ["如果不对就停", "没错", "是我错了"])
def test_chinese_sentences_about_something_else(sentence: str) -> None:
    assert cues.ZH_OTHERWISE.search(sentence)


@pytest.mark.parametrize("sentence", ["if it is wrong, stop", "I was wrong", "nothing is wrong"])
def test_english_sentences_about_something_else(sentence: str) -> None:
    assert cues.EN_OTHERWISE.search(sentence)


def test_praise_stands_at_the_start() -> None:
    assert cues.EN_SUCCESS.match("Great, it works")
    assert not cues.EN_SUCCESS.match("make it perfect")
    assert cues.ZH_SUCCESS.match("对，没错")
    assert not cues.ZH_SUCCESS.match("检查是否正确")
