"""Does what a user says next tell that the answer before it was wrong, or right? (seed 1, section 4.2)

Explicit: the answer is called wrong or replaced. Implicit: the same task is said again more than twice. Weak: after
a long silence another topic. Pure: what went before is passed in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphmem.analysis import turn_cues as cues
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.analysis.traditional import simplified
from graphmem.domain.turns import TurnSignal

RESTATEMENTS = 3
"""How often a task is said again until that is a failure: more than twice (seed 1, 4.2)."""
SILENCE_S = 600.0
"""Seconds after which another topic is a weak sign that the answer was of no use."""
READ = 2_000
"""Characters of a turn that are read."""

_SAME_TASK = 0.5
"""Share of the shorter text's tokens that another text holds when it is about the same task."""
_OTHER_TOPIC = 0.1
_QUOTED = re.compile(
    r"```.*?```|`[^`\n]+`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|(?<!\w)'[^'\n]{2,}'(?!\w)",
    re.DOTALL,
)
_MASK = re.compile("\ue000(\\d+)\ue001")
_SENTENCE = re.compile(r"(?<=[。！!？?\n])|(?<=[a-z0-9)\"'\ue001][.;])\s+|(?<=；)", re.IGNORECASE)
_QUESTION = re.compile(r"[?？]\s*$")
_FINISH = " \t\n.,;:!。，；：！、"


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user said after an output. earlier: what they had said before in the session, oldest first;
    silence_s: seconds between the output and this turn, None when unknown; output: asked something or not.
    """

    said: str
    asked: str = ""
    earlier: tuple[str, ...] = ()
    silence_s: float | None = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a turn tells. expected: what is said to be right, '' where nothing is."""

    signal: TurnSignal
    expected: str = ""


def read_turn(turn: Turn) -> Reading:
    """The signal of a turn: an explicit one before an implicit one before a weak one."""
    said = unicodedata.normalize("NFC", turn.said)[:READ].replace("’", "'")
    found = _read(turn, simplified(said))
    start = simplified(said).find(found.expected)
    return replace(found, expected=said[start : start + len(found.expected)]) if start >= 0 else found


def _read(turn: Turn, said: str) -> Reading:
    masked, quotes = _masked(said)
    sentences = [part.strip() for part in _SENTENCE.split(masked) if part and part.strip()]
    if _QUESTION.search(turn.output) and sentences and cues.BARE_NO.match(sentences[0]):
        sentences[0] = cues.BARE_NO.sub("", sentences[0]).lstrip(_FINISH)
    if any(map(_corrects, sentences)):
        return Reading(TurnSignal.CORRECTION, _unmasked(_expected(sentences), quotes))
    if restatements(turn) == RESTATEMENTS:
        return Reading(TurnSignal.RESTATED)
    if sentences and _praises(sentences[0]):
        return Reading(TurnSignal.SUCCESS)
    return Reading(TurnSignal.ABANDONED if _turned_away(turn) else TurnSignal.NONE)


def restatements(turn: Turn) -> int:
    """How many of the earlier turns are about the task of this one, told by shared words."""
    words = frozenset(tokenize(turn.said[:READ]))
    return sum(_overlap(words, frozenset(tokenize(text[:READ]))) >= _SAME_TASK for text in turn.earlier)


def _corrects(sentence: str) -> bool:
    if _QUESTION.search(sentence):
        return False
    if language_of(sentence) == "zh":
        return _says(sentence, cues.ZH_OTHERWISE, cues.ZH_REJECTION, cues.ZH_REPLACEMENT)
    if cues.EN_ANSWER.match(sentence):
        return False
    return _says(sentence, cues.EN_OTHERWISE, cues.EN_REJECTION, cues.EN_REPLACEMENT)


def _says(sentence: str, otherwise: re.Pattern[str], *wanted: re.Pattern[str]) -> bool:
    return not otherwise.search(sentence) and any(pattern.search(sentence) for pattern in wanted)


def _praises(sentence: str) -> bool:
    if _QUESTION.search(sentence):
        return False
    return bool((cues.ZH_SUCCESS if language_of(sentence) == "zh" else cues.EN_SUCCESS).match(sentence))


_TO_END = r"(?P<x>[^,.;!，。；！]+(?:[.,]\d[^,.;!，。；！]*)*)"
_EXPECTED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bi (?:don'?t|do not) want\b[^,.;]*, ?i want (?P<x>[^,.;!]+)",
        rf"\bshould (?:be|have been|return|say)\s+{_TO_END}(?: instead of.*)?",
        rf"\b(?:i (?:meant|asked for|said|wanted))\s+{_TO_END}",
        rf"\b(?:the|your) (?:correct|right|actual|real) \w+ (?:is|was|would be)\s+{_TO_END}",
        rf"\bit(?:'s| is) not\b[^,;]{{1,60}}[,;] ?(?:it|that)(?:'s| is)\s+{_TO_END}",
        rf"\bmust (?:be|return)\s+{_TO_END}",
        rf"我不要[^，。]*[，,]\s*我要{_TO_END}",
        rf"(?:我(?:要|说|指|想要)的是|正确(?:的)?[^，。是]{{0,6}}是|"
        rf"不是[^，。？]{{1,24}}[，,]\s*(?:而)?是){_TO_END}",
        rf"应该(?:是|为)?{_TO_END}",
        rf"(?:新的是|必须){_TO_END}",
    )
)
_CUT = re.compile(r"\s*(?:,|，)?\s*(?:\bnot\b|\binstead of\b|\brather than\b|而?不是).*$", re.IGNORECASE)
_INSTEAD = re.compile(r"\s*(?:\binstead of\b|\brather than\b|而?不是).*$", re.IGNORECASE)
_REMARK = re.compile(
    r"^(?:no+\b|nope|nah|wrong|incorrect|false|still|again|sorry|but|hm+|well|actually|please|"
    r"that(?:'s| is| was)"
    r"|this is|it(?:'s| is) not|you(?:'re)?\b"
    r"|不|错|还是|又|抱歉|嗯|你|这|请|更正|纠正|胡说|回答|结论|我觉得|反了|格式)",
    re.IGNORECASE,
)


def _expected(sentences: Sequence[str]) -> str:
    """What is said to be right: after words that introduce it, else the clause that follows the rejection."""
    text = " ".join(sentences)
    for pattern in _EXPECTED:
        match = pattern.search(text)
        if match:
            return _CUT.sub("", match["x"]).strip(_FINISH)
    clauses = [part.strip(_FINISH) for part in re.split(r"[,，:：;；!！]\s*|[.。](?:\s+|$)|\s-\s", text)]
    stated = [
        part for part in clauses[1:] if len(part) > 1 and not _REMARK.match(part) and not _CUT.match(part)
    ]
    return _INSTEAD.sub("", stated[0]) if stated and not _complains(stated[0]) else ""


def _complains(clause: str) -> bool:
    """Whether a clause tells what is amiss rather than what is right."""
    return bool(
        re.search(r"\b(?:missing|throws|fails|error|forgot|by a day)\b|报|漏|没了|错", clause, re.IGNORECASE)
    )


def _turned_away(turn: Turn) -> bool:
    if turn.silence_s is None or turn.silence_s < SILENCE_S or not turn.asked:
        return False
    words, asked = frozenset(tokenize(turn.said[:READ])), frozenset(tokenize(turn.asked[:READ]))
    return bool(words) and _overlap(words, asked) < _OTHER_TOPIC


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Share of the smaller set that both hold; texts of a single word are never about the same task."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller > 1 else 0.0


def _masked(text: str) -> tuple[str, list[str]]:
    """The text with its quotations replaced by marks, and the quotations."""
    quotes: list[str] = []

    def mark(match: re.Match[str]) -> str:
        quotes.append(match[0])
        return f"\ue000{len(quotes) - 1}\ue001"

    return _QUOTED.sub(mark, text.replace("\ue000", "").replace("\ue001", "")), quotes


def _unmasked(text: str, quotes: Sequence[str]) -> str:
    """The text with its quotations again; one that is nothing but a quotation without its marks."""
    whole = _MASK.fullmatch(text)
    if whole:
        return quotes[int(whole[1])].strip("`\"“”「」『』《》'")
    return _MASK.sub(lambda match: quotes[int(match[1])], text)
