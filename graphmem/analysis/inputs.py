"""What kind of input a situation talks about: an ordinary one, a special one, or none that is visible.

The same code fails on the empty list and works on [3, 5, 8], and the two situations read almost the same.
This module looks at the literals, so that a failure on a special input is not held against an ordinary one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from graphmem.analysis.traditional import mainland


class InputClass(StrEnum):
    """Kinds of input that ordinary code forgets."""

    EMPTY = "EMPTY"
    MISSING = "MISSING"
    ZERO = "ZERO"
    NEGATIVE = "NEGATIVE"
    SINGLE = "SINGLE"
    HUGE = "HUGE"


_NO_NAME = r"(?<![A-Za-z0-9_)\]])"
"""What stands before a bracket that is no call, index or type: main(), rows[0] and int[] show no input."""
_NOT = r"(?<!not )(?<!not be )(?<!n't )(?<!never )(?<!non )(?<!non-)"
_WORD_END = r"(?![A-Za-z0-9_])"

_EMPTY = (
    rf"{_NO_NAME}(?:\[\s*\]|\{{\s*\}}|\(\s*\))",
    r"(?<!\w)(?:\"\"|'')(?!\w)",
    r"(?:^|(?<=[\s=:：,(]))(?:\"\s{2,}\"|'\s{2,}')(?=$|[\s,.;)])",
    rf"{_NOT}\b(?:empty|blank)\b",
    r"\bno (?:rows|items|elements|records|data)\b",
    r"(?<![\d.])\b(?:0|zero) (?:rows|items|elements|records|hits|matches|results)\b",
    r"(?<![不非能])(?:为空|(?<![航天])空(?:数组|列表|集合|字符串|值|输入|文件|表|集|串|白))",
    r"长度为\s*0(?![\d.])|零条|(?<![\d.])0\s*[行条个]",
    r"没有(?:任何)?(?:数据|元素|记录|条目|行(?![动为李业人程列]))",
    r"(?<![不非])是空的|一[行条个](?:数据|记录|元素)?[都也]没有|\bset\(\)|只有表头|\bonly (?:has )?a header\b",
)
_MISSING = (
    rf"{_NOT}(?<![/\w.])(?:none(?! of\b)|null|nil|nan|n/a|undefined|missing){_WORD_END}",
    r"\b(?-i:NaT)\b",
    rf"[为是]\s*(?:none|null|nil|nan){_WORD_END}",
    r"缺失|缺少|空值|未填|未知值",
)
_ZERO = (
    r"(?:[=:：]|\breturned|\bof|为|是)\s*0(?:\.0+)?(?![\d:/%-]|\.\d|[xob][0-9a-f])",
    rf"{_NO_NAME}\[\s*0(?:\s*,\s*0)*\s*\]",
)
_NEGATIVE = (
    rf"(?:[=:：,(]|{_NO_NAME}\[|为|是)\s*-\d",
    rf"{_NOT}\bnegative\b",
    r"(?<!非)(?:负数|负值)",
)
_SINGLE = (
    rf"{_NO_NAME}\[\s*(?:-?\d+(?:\.\d+)?|\"[^\"\n]*\"|'[^'\n]*'|none|null|nil|nan|true|false)\s*\]",
    r"\bsingle\b(?!-| (?:quote|page|sign|source|thread))|\bonly one\b|单个|只有一[个条行]",
)
_HUGE = (
    r"(?<![A-Za-z0-9_])\d{15,}(?![A-Za-z0-9_])",
    r"(?<![\w-])\d+(?:\.\d+)?e\+?\d{2,}(?![\w-])",
    r"\binf(?:inity)?\b|超长|溢出",
)
_PATTERNS: tuple[tuple[InputClass, re.Pattern[str]], ...] = tuple(
    (name, re.compile("|".join(parts), re.IGNORECASE))
    for name, parts in (
        (InputClass.EMPTY, _EMPTY),
        (InputClass.MISSING, _MISSING),
        (InputClass.ZERO, _ZERO),
        (InputClass.NEGATIVE, _NEGATIVE),
        (InputClass.SINGLE, _SINGLE),
        (InputClass.HUGE, _HUGE),
    )
)
_CONCRETE = re.compile(
    r"\d|\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\"|'[^']*'|“[^“”]*”|「[^「」]*」|`[^`]+`|[=：:]\s*\S"
    r"|\b(?:none|null|nil|nan|true|false)\b|(?:/[\w.-]+){2,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class InputProfile:
    """concrete: some input is visible in the text (a special one always is). special: its special kinds."""

    concrete: bool
    special: frozenset[InputClass]

    @property
    def ordinary(self) -> bool:
        """An input is visible and nothing about it is special."""
        return self.concrete and not self.special


@lru_cache(maxsize=8_192)
def profile(text: str) -> InputProfile:
    """The input that a situation text shows. Full-width forms and traditional characters count as their plain ones."""
    plain = mainland(unicodedata.normalize("NFKC", text))
    special = {name for name, pattern in _PATTERNS if pattern.search(plain)}
    return InputProfile(bool(special) or bool(_CONCRETE.search(plain)), frozenset(special))
