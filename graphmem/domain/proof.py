"""What the service says of its own use: how often failures came back, and whether saying them helped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from graphmem.domain.memories import Memory
from graphmem.domain.recurrence import Answer, Outcome


@dataclass(frozen=True, kw_only=True)
class Rate:
    """count of n, with the 95 % interval of the share; value is None and the interval [0, 1] while n is 0."""

    count: int
    n: int
    value: float | None
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two rates of what is not wanted, the first minus the second.

    difference, low and high are in [-1, 1], None while an arm is empty; p: exact, two-sided; lift: the share of
    the second rate that the first saves, None where the second is 0; harm: the whole interval is above 0.
    """

    first: Rate
    second: Rate
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    lift: float | None = None
    harm: bool = False


class Fate(StrEnum):
    """Why a strategy or a pattern should go: it makes failures more frequent, or the data rule out a use."""

    HARMS = "HARMS"
    DOES_NOT_HELP = "DOES_NOT_HELP"


@dataclass(frozen=True, kw_only=True)
class Retirement:
    """A proposal to retire a pattern or strategy, with what it rests on. Nothing is applied."""

    memory: Memory
    fate: Fate
    comparison: Comparison


@dataclass(frozen=True, kw_only=True)
class Recurrence:
    """How often what was listed came back.

    outcomes counts exposures whose lineage was shown, answers what agents answered to them; rate: recurred of
    those decided. before, after: episodes in which it could happen, before and after it was first said; the
    episode in which a lineage began counts in neither. truncated: more exposures are stored than were read.
    """

    subject: Memory | None = None
    since: datetime | None = None
    exposures: int = 0
    withheld: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    answers: Mapping[Answer, int] = field(default_factory=dict)
    rate: Rate
    before_after: Comparison
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class Arm:
    """The exposures of one side of the coin, by outcome."""

    exposures: int
    outcomes: Mapping[Outcome, int]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Shown against withheld by the coin. comparison: first = shown, second = withheld, over decided exposures.

    rate: the hold-out rate under which these exposures were made (the one last in force), 0 = none was made.
    """

    subject: Memory | None = None
    since: datetime | None = None
    rate: float = 0.0
    shown: Arm
    withheld: Arm
    comparison: Comparison
    retirements: tuple[Retirement, ...] = ()
    truncated: bool = False
