"""When a past failure is worth saying: warn, ask, or only list it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphmem.analysis.asking import Worked, questions
from graphmem.analysis.calibration import features, probability
from graphmem.analysis.inputs import profile
from graphmem.analysis.past_runs import Asked, PastFailure
from graphmem.analysis.tokens import tokenize
from graphmem.domain.answers import Strength
from graphmem.domain.gate import FEATURES, GateLook, GatePrior
from graphmem.domain.rules import REMIND_PROBABILITY

REPEAT_OVERLAP = 0.8
"""Jaccard overlap of the tokens of two situations from which one is the repeat of the other."""
REPEATS_SOUGHT = 5
"""Best failures compared word for word: a repeat is never further down."""
MAX_REMINDERS = 3

_LITERAL = re.compile(r"(?:(?<![\w)\]-])-)?\d+(?:\.\d+)?|\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\"|'[^']*'|`[^`]*`")


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
    worked: Worked = tuple,
) -> Decision:
    """What to say of the failures found, given best first.

    least: probability in [0, 1] from which the gate warns. worked: what speaks against a question.
    A failure on a special input (empty, missing, ...) is not held against a visible ordinary one.
    """
    shown = profile(asked.situation)
    special = {failure.id: profile(failure.situation).special for failure in failures}
    applicable = [failure for failure in failures if not (shown.ordinary and special[failure.id])]
    fitting = [failure for failure in applicable if not failure.weak]
    look = _looked(applicable)
    said = _repeats(asked, fitting[:REPEATS_SOUGHT]) or _gated(look, prior, least)
    already = [identifier for item in said for identifier in item.ids]
    asks = [Said(Strength.ASK, ids, None) for ids in questions(asked, fitting, special, already, worked)]
    return Decision((*said, *asks)[:MAX_REMINDERS], look)


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
