"""The lesson of a pattern by rule, in the language of most of its members: what goes wrong, when, what prevents it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphmem.analysis.failures import Failure, episodes, words
from graphmem.analysis.inputs import InputClass, profile
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.domain.rules import title_of

SAME_LESSON = 0.6
"""Jaccard overlap of the words of two lessons from which they say the same."""
SAME_REMEDY = 0.5
"""The same for two remedies, which are shorter."""
COMMON = 0.5
"""Share of the members from which something counts as a condition of theirs."""
QUOTED = 200
"""Characters of a member's own text that a lesson repeats."""

_WORD = re.compile(r"[^\W\d_]+")
_LATIN_STEM = re.compile(r"[a-z]+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a pattern says; the fields are those of domain.memories.Pattern, language is 'zh' or 'en'."""

    title: str
    lesson: str
    trigger_conditions: str
    root_cause: str
    root_cause_type: str
    prevention: str
    language: str


_PHRASES = {
    "en": {
        "remedy": "What helped: {remedy}",
        "terms": "words in common: {terms}",
        "tool": "tool {name}",
        "task": "task type {name}",
        "input": "input: {names}",
        "list": ", ",
        "join": "; ",
        "end": ". ",
        "EMPTY": "empty",
        "MISSING": "missing values",
        "ZERO": "zero",
        "NEGATIVE": "negative",
        "SINGLE": "a single element",
        "HUGE": "very large",
    },
    "zh": {
        "remedy": "有效的做法：{remedy}",
        "terms": "共同的词：{terms}",
        "tool": "工具 {name}",
        "task": "任务类型 {name}",
        "input": "输入：{names}",
        "list": "、",
        "join": "；",
        "end": "。",
        "EMPTY": "空",
        "MISSING": "缺失值",
        "ZERO": "零",
        "NEGATIVE": "负数",
        "SINGLE": "只有一个元素",
        "HUGE": "极大",
    },
}


def lesson_of(members: Sequence[Failure], medoid: str, terms: Sequence[str] = ()) -> Lesson:
    """The lesson of a pattern from the failures it rests on, at least one; medoid: the id of one of them, else the
    first speaks for all; terms: the cluster's words (clusters.Group.terms).

    Remedy and root cause are the members' own words, of those the one that most episodes support. Text that a
    member was served must not be given here as its correction: a lesson would then support itself.
    Raises ValueError without members.
    """
    if not members:
        raise ValueError("a lesson needs at least one failure")
    language = spoken(members)
    speaker = next((failure for failure in members if failure.id == medoid), members[0])
    phrases = _PHRASES[language]
    account = _quoted(speaker.root_cause or _told(speaker))
    remedy = best_supported(members, lambda failure: failure.correction or failure.prevention, language)
    cause = best_supported(members, lambda failure: failure.root_cause, language)
    sentences = [account.rstrip(".。 ")]
    if remedy:
        sentences.append(phrases["remedy"].format(remedy=_quoted(remedy).rstrip(".。 ")))
    return Lesson(
        title=title_of(account),
        lesson=phrases["end"].join([*sentences, ""]).strip(),
        trigger_conditions=_conditions(members, terms, phrases),
        root_cause=cause,
        root_cause_type=_most([failure.root_cause_type for failure in members]),
        prevention=remedy,
        language=language,
    )


def spoken(members: Sequence[Failure]) -> str:
    """The language of most of the members, 'zh' or 'en'; of as many, that of all their words together."""
    chinese = 2 * sum(failure.language == "zh" for failure in members) - len(members)
    if not chinese:
        return language_of("\n".join(failure.account for failure in members))
    return "zh" if chinese > 0 else "en"


def best_supported(members: Sequence[Failure], text_of: Callable[[Failure], str], language: str) -> str:
    """The one of the members' texts to which texts of most episodes are near, '' where none has any; of equals
    one in the language asked for, then the shortest, then the first by alphabet.
    """
    told = [(failure, text_of(failure).strip()) for failure in members]
    bags = {text: frozenset(words(text)) for _, text in told if text}

    def support(text: str) -> int:
        return episodes(
            failure for failure, other in told if other and _alike(bags[text], bags[other], SAME_REMEDY)
        )

    return min(
        bags, key=lambda text: (-support(text), language_of(text) != language, len(text), text), default=""
    )


def same_lesson(first: str, second: str) -> bool:
    """Whether two lessons say nearly the same in nearly the same words, so that one of them is enough."""
    return _alike(frozenset(words(first)), frozenset(words(second)), SAME_LESSON)


def readable(terms: Sequence[str], members: Sequence[Failure]) -> tuple[str, ...]:
    """The terms, which are stems, as the members most often write them. Those without letters are left out, and stems
    that no member writes as a word of its own (the valu of a ValueError).
    """
    written: dict[str, Counter[str]] = {}
    said: set[str] = set()
    for failure in members:
        for match in _WORD.finditer(failure.account):
            said.add(match[0].lower())
            tokens = tokenize(match[0])
            if len(tokens) == 1:
                written.setdefault(tokens[0], Counter())[match[0].lower()] += 1
    return tuple(
        min(written[term], key=lambda word: (-written[term][word], word)) if term in written else term
        for term in terms
        if term[:1] != "<" and (term in written or term in said or not _LATIN_STEM.fullmatch(term))
    )


def _conditions(members: Sequence[Failure], terms: Sequence[str], phrases: dict[str, str]) -> str:
    parts = []
    for key, names in (
        ("task", [failure.task_type for failure in members]),
        ("tool", [failure.tool for failure in members]),
    ):
        if name := _most(names, COMMON):
            parts.append(phrases[key].format(name=name))
    special = Counter(kind for failure in members for kind in profile(failure.situation).special)
    if special and sum(bool(profile(f.situation).special) for f in members) >= COMMON * len(members):
        kinds = [phrases[kind.value] for kind in InputClass if kind in special]
        parts.append(phrases["input"].format(names=phrases["list"].join(kinds)))
    if shown := readable(terms, members):
        parts.append(phrases["terms"].format(terms=phrases["list"].join(shown)))
    return phrases["join"].join(parts)


def _told(failure: Failure) -> str:
    """What went wrong: the account without the lines that only name the error type or tell what was right."""
    told = failure.account.strip()
    for other in (failure.correction, failure.error_type):
        rest = "\n".join(line for line in told.splitlines() if line not in other.splitlines())
        told = rest.strip() or told
    return told


def _quoted(text: str) -> str:
    line = _SPACE.sub(" ", text).strip()
    return line if len(line) <= QUOTED else line[: QUOTED - 1].rstrip() + "…"


def _most(names: Sequence[str], share: float = 0.0) -> str:
    """The name that most members have, '' unless more than that share of all of them do."""
    counts = Counter(name for name in names if name)
    best = min(counts, key=lambda name: (-counts[name], name), default="")
    return best if counts[best] > share * len(names) else ""


def _alike(first: frozenset[str], second: frozenset[str], least: float) -> bool:
    union = len(first | second)
    return first == second if not union else len(first & second) / union >= least
