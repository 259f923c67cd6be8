"""When a past failure is worth saying: warn, ask, or only list it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphmem.analysis.calibration import features, probability
from graphmem.analysis.inputs import InputClass, InputProfile, profile
from graphmem.analysis.tokens import tokenize
from graphmem.domain.answers import Strength
from graphmem.domain.gate import FEATURES, GateLook, GatePrior
from graphmem.domain.rules import REMIND_PROBABILITY

ASK_RELEVANCE = 0.12
"""Least relevance of a failure that counts towards a question (benchmarks.fit_gate)."""
ASK_FAILURES = 3
REPEAT_OVERLAP = 0.8
"""Jaccard overlap of the tokens of two situations from which one is the repeat of the other."""
REPEATS_SOUGHT = 5
"""Best failures compared word for word: a repeat is never further down."""
MAX_REMINDERS = 3

_LITERAL = re.compile(r"(?:(?<![\w)\]-])-)?\d+(?:\.\d+)?|\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\"|'[^']*'|`[^`]*`")


@dataclass(frozen=True, slots=True)
class PastFailure:
    """A failure that was found for a situation. relevance as in fusion.relevance; situation: action and
    context; family: what failed (error class), '' when unknown; tool and task_type as recorded; witness: not informed
    by what was served, so that its word counts in the gate; cluster: the id of the one it is in, '' for none; pattern:
    the id of the pattern in use over it, '' for none; weak: only the nearest there is, so that it counts towards no
    question.
    """

    id: str
    relevance: float
    action: str
    situation: str
    family: str
    tool: str
    task_type: str
    witness: bool = True
    cluster: str = ""
    pattern: str = ""
    weak: bool = False

    @property
    def classes(self) -> frozenset[str]:
        """What it is in the eyes of the gate: its cluster, and its error class. Clusters alone would part failures of
        one error that lie in two of them, or of which one lies in none.
        """
        named = (("cluster", self.cluster), ("error", self.family))
        return frozenset(f"{kind} {name}" for kind, name in named if name)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the agent is about to do."""

    situation: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """How strongly to say which failures. ids[0] is the subject; probability None = not gated."""

    strength: Strength
    ids: tuple[str, ...]
    probability: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """What to say, at most MAX_REMINDERS, warnings before questions; and what the gate looked at, None where no
    witness was found.
    """

    said: tuple[Said, ...] = ()
    look: GateLook | None = None


def decide(
    asked: Asked,
    failures: Sequence[PastFailure],
    prior: GatePrior,
    least: float = REMIND_PROBABILITY,
) -> Decision:
    """What to say of the failures found, given best first.

    least: probability in [0, 1] from which the gate warns.
    A failure on a special input (empty, missing, ...) is not held against a visible ordinary one.
    """
    shown = profile(asked.situation)
    special = {failure.id: profile(failure.situation).special for failure in failures}
    applicable = [failure for failure in failures if not (shown.ordinary and special[failure.id])]
    fitting = [failure for failure in applicable if not failure.weak]
    look = _looked(applicable)
    said = _repeats(asked, fitting[:REPEATS_SOUGHT]) or _gated(look, prior, least)
    return Decision((*said, *_questions(asked, shown, fitting, special, said))[:MAX_REMINDERS], look)


def _repeats(asked: Asked, failures: Sequence[PastFailure]) -> list[Said]:
    """The first failure that the question repeats: same tool, and its situation, or its action where the
    question says no more than what is to be done.
    """
    for failure in failures:
        same_tool = not asked.tool or not failure.tool or asked.tool == failure.tool
        if same_tool and any(_same(asked.situation, told) for told in (failure.situation, failure.action)):
            return [Said(Strength.REMIND, (failure.id,), 1.0)]
    return []


def _same(first: str, second: str) -> bool:
    """Same literals and nearly the same words."""
    return _overlap(_words(first), _words(second)) >= REPEAT_OVERLAP and _literals(first) == _literals(second)


def _looked(failures: Sequence[PastFailure]) -> GateLook | None:
    """The evidence for the best witness. Only witnesses agree and vote: copies of what was said agree with it."""
    witnesses = [failure for failure in failures if failure.witness]
    if not witnesses:
        return None
    return GateLook(witnesses[0].id, features([(one.classes, one.relevance) for one in witnesses]), FEATURES)


def _gated(look: GateLook | None, prior: GatePrior, least: float) -> list[Said]:
    """The best witness, if the gate passes."""
    if look is None or (confidence := probability(prior, look.evidence)) < least:
        return []
    return [Said(Strength.REMIND, (look.memory_id,), confidence)]


def _questions(
    asked: Asked,
    shown: InputProfile,
    failures: Sequence[PastFailure],
    special: Mapping[str, frozenset[InputClass]],
    said: list[Said],
) -> list[Said]:
    already = {identifier for item in said for identifier in item.ids}
    questions = []
    for group in _families(failures, asked.tool):
        known = frozenset[InputClass]().union(*(special[failure.id] for failure in group))
        ids = tuple(failure.id for failure in group if _matches(shown, failure, known))
        if len(ids) >= ASK_FAILURES and not already.intersection(ids):
            already.update(ids)
            questions.append(Said(Strength.ASK, ids, None))
    return questions


def _families(failures: Sequence[PastFailure], tool: str) -> list[list[PastFailure]]:
    """Failures of one pattern, or of one error class and one tool, or one task type, in the order of their best
    member. tool: what is about to be used; failures of another one only count by their pattern. '' for any.
    """
    groups: dict[tuple[str, str, str], list[PastFailure]] = defaultdict(list)
    for failure in failures:
        if failure.pattern:
            groups["pattern", failure.pattern, ""].append(failure)
        if not failure.family or (tool and failure.tool and tool != failure.tool):
            continue
        if failure.tool:
            groups["tool", failure.tool, failure.family].append(failure)
        if failure.task_type:
            groups["task type", failure.task_type, failure.family].append(failure)
    return list(groups.values())


def _matches(shown: InputProfile, failure: PastFailure, known: frozenset[InputClass]) -> bool:
    """Whether a failure counts towards a question. known: the special inputs its family failed on.

    A family that failed on special inputs is asked about when the question shows one of them, or any special
    input once there were two different ones; every other match must be near enough.
    """
    near = failure.relevance >= ASK_RELEVANCE
    if not known or not shown.concrete:
        return near
    return bool(shown.special) and (len(known) >= 2 or bool(known & shown.special))


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    """Tokens of a situation; the same failures are compared at every question."""
    return frozenset(tokenize(text))


def _literals(text: str) -> frozenset[str]:
    """Numbers, quoted and bracketed parts: what the input of a situation is made of."""
    return frozenset(match.group().replace(" ", "") for match in _LITERAL.finditer(text))


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    union = len(first | second)
    return len(first & second) / union if union else 0.0
