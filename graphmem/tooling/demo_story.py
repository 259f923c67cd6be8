"""The story of the demo as data: an agent that cleans rows, told once, wrong three times.

It is the story of the article that graphmem grew from: the rule for the empty list was remembered, and yet the
next two inputs of the same kind failed, since nobody saw that they were of the same kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphmem.domain.words import filled

TOOL = "clean_rows"
ERROR = "ValueError"
AGENT = "data-cleaner"
TASK_TYPE = "data-cleaning"

Rows = Sequence[object] | Mapping[object, object]

TOLD = "Empty input returns an empty result, not an error. 空数组要返回空结果，不要报错。"
"""The fact, as the user said it."""

FAILED: tuple[Rows, ...] = ([], [None, None, None], [None])
"""The inputs that went wrong, in this order."""

NEW: tuple[Rows, ...] = (["", None], {}, [math.nan])
"""Boundary inputs that nobody has named so far."""

ORDINARY: tuple[Rows, ...] = ([23, 31, 45],)


_LOAD = ("load_orders", "UnhandledInput")
_PICK = ("pick_first", "IndexError")
_REPORT = ("write_report", "WrongReport")


@dataclass(frozen=True, slots=True)
class Step:
    """A failure of the chain; each was caused by the one before."""

    action: str
    context: str
    tool: str
    error_type: str
    manifestation: str


@dataclass(frozen=True, slots=True)
class Story:
    """The texts of one language. corrections: what the user said to each of FAILED."""

    action: str
    corrections: tuple[str, str, str]
    worked: str
    chain: tuple[Step, Step, Step]
    paste: str


STORIES: Mapping[str, Story] = {
    "en": Story(
        action="clean a batch of rows",
        corrections=(
            "an empty list returns an empty result",
            "drop the None values first; nothing left is an empty result",
            "a single None is dropped too",
        ),
        worked="looked for missing values before cleaning",
        chain=(
            Step("load the orders", "orders = []", *_LOAD, "empty input not handled 未处理空输入"),
            Step("take the first order", "orders[0]", *_PICK, "index out of range 索引越界"),
            Step("write the daily report", "report of 1 March", *_REPORT, "wrong report 报表错误"),
        ),
        paste=(
            "record 'clean a batch of rows' --context 'rows = []' --result failure --error-type ValueError"
            " --tool clean_rows --correction 'an empty list returns an empty result'"
        ),
    ),
    "zh": Story(
        action="清洗一批记录",
        corrections=(
            "空数组要返回空结果，不要报错",
            "先去掉 None，再返回剩下的，哪怕什么都不剩",
            "单个 None 也要去掉，结果为空",
        ),
        worked="清洗之前先检查了缺失值",
        chain=(
            Step("加载当天的订单", "orders = []", *_LOAD, "未处理空输入"),
            Step("取第一条订单", "orders[0]", *_PICK, "索引越界"),
            Step("生成日报", "3 月 1 日的报表", *_REPORT, "报表错误"),
        ),
        paste=(
            "record '清洗一批记录' --context 'rows = []' --result failure --error-type ValueError"
            " --tool clean_rows --correction '空数组要返回空结果，不要报错'"
        ),
    ),
}

QUESTIONS = ("空数组应该返回什么？ rows = []", "What should an empty list return? rows = []")
"""One Chinese, one English."""

WORDS: Mapping[str, tuple[str, str]] = {
    "title": (
        "An agent that cleans data: told once, wrong three times (the story of the article, section 2.3)",
        "一个数据清洗 Agent：说过一次，还是错了三次（原文 2.3 节的故事）",
    ),
    "told": ("The user said, once:", "用户说过一次："),
    "failed": (
        "Then {tool} failed three times ({error}), each time on another input, each time corrected:",
        "之后 {tool} 仍失败三次（{error}），每次输入都不同，每次都被纠正：",
    ),
    "new": ("1  Inputs that nobody has named yet", "1  从未有人提过的输入"),
    "input": ("input", "输入"),
    "without": ("without memory", "没有记忆"),
    "with": ("with memory: recall first", "有记忆：先检索"),
    "silent": ("nothing said", "没有提醒"),
    "fails": ("fails again", "又失败"),
    "said": ("What memory says to {rows}:", "面对 {rows}，记忆说："),
    "prompt": (
        "For {rows}: {count} {count:reminder|reminders}, {warnings} {warnings:warning|warnings} in promptText. "
        "The agent stays bold.",
        "面对 {rows}：提醒 {count} 条，promptText 中的警告 {warnings} 条。Agent 照常放手去做。",
    ),
    "chain": ("2  One error causes the next", "2  一个错误引出下一个"),
    "ask": ("3  Facts and own errors, apart, in both languages", "3  事实与错误分开，中英文都能问"),
    "facts": ("facts", "事实"),
    "errors": ("own errors", "犯过的错"),
    "yours": (
        "4  Now yours: paste this, it writes to your own store",
        "4  轮到你了：粘贴这条命令，写入你自己的记忆库",
    ),
    "neo4j": ("the same on Neo4j: make demo-neo4j", "在 Neo4j 上演示同一个故事：make demo-neo4j"),
    "next": ("   and before the next time: {program} recall '…'", "   下次动手之前：{program} recall '…'"),
}


def shown(rows: Rows) -> str:
    """An input as the agent writes it down."""
    return repr(rows).replace("nan", "NaN").replace("''", '""')


def worded(key: str, language: str, **values: object) -> str:
    """A text of the play in 'en' or 'zh'."""
    return filled(WORDS[key][language == "zh"], **values)
