"""What kind of input a situation talks about: an ordinary one, a special one, or none that is visible.

The same code fails on the empty list and works on [3, 5, 8], and the two situations read almost the same.
This module looks at the literals, so that a failure on a special input is not held against an ordinary one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum


class InputClass(StrEnum):
    """Kinds of input that ordinary code forgets."""

    EMPTY = "EMPTY"
    MISSING = "MISSING"
    ZERO = "ZERO"
    NEGATIVE = "NEGATIVE"
    SINGLE = "SINGLE"
    HUGE = "HUGE"


_PATTERNS: tuple[tuple[InputClass, re.Pattern[str]], ...] = (
    (
        InputClass.EMPTY,
        re.compile(
            r"\[\s*\]|\{\s*\}|\(\s*\)|(?<!\w)(?:\"\"|'')(?!\w)|\bempty\b|\bblank\b"
            r"|\bno (?:rows|items|elements|records|data)\b"
            r"|长度为\s*0|为空|空(?:数组|列表|集合|字符串|值|输入|文件|表|集|串|白)|没有(?:任何)?(?:数据|元素|记录|行|条目)|零条|0\s*[行条个]"
            r"|\b(?:0|zero) (?:rows|items|elements|records|hits|matches|results)\b",
            re.IGNORECASE,
        ),
    ),
    (
        InputClass.MISSING,
        re.compile(
            r"\b(?:none|null|nil|nan|n/a|undefined|missing|nat)\b|缺失|缺少|空值|未填|未知值|为\s*None",
            re.IGNORECASE,
        ),
    ),
    (
        InputClass.ZERO,
        re.compile(
            r"(?:[=:：]|\breturned|\bof|为|是)\s*0(?:\.0+)?(?![\d.:/%-])|\[\s*0(?:\s*,\s*0)*\s*\]",
            re.IGNORECASE,
        ),
    ),
    (InputClass.NEGATIVE, re.compile(r"(?:[=:：\[,(]|为|是)\s*-\d|\bnegative\b|负数|负值", re.IGNORECASE)),
    (
        InputClass.SINGLE,
        re.compile(r"\[\s*[^\[\],]+\s*\]|\bsingle\b|\bonly one\b|单个|只有一[个条行]", re.IGNORECASE),
    ),
    (
        InputClass.HUGE,
        re.compile(r"\d{13,}|\b\d+(?:\.\d+)?e[+]?\d{2,}\b|\binf(?:inity)?\b|超长|溢出", re.IGNORECASE),
    ),
)
_CONCRETE = re.compile(
    r"\d|\[[^\]]*\]|\{[^}]*\}|\"[^\"]*\"|'[^']*'|“[^”]*”|「[^」]*」|`[^`]+`|[=：:]\s*\S|\b(?:none|null|nil|nan|true|false)\b|(?:/[\w.-]+){2,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class InputProfile:
    """concrete: some input is visible in the text. special: the kinds of special input it shows."""

    concrete: bool
    special: frozenset[InputClass]

    @property
    def ordinary(self) -> bool:
        """An input is visible and nothing about it is special."""
        return self.concrete and not self.special


def profile(text: str) -> InputProfile:
    """The input that a situation text shows. Full-width forms count as their plain ones."""
    plain = unicodedata.normalize("NFKC", text)
    special = {name for name, pattern in _PATTERNS if pattern.search(plain)}
    return InputProfile(bool(_CONCRETE.search(plain)), frozenset(special))
