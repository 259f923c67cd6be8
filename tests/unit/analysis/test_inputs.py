"""Which literals tell of an input that ordinary code forgets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.inputs import InputClass, profile

unhurried = settings(deadline=None)

EMPTY, MISSING, ZERO = InputClass.EMPTY, InputClass.MISSING, InputClass.ZERO
NEGATIVE, SINGLE, HUGE = InputClass.NEGATIVE, InputClass.SINGLE, InputClass.HUGE

SPECIAL = [
    ("rows = []", EMPTY),
    ("rows = [ ]", EMPTY),
    ("options = {}", EMPTY),
    ("args = ()", EMPTY),
    ('name = ""', EMPTY),
    ("name = ''", EMPTY),
    ("parse the price field, input '   '", EMPTY),
    ('name="  "', EMPTY),
    ("parse the empty list", EMPTY),
    ("an Empty file was uploaded", EMPTY),
    ("the field is blank", EMPTY),
    ("the query gave no rows", EMPTY),
    ("no records matched", EMPTY),
    ("rows returned: 0 rows", EMPTY),
    ("zero hits", EMPTY),
    ("求空数组的平均值", EMPTY),
    ("输入为空", EMPTY),
    ("空字符串怎么处理", EMPTY),
    ("长度为 0", EMPTY),
    ("没有任何数据", EMPTY),
    ("没有记录可用", EMPTY),
    ("查询返回 0 行", EMPTY),
    ("一共0条", EMPTY),
    ("price = None", MISSING),
    ("value: null", MISSING),
    ("x is nil", MISSING),
    ("mean of [1, NaN, 3]", MISSING),
    ("the age is undefined", MISSING),
    ("age: N/A", MISSING),
    ("the column is missing", MISSING),
    ("年龄缺失", MISSING),
    ("缺少邮箱", MISSING),
    ("电话未填", MISSING),
    ("值为None", MISSING),
    ("divisor = 0", ZERO),
    ("divide by x=0", ZERO),
    ("divide by x = 0.", ZERO),
    ("count: 0", ZERO),
    ("命中数：0", ZERO),
    ("count = 0.0", ZERO),
    ("除数为0", ZERO),
    ("average of 0", ZERO),
    ("[0, 0, 0]", ZERO),
    ("the call returned 0", ZERO),
    ("当x=0时", ZERO),
    ("balance = -5", NEGATIVE),
    ("余额为-5", NEGATIVE),
    ("sum of [-1, 2]", NEGATIVE),
    ("clamp(-3, 5)", NEGATIVE),
    ("a negative amount", NEGATIVE),
    ("输入负数", NEGATIVE),
    ("median of [7]", SINGLE),
    ('names = ["anna"]', SINGLE),
    ("a list with a single element", SINGLE),
    ("only one row is left", SINGLE),
    ("只有一个元素", SINGLE),
    ("单个样本", SINGLE),
    ("n = 99999999999999999999", HUGE),
    ("x = 1e300", HUGE),
    ("x = 1e+20", HUGE),
    ("the ratio is inf", HUGE),
    ("整数溢出", HUGE),
    ("文件名超长", HUGE),
]
ORDINARY = [
    "split the line on ' ' and join it with '; '",
    "compare '[1, 2]'  '[3, 4]' as they stand",
    "the nonexistent user",
    "[1, 2]",
    "id=10",
    "rows = [3, 5, 8]",
    "2026-03-01",
    "date: 2026-01-01",
    "between 2026-03-01 and 2026-03-31",
    "at 10:00:00",
    "at 00:00",
    "python 3.11",
    "version: 0.3.1",
    "numpy==0.0.1",
    "x = 0.5",
    "x = 0.05",
    "ratio: 0/10",
    "address = 0x1F",
    "mode: 0644",
    "there are 10 rows",
    "1.0 rows per second",
    "处理了 10 个文件",
    "共 100 条记录",
    "第20行",
    "call main() with 3 arguments",
    "get_users() returned 5 users",
    "int[] sizes with 3 entries",
    "the list is not empty: [1, 2]",
    "a non-empty list of 3",
    "非空数组 [1, 2]",
    "列表不为空，共 3 项",
    "the value is not null: 7",
    "a non-null column of 4",
    "a non-negative number: 4",
    "redirect to /dev/null",
    "configure the NAT gateway 10.0.0.1",
    "read sys.argv[1]",
    "rows[0] is a header",
    "the last one is rows[-1]",
    "df['price'] as a column",
    "[ERROR] line 14 is wrong",
    "put 'it' in single quotes",
    "a single-threaded server on port 8080",
    "航空集团的报表共 12 页",
    "没有行动计划，共 3 步",
    "at 1767225600000 ms",
    "commit 3f9a1b2c4d5e6f7a8b9c",
    "550e8400-e29b-41d4-a716-446655440000",
    "price = 20",
    "temperature: 21.5",
    "a-1, b-2",
    "http://localhost:8000/a",
    'names = ["anna", "bob"]',
    '{"name": "anna"}',
    "标签：旅行、美食、摄影",
    "命中数：18",
    "port = 8080",
    "the annual report of 2025",
    "user_none_existing = 4",
    "it's Anna's and Bob's",
]


@pytest.mark.parametrize(("text", "expected"), SPECIAL)
def test_a_special_literal_is_seen(text: str, expected: InputClass) -> None:
    assert expected in profile(text).special


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_not_special(text: str) -> None:
    assert profile(text).special == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "id=10",
        "a = b",
        "价格：贵",
        "the value is true",
        "`name`",
        "“名字”",
        "「名字」",
        "open /srv/data",
    ],
)
def test_a_visible_input_is_concrete(text: str) -> None:
    assert profile(text).concrete


@pytest.mark.parametrize("text", ["", "sort the list", "the nonexistent user", "求数组的平均值", "and/or"])
def test_without_a_visible_input_nothing_is_concrete(text: str) -> None:
    assert not profile(text).concrete


@pytest.mark.parametrize(
    ("text", "ordinary"),
    [
        ("sum of [1, 2]", True),
        ("sum of []", False),
        ("sum of a list", False),
        ("空列表", False),
        ("和为 12", True),
    ],
)
def test_ordinary_means_visible_and_not_special(text: str, ordinary: bool) -> None:
    assert profile(text).ordinary is ordinary


@pytest.mark.parametrize("text", ["ｘ＝０", "［］", "（）", "｛｝", "ＮＵＬＬ"])
def test_full_width_forms_count_as_plain_ones(text: str) -> None:
    assert profile(text).special


@unhurried
@given(st.text(max_size=200))
def test_any_text_has_a_profile(text: str) -> None:
    seen = profile(text)
    assert seen.ordinary == (seen.concrete and not seen.special)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "mark", ["[", "{", "(", '"', "'", "“", "`", "0", "9", "/a", "= ", "空", "[ ", "[0,", "「", "1"]
)
def test_a_long_run_of_one_mark_does_not_stop_the_clock(mark: str) -> None:
    run = mark * (60_000 // len(mark))
    assert profile(run) == profile(run + " ")


@pytest.mark.timeout(30)
def test_a_bracket_before_a_long_blank_does_not_stop_the_clock() -> None:
    assert not profile("[" + " " * 60_000).special
