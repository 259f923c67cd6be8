"""What was said before a failure, and what today's memory would say: values of replay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.domain.answers import Strength
from graphmem.domain.memories import Experience, Memory
from graphmem.domain.proof import Rate


class Miss(StrEnum):
    """Why a failure would not be said.

    NOTHING_KNOWN: it is the first of its kind. NOT_SURE: it is listed, the gate does not pass. BEHIND: it was found,
    other memories rank before it. NOT_FOUND: no word in common, not near in meaning.
    """

    NOTHING_KNOWN = "NOTHING_KNOWN"
    NOT_SURE = "NOT_SURE"
    BEHIND = "BEHIND"
    NOT_FOUND = "NOT_FOUND"


@dataclass(frozen=True, slots=True)
class Hindsight:
    """A moment to ask at as if nothing had been recorded since. episode: what happened in it is not told either, for
    what an agent did a step ago in the same task is no memory.
    """

    moment: datetime
    episode: str = ""


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """A failure that was known then, and how near it came. lexical_score: BM25; deviation: of the centred cosine in
    standard deviations above chance, None without vectors; relevance is raw.
    """

    memory: Memory
    relevance: float
    lexical_score: float
    deviation: float | None


@dataclass(frozen=True, kw_only=True)
class ReplayedFailure:
    """A failure that happened, asked about again.

    earlier: failures of the same lineage in other episodes that had been recorded by then. then: how its lineage was
    shown to its session before it, None = not at all; now: likewise, by today's memory of what was known then.
    others: reminders that it would get about other lineages. miss: where now is neither REMIND nor ASK. Of a repeat
    nearest is the known failure of its lineage that comes nearest, rival that of all other lineages.
    """

    failure: Experience
    earlier: int
    then: Strength | None
    now: Strength | None
    others: int = 0
    nearest: Nearest | None = None
    rival: Nearest | None = None
    miss: Miss | None = None

    @property
    def said_then(self) -> bool:
        """Whether it was said, not only listed."""
        return is_said(self.then)

    @property
    def said_now(self) -> bool:
        """Whether it would be said today."""
        return is_said(self.now)


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """Failures since a time, newest first, asked about again.

    repeats: those with an earlier failure of their lineage, the only ones that a memory can catch; the rates are of
    these. disturbed: how many of the experiences that worked would get a reminder. truncated: older ones were left out.
    """

    since: datetime
    failures: int
    repeats: int
    said_then: Rate
    said_now: Rate
    listed_then: Rate
    listed_now: Rate
    disturbed: Rate
    items: tuple[ReplayedFailure, ...]
    truncated: bool = False


def is_said(strength: Strength | None) -> bool:
    """Whether a strength is a warning or a question."""
    return strength in (Strength.REMIND, Strength.ASK)
