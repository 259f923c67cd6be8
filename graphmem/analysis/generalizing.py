"""What is the general form of a failure: its entities, numbers, paths and nouns as their classes (seed 1, 5.1).

Pure and without a model, English and Chinese. Classes stand in the words of the failure's own language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from graphmem.analysis.inputs import InputClass, profile
from graphmem.analysis.tokens import language_of

SOURCE = "rule"
"""generalization_source of what is made here."""
READ = 1_000
"""Characters of each text that are read."""
SAID = 400
"""Characters of a generalization."""

_LITERALS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), english, chinese)
    for pattern, english, chinese in (
        (r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>，。]+", "a URL", "网址"),
        (r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+", "an address", "邮箱"),
        (
            r"(?<![\w.])(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?|(?<![\w.])(?:[\w@+-]+/)+[\w@+-]+\.\w{1,5}\b",
            "a path",
            "路径",
        ),
        (
            r"\b[\w-]{1,64}\.(?:csv|json|ya?ml|toml|txt|md|py|js|ts|go|rs|java|xml|html?|pdf|xlsx?|log|sql|db|png|jpe?g)\b",
            "a file",
            "文件",
        ),
        (
            r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b",
            "an id",
            "编号",
        ),
        (
            r"\d{4}[-/年]\d{1,2}[-/月]\d{1,2}日?(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?|\b\d{1,2}:\d{2}(?::\d{2})?\b",
            "a time",
            "时间",
        ),
        (r"\bv?\d+\.\d+\.\d+\b", "a version", "版本"),
        (
            r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{1,200}'(?!\w)|`[^`\n]{1,200}`|「[^」\n]{1,200}」",
            "a text",
            "文本",
        ),
        (r"[#$€¥]?(?<![\w.])-?\d[\d,]*(?:\.\d+)?%?(?![\w])|\d+(?:\.\d+)?", "a number", "数字"),
        (r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b(?-i:[a-z]+(?:[A-Z][a-z0-9]+)+)\b", "a name", "名称"),
    )
)
_NOUNS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), english, chinese)
    for pattern, english, chinese in (
        (
            r"\b(?:lists?|arrays?|tuples?|vectors?|queues?|stacks?|sequences?)\b|(?:数组|列表|元组|队列|序列|栈)",
            "list-like data",
            "列表类数据结构",
        ),
        (
            r"\b(?:dicts?|dictionar(?:y|ies)|maps?|mappings?|hashes|objects?)\b|(?:字典|映射|哈希表|对象)",
            "mapping-like data",
            "映射类数据结构",
        ),
        (
            r"\b(?:tables?|data ?frames?|spreadsheets?|sheets?)\b|(?:数据表|表格|数据框|工作表)",
            "table-like data",
            "表类数据",
        ),
        (
            r"\b(?:users?|customers?|orders?|products?|items?|invoices?|articles?|employees?|students?|"
            r"tickets?|accounts?|members?)\b"
            r"|(?:用户|客户|订单|商品|产品|发票|文章|员工|学生|工单|账户|会员)",
            "records",
            "记录",
        ),
    )
)
_INPUTS = {
    InputClass.EMPTY: ("empty boundary input []", "空的边界输入 []"),
    InputClass.MISSING: ("missing value as boundary input None", "缺失值边界输入 None"),
    InputClass.ZERO: ("zero as boundary input", "零值边界输入"),
    InputClass.NEGATIVE: ("negative boundary input", "负数边界输入"),
    InputClass.SINGLE: ("single element as boundary input", "单个元素边界输入"),
    InputClass.HUGE: ("huge boundary input", "超大边界输入"),
}


def generalized(situation: str, outcome: str) -> str:
    """The general form of a failure: what kind of input it was about, then how it showed, masked.

    situation: action and context; outcome: how it showed. '' where nothing in the texts belongs to a class.
    """
    chinese = language_of(f"{situation}\n{outcome}") == "zh"
    special = profile(f"{situation[:READ]}\n{outcome[:READ]}").special
    inputs = [_INPUTS[kind][chinese] for kind in InputClass if kind in special]
    shown = masked(outcome or situation, chinese)
    changed = shown != _plain(outcome or situation)
    return "; ".join([*inputs, shown])[:SAID] if inputs or changed else ""


def masked(text: str, chinese: bool) -> str:
    """The text on one line with literals and nouns replaced by their classes."""
    text = _plain(text)
    for pattern, *classes in (*_LITERALS, *_NOUNS):
        text = pattern.sub(_always(classes[chinese]), text)
    return text


def _always(text: str) -> Callable[[re.Match[str]], str]:
    return lambda _: text


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text[:READ]).split())
