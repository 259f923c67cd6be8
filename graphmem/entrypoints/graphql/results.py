"""What writing fields answer: the thing written, or the problem that stopped it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import strawberry

from graphmem.domain import turns
from graphmem.domain.turns import TurnSignal
from graphmem.entrypoints.graphql.edges import CauseEdge
from graphmem.entrypoints.graphql.kinds import Experience, Fact, Pattern, Strategy, mirrored, written_node
from graphmem.entrypoints.graphql.problems import Conflict, InvalidInput, NotFound, TooLarge
from graphmem.entrypoints.graphql.proof import Calibration, EndedSession, Exposure


@strawberry.type(description="Several experiences written in one transaction, in the order given.")
class RecordedMany:
    """The items, each with its receipt."""

    items: list[Experience]
    created: int = strawberry.field(description="How many were new; the others were known by their keys.")
    revision: int


@strawberry.type(
    description="What was removed (or would be, with dryRun). alreadyGone: there was nothing to remove."
)
class Forgotten:
    """A removal."""

    ids: list[strawberry.ID]
    refs: list[str]
    edges: int
    revision: int
    already_gone: bool
    dry_run: bool


@strawberry.type(
    description="What was read from a turn, and what was written for it in one transaction: null where nothing was."
)
class ObservedTurn:
    """A turn and what it led to."""

    signal: TurnSignal
    expected: str = strawberry.field(description="What the user says is right; '' for nothing.")
    fact: Fact | None
    experience: Experience | None


FactResult: TypeAlias = Annotated[
    Fact | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("FactResult")
]
ExperienceResult: TypeAlias = Annotated[
    Experience | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("ExperienceResult")
]
RecordManyResult: TypeAlias = Annotated[
    RecordedMany | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("RecordManyResult")
]
TurnResult: TypeAlias = Annotated[
    ObservedTurn | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("TurnResult")
]
MemoryResult: TypeAlias = Annotated[
    Fact | Experience | Pattern | Strategy | InvalidInput | TooLarge | NotFound | Conflict,
    strawberry.union("MemoryResult"),
]
CauseResult: TypeAlias = Annotated[
    CauseEdge | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("CauseResult")
]
ExposureResult: TypeAlias = Annotated[
    Exposure | InvalidInput | TooLarge | NotFound, strawberry.union("ExposureResult")
]
SessionResult: TypeAlias = Annotated[
    EndedSession | InvalidInput | TooLarge | NotFound, strawberry.union("SessionResult")
]
CalibrationResult: TypeAlias = Annotated[
    Calibration | InvalidInput | Conflict, strawberry.union("CalibrationResult")
]
ForgetResult: TypeAlias = Annotated[Forgotten | InvalidInput | TooLarge, strawberry.union("ForgetResult")]


def observed(found: turns.ObservedTurn) -> ObservedTurn:
    """An observed turn as a GraphQL object."""
    fact, experience = (written_node(item) if item else None for item in (found.fact, found.experience))
    return mirrored(ObservedTurn, found, fact=fact, experience=experience)
