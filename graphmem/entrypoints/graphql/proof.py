"""What the service says of its own use, as GraphQL types. Intervals are two-sided, 95 %."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import strawberry

from graphmem.domain import gate, recurrence
from graphmem.domain import proof as domain
from graphmem.domain.answers import Strength
from graphmem.domain.memories import Memory as Stored
from graphmem.domain.proof import Fate
from graphmem.domain.recurrence import Answer, Outcome
from graphmem.entrypoints.graphql.kinds import Memory, mirrored, node


@strawberry.type(description="A lineage that would be listed in a session, shown or withheld by the coin.")
class Exposure:
    """An exposure."""

    id: strawberry.ID
    session_id: str
    task_id: str
    lineage: strawberry.ID = strawberry.field(description="A cluster, or a memory while no cluster holds it.")
    memory_id: strawberry.ID = strawberry.field(description="What of the lineage ranked best.")
    at: datetime
    shown: bool
    rate: float = strawberry.field(description="The hold-out rate in force.")
    strength: Strength = strawberry.field(description="The strongest way in which it was listed so far.")
    said_at: datetime | None = strawberry.field(description="First as REMIND or ASK.")
    answer: Answer | None
    note: str
    answered_at: datetime | None


@strawberry.type(description="A session that is over: what it was shown can be judged.")
class EndedSession:
    """The answer of endSession."""

    session_id: str
    at: datetime
    already: bool = strawberry.field(description="It was ended by an earlier call.")


@strawberry.type(
    description="A share with its Wilson interval; value null and the interval [0, 1] while n is 0."
)
class Rate:
    """A rate."""

    count: int
    n: int
    value: float | None
    low: float
    high: float


@strawberry.type(
    description="One recurrence rate minus another, with Newcombe's interval; null while one of them has no trial."
)
class Effect:
    """An effect."""

    difference: float | None
    low: float | None
    high: float | None
    p: float | None = strawberry.field(description="Fisher's exact test, two-sided.")
    lift: float | None = strawberry.field(description="The share of the other rate that the one saves.")
    harm: bool = strawberry.field(description="The alarm: the whole interval is above 0.")


@strawberry.type(
    description="Exposures by what became of them. rate: recurred of those that recurred or were avoided."
)
class Arm:
    """One side of the coin."""

    exposures: int
    recurred: int
    avoided: int
    censored: int = strawberry.field(
        description="The session ended without an occasion, or it cannot be told."
    )
    open: int = strawberry.field(description="The session goes on.")
    rate: Rate


@strawberry.type(description="What agents answered to reminders.")
class Answers:
    """Answers, counted."""

    applied: int
    not_applicable: int
    refuted: int


@strawberry.type(description="How often what was shown came back.")
class Recurrence:
    """The answer of recurrence."""

    subject: Memory | None
    since: datetime | None
    shown: Arm
    withheld: int
    answers: Answers
    before: Rate = strawberry.field(
        description="Episodes in which it could happen before it was first said: in how many did it?"
    )
    after: Rate
    effect: Effect = strawberry.field(
        description="after minus before; whatever else changed in that time is in it as well. See experiment."
    )
    truncated: bool = strawberry.field(description="More exposures are stored than were read.")


@strawberry.type(description="A proposal to retire a pattern or a strategy. Nothing is applied.")
class Retirement:
    """A proposal."""

    memory: Memory
    fate: Fate
    shown: Rate
    withheld: Rate
    effect: Effect


@strawberry.type(description="Shown against withheld: with memory of it and without, as the coin had it.")
class Experiment:
    """The answer of experiment."""

    subject: Memory | None
    since: datetime | None
    rate: float = strawberry.field(
        description="The hold-out rate of these exposures, the one last in force; 0: nothing was ever drawn."
    )
    shown: Arm
    withheld: Arm
    effect: Effect = strawberry.field(description="shown minus withheld.")
    retirements: list[Retirement]
    truncated: bool = strawberry.field(description="More exposures are stored than were read.")


@strawberry.type(description="A logistic reminder gate: more evidence never lowers its probability.")
class Gate:
    """A gate."""

    intercept: float
    slopes: list[float] = strawberry.field(description="Of relevance, gap, agreement and vote share.")


@strawberry.type(description="A refitted gate beside the shipped one, on sessions that it was not fitted on.")
class GateTrial:
    """A trial."""

    refitted: Gate
    shipped_loss: float = strawberry.field(description="Mean log loss, in nats.")
    refitted_loss: float
    gain: float = strawberry.field(description="shippedLoss - refittedLoss; low, high: over sessions.")
    low: float
    high: float
    better: bool = strawberry.field(description="The whole interval is above 0.")


@strawberry.type(description="What the outcomes of a namespace say of its reminder gate.")
class Calibration:
    """The answer of calibrate."""

    exposures: int = strawberry.field(
        description="Those that the gate looked at, in today's embedding space."
    )
    labels: int = strawberry.field(description="Of these those that tell whether it was to the point.")
    relevant: int = strawberry.field(description="Of these those where it was.")
    withheld: int = strawberry.field(description="Labels made by the coin of the hold-out.")
    trial: GateTrial | None = strawberry.field(description="null while there are too few labels.")
    gate: Gate = strawberry.field(description="In force from now on; with dryRun: it would be.")
    changed: bool
    dry_run: bool
    truncated: bool = strawberry.field(description="More exposures are stored than were read.")


def exposure(found: recurrence.Exposure) -> Exposure:
    """Exposure as a GraphQL object."""
    return mirrored(Exposure, found)


def ended(found: recurrence.SessionEnd) -> EndedSession:
    """Session end as a GraphQL object."""
    return mirrored(EndedSession, found)


def recurrence_of(found: domain.Recurrence) -> Recurrence:
    """Recurrence as a GraphQL object."""
    return mirrored(
        Recurrence,
        found,
        subject=_maybe(found.subject),
        shown=_arm(found.shown),
        answers=_answers(found.answers),
        before=mirrored(Rate, found.before),
        after=mirrored(Rate, found.after),
        effect=mirrored(Effect, found.effect),
    )


def experiment(found: domain.Experiment) -> Experiment:
    """Experiment as a GraphQL object."""
    return mirrored(
        Experiment,
        found,
        subject=_maybe(found.subject),
        shown=_arm(found.shown),
        withheld=_arm(found.withheld),
        effect=mirrored(Effect, found.effect),
        retirements=[_retirement(item) for item in found.retirements],
    )


def calibration(found: domain.Calibration) -> Calibration:
    """Calibration as a GraphQL object."""
    return mirrored(Calibration, found, trial=_trial(found.trial), gate=_gate(found.gate))


def _trial(found: gate.GateTrial | None) -> GateTrial | None:
    return None if found is None else mirrored(GateTrial, found, refitted=_gate(found.refitted))


def _gate(found: gate.GatePrior) -> Gate:
    return Gate(intercept=found.intercept, slopes=list(found.slopes))


def _retirement(found: domain.Retirement) -> Retirement:
    return mirrored(
        Retirement,
        found,
        memory=node(found.memory),
        shown=mirrored(Rate, found.shown),
        withheld=mirrored(Rate, found.withheld),
        effect=mirrored(Effect, found.effect),
    )


def _arm(found: domain.Arm) -> Arm:
    counted = {name.value.lower(): found.outcomes.get(name, 0) for name in Outcome}
    return Arm(exposures=found.exposures, rate=mirrored(Rate, found.rate), **counted)


def _answers(found: Mapping[Answer, int]) -> Answers:
    return Answers(**{name.value.lower(): found.get(name, 0) for name in Answer})


def _maybe(memory: Stored | None) -> Memory | None:
    return None if memory is None else node(memory)
