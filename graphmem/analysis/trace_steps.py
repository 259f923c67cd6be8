"""At which numbered step of its trace an agent left the right way, and at which it should have turned."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.analysis.tokens import tokenize
from graphmem.analysis.traditional import mainland

_STEP = re.compile(
    r"^\s*(?:step|步骤|第)?\s*[\[(（#]?(\d{1,4})\s*(?:[\])）]|步)?\s*[.:：、)]\s*(.+)$", re.IGNORECASE
)
_STRAYED = re.compile(
    r"\b(?:assum|guess|pick(?:ed|s)?\b|chose\b|choose|default|skip|without\b|marked\b|moved on\b|"
    r"ignor|instead\b|invent)"
    r"|默认|假设|猜|选了|选择了|跳过|没有?跑|没有?(?:检查|验证)|忽略|标记为|继续下一步|编造|"
    r"按[^，。]{0,6}排序",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b\w*(?:error|exception)\b|\bfail|\bred\b|\brefused\b|\bdenied\b|\btimed? ?out\b|\btraceback\b"
    r"|失败|报错|错误|异常|被拒绝|拒绝|超时",
    re.IGNORECASE,
)
_SAME = 0.6
"""Jaccard overlap of the tokens of two steps from which the later one repeats the earlier one."""
_MAX_STEPS = 200


@dataclass(frozen=True, slots=True)
class Turning:
    """deviated_at: the step that left the right way; change_at: the step at which to act otherwise. 1-based;
    None where the trace does not tell.
    """

    deviated_at: int | None = None
    change_at: int | None = None


def steps_of(trace: str) -> list[tuple[int, str]]:
    """Numbered steps of a trace in their order; [] unless there are two or more with rising numbers."""
    found: list[tuple[int, str]] = []
    for line in trace.splitlines():
        match = _STEP.match(line)
        if match and (not found or int(match[1]) > found[-1][0]):
            found.append((int(match[1]), match[2]))
    return found[:_MAX_STEPS] if len(found) > 1 else []


def turning(trace: str) -> Turning:
    """Where the trace turned wrong: at the first step that took something for granted, left something out or
    went on regardless; else at the first that failed. To be changed: the first repeat of a failed step, else
    the deviating step itself.
    """
    steps = steps_of(mainland(trace))
    failed = next((number for number, text in steps if _FAILED.search(text)), None)
    strayed = next((number for number, text in steps if _STRAYED.search(text)), None)
    deviated = strayed if strayed is not None and (failed is None or strayed <= failed) else failed
    repeated = _first_repeat(steps)
    return Turning(deviated, repeated if repeated is not None else deviated)


def _first_repeat(steps: list[tuple[int, str]]) -> int | None:
    known: list[frozenset[str]] = []
    for number, text in steps:
        words = frozenset(tokenize(text))
        if _FAILED.search(text):
            if any(words and len(words & other) >= _SAME * len(words | other) for other in known):
                return number
            known.append(words)
    return None
