"""Which earlier memory may have caused a failure: a proposal from text and time, never an edge by itself."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from graphmem.analysis.tokens import tokenize

QUOTE_LENGTH = 24
"""Characters that must be the same in a row to count as quoted output."""
PROPOSED = 0.5
"""Least probability of a proposal."""
MAX_PROPOSALS = 5

INTERCEPT = 1.6
SAME_STATE = 2.5
SAME_WORDS = 0.6
SAME_AGENT = -1.2
DISTANCE = -2.3
"""Slopes fitted on the 168 labelled AgentRx failures, leaving one trace out (docs/adr/0005). Two failures of one
agent in a row are more often a repetition than a consequence."""
QUOTED = 2.0
SHARED_IDENTIFIER = 0.5
SUCCEEDED = -1.5
"""Set by hand: the labelled traces hold failures only and rarely quote."""

_RUN = re.compile(r"[\w./:#-]+", re.ASCII)
_MARK = re.compile(r"[\d_./#]", re.ASCII)
"""What tells an identifier from a word; two patterns, since one for both takes cubic time on a row of dots."""


@dataclass(frozen=True, slots=True)
class Trail:
    """An experience as far as proposals look at it. seconds: when it occurred, from any common origin."""

    id: str
    text: str
    output: str
    agent: str
    failed: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A possible cause. score is a probability in (0, 1); reasons in words."""

    id: str
    score: float
    reasons: tuple[str, ...]


def propose(effect: Trail, earlier: Sequence[Trail]) -> list[Proposal]:
    """Possible causes among what happened earlier in the same task, best first, at most MAX_PROPOSALS.

    A cause is likely when it lies close by in the rhythm of the task and the effect still stands in the state
    that it left: similar output, quoted output, shared identifiers.
    """
    rhythm = _rhythm([*earlier, effect])
    scored = [_scored(effect, candidate, rhythm) for candidate in earlier]
    worthwhile = [proposal for proposal in scored if proposal.score >= PROPOSED]
    return sorted(worthwhile, key=lambda item: (-item.score, item.id))[:MAX_PROPOSALS]


def _scored(effect: Trail, candidate: Trail, rhythm: float) -> Proposal:
    distance = math.log1p(max(0.0, effect.seconds - candidate.seconds) / rhythm)
    state = _overlap(effect.output, candidate.output)
    words = _overlap(effect.text, candidate.text)
    shared = sorted(_identifiers(effect.text) & _identifiers(candidate.output))[:2]
    quoted = _quotes(effect.text, candidate.output)
    parts = (
        (SAME_STATE * state, "in the same state"),
        (SAME_WORDS * words, "speaks of the same things"),
        (QUOTED if quoted else 0.0, "quotes its output"),
        (SHARED_IDENTIFIER * len(shared), "names " + ", ".join(shared)),
        (SAME_AGENT if candidate.agent and candidate.agent == effect.agent else 0.0, "same agent"),
        (0.0 if candidate.failed else SUCCEEDED, "succeeded"),
        (INTERCEPT + DISTANCE * distance, "happened shortly before"),
    )
    reasons = tuple(reason for value, reason in parts if value > 0.25)
    score = 1 / (1 + math.exp(-sum(value for value, _ in parts)))
    return Proposal(candidate.id, round(score, 6), reasons)


def _rhythm(trails: Sequence[Trail]) -> float:
    """The median time between two events of the task, in seconds, above 0."""
    times = sorted({trail.seconds for trail in trails})
    gaps = [later - sooner for sooner, later in pairwise(times)]
    return median(gaps) if gaps else 1.0


def _overlap(first: str, second: str) -> float:
    """Jaccard overlap of tokens in [0, 1]; 0 when both are empty."""
    one, two = set(tokenize(first)), set(tokenize(second))
    return len(one & two) / len(one | two) if one or two else 0.0


def _identifiers(text: str) -> set[str]:
    """Names with a digit or a joint before their last character, at least 6 characters long, in lower case."""
    runs = (match.group().rstrip("./:#-") for match in _RUN.finditer(text))
    return {run.lower() for run in runs if len(run) >= 6 and _MARK.search(run[:-1])}


def _quotes(text: str, output: str) -> bool:
    """Whether text repeats QUOTE_LENGTH characters of output in a row."""
    pieces = {output[start : start + QUOTE_LENGTH] for start in range(0, len(output) - QUOTE_LENGTH + 1)}
    return any(text[start : start + QUOTE_LENGTH] in pieces for start in range(len(text) - QUOTE_LENGTH + 1))
