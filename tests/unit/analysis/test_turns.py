"""Reading a user's turn: corrections, restatements, silence, praise, and what only looks like them."""

from __future__ import annotations

import pytest

from graphmem.analysis.turns import RESTATEMENTS, SILENCE_S, Turn, read_turn, restatements
from graphmem.domain.turns import TurnSignal


def signal(said: str, **told: object) -> TurnSignal:
    """The signal of a turn."""
    return read_turn(Turn(said, **told)).signal  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("不对，应该是七。", "七"),
        ("错了，是周三。", "是周三"),
        ("不是三，是四。", "四"),
        ("我要的是表格，不是图。", "表格"),
        ("正确答案是 9。", "9"),
        ("应该返回空，而不是报错。", "返回空"),
        ("你算错了。", ""),
        ("That's wrong, the capital is Bern.", "the capital is Bern"),
        ("No, it should be 7.5 percent.", "7.5 percent"),
        ("I meant the blue one, not the red one.", "the blue one"),
        ("It should have been `None`.", "None"),
        ("No, I don't want a chart, I want a table.", "a table"),
        ("You forgot the header.", ""),
        ("This is wrong. Use metres instead of feet.", "Use metres"),
    ],
)
def test_a_correction_with_what_is_right(said: str, expected: str) -> None:
    found = read_turn(Turn(said))
    assert (found.signal, found.expected) == (TurnSignal.CORRECTION, expected)


@pytest.mark.parametrize(
    "said",
    [
        "Is it wrong?",
        "Shouldn't it be 7?",
        "If that's wrong, show a message.",
        "Find the wrong rows.",
        'The user typed "that\'s wrong", what now?',
        "Translate “不对，应该是七” please",
        "I was wrong.",
        "That's not wrong.",
        "No, thanks.",
        "这不对吗？",
        "应该是七吗",
        "如果不对就报错。",
        "统计错误的行。",
        "他说“错了”，然后走了。",
        "我写错了。",
        "没错，就这样吧",
        "不对称的密钥怎么生成",
        "",
        "   ",
        "?!",
    ],
)
def test_what_only_looks_like_a_correction(said: str) -> None:
    assert signal(said) is not TurnSignal.CORRECTION


@pytest.mark.parametrize(
    "said",
    [
        "No, I haven't tried it.",
        "Nope, not yet.",
        "Nah, never been there.",
        "You never know!",
        "It's not just fun, it's work.",
    ],
)
def test_a_no_about_oneself_corrects_nobody(said: str) -> None:
    assert signal(said) is TurnSignal.NONE


def test_a_no_after_a_question_of_the_agent_is_an_answer() -> None:
    assert signal("No, use tabs.") is TurnSignal.CORRECTION
    assert signal("No, use tabs.", output="Shall I use spaces?") is TurnSignal.NONE
    assert signal("不，用制表符。", output="用空格吗？") is TurnSignal.NONE
    assert signal("No, that's wrong.", output="Is it 5?") is TurnSignal.CORRECTION
    assert signal("不对，应该是七。", output="是五吗？") is TurnSignal.CORRECTION


def test_a_correction_may_stand_after_a_question() -> None:
    assert signal("Why did you drop it? That's wrong.") is TurnSignal.CORRECTION
    assert signal("为什么？这样不对。") is TurnSignal.CORRECTION


@pytest.mark.parametrize(
    "said", ["Perfect!", "Yes, that's right.", "Works now, thanks", "搞定了！", "可以了，谢谢。"]
)
def test_praise(said: str) -> None:
    assert signal(said) is TurnSignal.SUCCESS


@pytest.mark.parametrize("said", ["Perfect?", "Can you make it perfect", "正确率是多少", "没问题。"])
def test_what_is_no_praise(said: str) -> None:
    assert signal(said) is TurnSignal.NONE


SAME = ("sum the sales per region", "the sales per region, summed", "please: region and its sales sum")


def test_a_task_said_again_the_third_time_is_a_failure_once() -> None:
    said = "sum of the sales for each region"
    assert [restatements(Turn(said, earlier=SAME[:n])) for n in range(4)] == [0, 1, 2, RESTATEMENTS]
    signals = [signal(said, earlier=SAME[:n]) for n in range(4)]
    assert signals == [TurnSignal.NONE] * 3 + [TurnSignal.RESTATED]
    assert signal(said, earlier=(*SAME, "sum the sales of every region")) is TurnSignal.NONE


def test_other_tasks_between_do_not_count() -> None:
    earlier = (*SAME[:2], "book a table for two", "what is the weather like")
    assert restatements(Turn("sum of the sales for each region", earlier=earlier)) == 2


def test_chinese_restatements_are_counted_too() -> None:
    earlier = ("把每个地区的销售额加起来", "按地区汇总销售额", "我想看各地区销售额合计")
    assert signal("每个地区的销售额汇总", earlier=earlier) is TurnSignal.RESTATED


def test_an_explicit_correction_goes_before_a_restatement() -> None:
    assert signal("No, sum the sales of each region.", earlier=SAME) is TurnSignal.CORRECTION


def test_silence_and_a_new_topic_is_a_weak_sign() -> None:
    said, asked = "what is the weather in Bern", "sum the sales per region"
    assert signal(said, asked=asked, silence_s=SILENCE_S) is TurnSignal.ABANDONED
    assert signal(said, asked=asked, silence_s=SILENCE_S - 1) is TurnSignal.NONE
    assert signal(said, asked=asked) is TurnSignal.NONE
    assert signal("and the sales per region of last year", asked=asked, silence_s=9e9) is TurnSignal.NONE


def test_quotations_in_what_is_right_come_back_whole() -> None:
    found = read_turn(Turn('No, it should be "Ann, not Anne" in the title.'))
    assert found.expected == '"Ann, not Anne" in the title'


def test_reading_is_bounded() -> None:
    assert signal("x " * 50_000 + "That's wrong.") is TurnSignal.NONE
