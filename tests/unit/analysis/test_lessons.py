"""Lessons by rule."""

from dataclasses import replace

import pytest

from graphmem.analysis.failures import Failure
from graphmem.analysis.lessons import best_supported, lesson_of, readable, same_lesson, spoken
from graphmem.domain.rules import TITLE_LENGTH

ENGLISH = [
    Failure(
        id=f"e{number}",
        account=f"KeyError\nThe rows were empty when the average was taken, run {number}.",
        episode=f"e{number}",
        error_type="KeyError",
        situation="Compute the average of rows = []",
        correction=correction,
        task_type="report",
        tool="python",
    )
    for number, correction in enumerate(
        ["Check for empty rows first.", "check for empty rows", "Buy a faster disk."]
    )
]
CHINESE = [
    Failure(f"z{number}", f"连接池耗尽，{what}超时。", f"z{number}", correction="归还连接。")
    for number, what in enumerate(("查询", "导出", "登录"))
]


def test_a_lesson_tells_what_went_wrong_when_and_what_helped() -> None:
    lesson = lesson_of(ENGLISH, "e1", ("empty", "averag", "row"))
    assert lesson.language == "en"
    assert lesson.title.startswith("The rows were empty")
    assert lesson.lesson.startswith("The rows were empty when the average was taken, run 1.")
    assert lesson.lesson.endswith("What helped: check for empty rows.")
    assert lesson.prevention == "check for empty rows"
    assert lesson.trigger_conditions == (
        "task type report; tool python; input: empty; words in common: empty, average, rows"
    )


def test_a_chinese_lesson_is_said_in_chinese() -> None:
    lesson = lesson_of(CHINESE, "z0", ("连接池",))
    assert lesson.language == "zh"
    assert lesson.lesson == "连接池耗尽，查询超时。有效的做法：归还连接。"
    assert lesson.trigger_conditions == "共同的词：连接池"


def test_the_language_is_that_of_most_members() -> None:
    assert spoken(ENGLISH + CHINESE[:2]) == "en"
    assert spoken(CHINESE + ENGLISH[:2]) == "zh"
    assert spoken([CHINESE[0], replace(ENGLISH[0], account="E")]) == "zh"


def test_the_remedy_is_the_one_that_most_episodes_support() -> None:
    told = [replace(failure, episode="same") for failure in ENGLISH[:2]] + [ENGLISH[2]]
    assert best_supported(told, lambda failure: failure.correction, "en") == "Buy a faster disk."
    assert best_supported(ENGLISH, lambda failure: failure.correction, "en") == "check for empty rows"
    assert best_supported(ENGLISH, lambda failure: "", "en") == ""


def test_a_remedy_in_the_lessons_language_comes_before_one_as_well_supported() -> None:
    pair = [replace(ENGLISH[0], correction="check first"), replace(CHINESE[0], correction="先检查")]
    assert best_supported(pair, lambda failure: failure.correction, "zh") == "先检查"
    assert best_supported(pair, lambda failure: failure.correction, "en") == "check first"


def test_an_analysed_root_cause_speaks_for_the_members() -> None:
    analysed = [
        replace(
            failure,
            root_cause="No one checks for empty input",
            root_cause_type="CAPABILITY_GAP",
            correction="",
        )
        for failure in ENGLISH
    ]
    lesson = lesson_of([replace(one, prevention="Validate input") for one in analysed], "e0")
    assert lesson.root_cause == "No one checks for empty input"
    assert lesson.root_cause_type == "CAPABILITY_GAP"
    assert lesson.prevention == "Validate input"
    assert lesson.title == "No one checks for empty input"


def test_without_remedies_none_is_made_up() -> None:
    lesson = lesson_of([replace(failure, correction="") for failure in ENGLISH], "unknown")
    assert lesson.prevention == ""
    assert "helped" not in lesson.lesson
    assert "run 0" in lesson.lesson


def test_long_and_empty_texts() -> None:
    long = lesson_of([replace(ENGLISH[0], account="word " * 5_000)], "e0")
    assert len(long.title) <= TITLE_LENGTH
    assert len(long.lesson) < 500
    assert lesson_of([Failure("a", "", "a")], "a").title == ""
    with pytest.raises(ValueError, match="at least one failure"):
        lesson_of([], "a")


def test_braces_in_a_text_are_text() -> None:
    lesson = lesson_of([replace(ENGLISH[0], account="Got {episodes} and {0}", correction="{x}")], "e0")
    assert "Got {episodes} and {0}" in lesson.lesson
    assert lesson.prevention == "{x}"


def test_the_lesson_does_not_depend_on_the_order_of_the_members() -> None:
    assert lesson_of(ENGLISH, "e2", ("row",)) == lesson_of(ENGLISH[::-1], "e2", ("row",))


def test_terms_are_shown_as_they_are_written_most_often() -> None:
    assert readable(("averag", "<empty>", "连接池"), ENGLISH + CHINESE) == ("average", "连接池")


def test_a_part_of_a_name_is_no_word_in_common() -> None:
    """ValueError is found by value as well, whose stem nobody writes; nor is E501 a stem."""
    failures = [Failure("e1", "ValueError: E501, rows were empty", "e1")]
    assert readable(("valueerror", "valu", "e501", "row"), failures) == ("valueerror", "e501", "rows")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Check for empty rows before averaging", "Check empty rows before averaging!", True),
        ("先检查列表是否为空", "先检查列表是不是为空", True),
        ("Check for empty rows", "Close the connection", False),
        ("Check for empty rows", "先检查列表是否为空", False),
        ("", "", True),
        ("", "Check", False),
    ],
)
def test_near_equal_lessons_are_the_same(first: str, second: str, same: bool) -> None:
    assert same_lesson(first, second) is same
    assert same_lesson(second, first) is same


def test_a_lesson_does_not_tell_the_remedy_twice() -> None:
    """The outcome that is compared holds error type and correction; the lesson says each once."""
    members = [
        Failure(
            f"e{n}",
            "KeyError\nthe price was gone\nlook it up",
            f"t{n}",
            error_type="KeyError",
            correction="look it up",
        )
        for n in range(3)
    ]
    assert lesson_of(members, "e0").lesson == "the price was gone. What helped: look it up."
    bare = [Failure(f"e{n}", "KeyError", f"t{n}", error_type="KeyError") for n in range(3)]
    assert lesson_of(bare, "e0").lesson == "KeyError."
    told = [
        Failure(f"e{n}", "boundary\nreturn none", f"t{n}", error_type="boundary", correction="return none")
        for n in range(3)
    ]
    assert lesson_of(told, "e0").lesson == "boundary. What helped: return none."
