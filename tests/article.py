"""The first article's story in its own words: three inputs that went wrong, and inputs that come after them."""

from __future__ import annotations

WORDS = {
    "zh": (
        "清洗一列数据",
        ("输入 []", "遇到空数组输入时直接抛了异常", "空数组要返回空结果，不要报错"),
        ("输入 [None, None, None]", "数组里全是 None 时又抛异常", "全是 None 时返回空结果"),
        ("输入 [None]", "数组长度为 1 但元素为 None，还是抛异常", "单个 None 也返回空结果"),
    ),
    "en": (
        "clean a column of rows",
        (
            "input []",
            "the agent threw an exception on an empty array",
            "an empty array returns an empty result",
        ),
        (
            "input [None, None, None]",
            "exception again: the array holds only None",
            "only None returns an empty result",
        ),
        ("input [None]", "exception on an array of length 1 whose element is None", "a single None too"),
    ),
}
NEW = {
    "zh": ('清洗一列数据：输入 ["", None]', "清洗一列数据：输入 {}"),
    "en": ('clean a column of rows: input ["", None]', "clean a column of rows: input {}"),
}
ORDINARY = {"zh": "清洗一列数据：输入 [23, 31, 45]", "en": "clean a column of rows: input [23, 31, 45]"}
