"""What the service says of its own use: how often failures came back, and whether showing them helped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from graphmem.domain.gate import GatePrior, GateTrial
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
class Effect:
    """One rate of what is not wanted minus another one; all None while one of them has no trial.

    difference, low and high (95 %) are in [-1, 1]; p: exact, two-sided; lift: the share of the other rate that the
    one saves, None where the other is 0 too; harm: the whole interval is above 0.
    """

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    lift: float | None = None
    harm: bool = False


class Fate(StrEnum):
    """Why something said should go: it makes failures more frequent, or the data rule out a use worth having."""

    HARMS = "HARMS"
    DOES_NOT_HELP = "DOES_NOT_HELP"


@dataclass(frozen=True, kw_only=True)
class Arm:
    """Exposures by outcome; rate: recurred of those that recurred or were avoided."""

    exposures: int
    outcomes: Mapping[Outcome, int]
    rate: Rate


@dataclass(frozen=True, kw_only=True)
class Retirement:
    """A proposal to retire a pattern or a strategy, with what it rests on. Nothing is applied."""

    memory: Memory
    fate: Fate
    shown: Rate
    withheld: Rate
    effect: Effect


@dataclass(frozen=True, kw_only=True)
class Recurrence:
    """How often what was shown came back.

    shown: exposures that were shown; withheld: how many were not; answers: what agents said of those shown. before,
    after: episodes in which a lineage could happen, before and after it was first said as a warning or a question,
    summed over lineages; the episode in which one began counts in neither. effect: after minus before, which other
    changes of the same time share. truncated: more exposures are stored than are read at once.
    """

    subject: Memory | None = None
    since: datetime | None = None
    shown: Arm
    withheld: int = 0
    answers: Mapping[Answer, int] = field(default_factory=dict)
    before: Rate
    after: Rate
    effect: Effect
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Shown against withheld, as the coin had it; effect: shown minus withheld.

    rate: the hold-out rate that these exposures were drawn at, the one last in force; 0 = nothing was drawn.
    """

    subject: Memory | None = None
    since: datetime | None = None
    rate: float = 0.0
    shown: Arm
    withheld: Arm
    effect: Effect
    retirements: tuple[Retirement, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What the outcomes of a namespace say of its reminder gate.

    exposures: those of which the gate saw something, in the embedding space of today; labels: of them those that
    tell whether the failure was to the point; relevant: where it was; withheld: labels that the coin made, which alone
    do not depend on what showing did. trial: None while there are too few labels. gate: in force from now on (dry_run:
    it would be); changed: it is another one than before. truncated: more exposures are stored than are read at once.
    """

    exposures: int
    labels: int
    relevant: int
    withheld: int
    trial: GateTrial | None
    gate: GatePrior
    changed: bool
    dry_run: bool = False
    truncated: bool = False
