"""General forms by rule: literals and nouns as their classes."""

from __future__ import annotations

import pytest

from graphmem.analysis.generalizing import READ, SAID, generalized, masked


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("see https://a.example/x?y=1 now", "see a URL now"),
        ("mail bo@example.org", "mail an address"),
        ("open /var/log/app.log", "open a path"),
        ("read prices.csv", "read a file"),
        ("at 2026-03-01T08:30 sharp", "at a time sharp"),
        ("from 1.2.3 on", "from a version on"),
        ("the label 'Wrong PIN' is off", "the label a text is off"),
        ("got 1,204 rows", "got a number rows"),
        ("call clean_rows and cleanRows", "call a name and a name"),
        ("id 0x80070005", "id an id"),
        ("the users list", "the records list-like data"),
        ("nothing here", "nothing here"),
    ],
)
def test_entities_become_their_classes(text: str, wanted: str) -> None:
    assert masked(text, chinese=False) == wanted


def test_the_articles_example_in_chinese() -> None:
    """处理用户列表时索引越界 and 处理订单列表时索引越界 have one general form (seed 1, 5.1)."""
    first, second = (generalized("处理", f"处理{name}列表时索引越界") for name in ("用户", "订单"))
    assert first == second == "处理记录列表类数据结构时索引越界"


def test_the_kind_of_input_stands_first() -> None:
    assert generalized("clean: rows = []", "it broke") == "empty boundary input []; it broke"
    assert generalized("清洗：行 = None", "崩溃").startswith("缺失值边界输入 None; ")


def test_what_belongs_to_no_class_has_no_general_form() -> None:
    assert generalized("deploy", "it broke") == ""


def test_without_an_outcome_the_situation_is_generalized() -> None:
    assert generalized("read prices.csv", "") == "read a file"


def test_long_texts_are_cut() -> None:
    assert len(generalized("a", "7 " * READ)) <= SAID
