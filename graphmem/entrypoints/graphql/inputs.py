"""What callers send, as GraphQL inputs. null is the same as not given."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry import UNSET

from graphmem.domain.causation import Grade, VerdictKind
from graphmem.domain.memories import (
    Channel,
    ContextSufficiency,
    MemoryKind,
    Result,
    RootCauseType,
    State,
)
from graphmem.domain.recurrence import Answer
from graphmem.entrypoints.graphql.scalars import Json


@strawberry.input(description="Who writes. Without it: an unknown agent.")
class WriterInput:
    """A writer; trust is not for the writer to say."""

    id: str
    channel: Channel | None = UNSET


@strawberry.input(description="Why a failure happened. Steps count from 1.")
class DiagnosisInput:
    """An analysis of a failure."""

    summary: str
    type: RootCauseType | None = UNSET
    prevention: str | None = UNSET
    deviated_at: int | None = UNSET
    context_sufficiency: ContextSufficiency | None = UNSET
    change_at: int | None = UNSET
    source: str | None = UNSET


@strawberry.input(
    description="Names a cause by exactly one of id (or ref), key and text (within the same task)."
)
class CauseRefInput:
    """A cause."""

    id: strawberry.ID | None = UNSET
    key: str | None = UNSET
    text: str | None = UNSET
    confidence: float | None = strawberry.field(
        default=UNSET, description="Above 0, at most 1; 0.8 if not given."
    )
    note: str | None = UNSET


@strawberry.input(
    description="What everything written can carry. The same key and input again is written once."
)
class DraftInput:
    """The shared fields of what is written."""

    key: str | None = UNSET
    occurred_at: datetime | None = strawberry.field(
        default=UNSET, description="When it happened, at most a day ahead; now if not given."
    )
    session_id: str | None = UNSET
    task_id: str | None = UNSET
    task_type: str | None = UNSET
    tags: list[str] | None = UNSET
    metadata: Json | None = UNSET
    writer: WriterInput | None = UNSET


@strawberry.input(description="A fact to remember. supersedes: ids or refs of the facts that it replaces.")
class FactInput(DraftInput):
    """A fact."""

    statement: str
    subject: str | None = UNSET
    valid_from: datetime | None = UNSET
    valid_to: datetime | None = UNSET
    supersedes: list[strawberry.ID] | None = UNSET


@strawberry.input(description="What was seen of an action, whatever came of it.")
class ActionInput(DraftInput):
    """What experiences and failures share."""

    context: str | None = UNSET
    output: str | None = UNSET
    expected: str | None = UNSET
    error_type: str | None = UNSET
    correction: str | None = UNSET
    generalization: str | None = UNSET
    tool: str | None = UNSET
    agent: str | None = UNSET
    root_cause: DiagnosisInput | None = UNSET
    informed_by: list[strawberry.ID] | None = strawberry.field(
        default=UNSET, description="Ids of memories that the agent had been shown."
    )
    caused_by: list[CauseRefInput] | None = UNSET


@strawberry.input(description="An action and what came of it.")
class ExperienceInput(ActionInput):
    """An experience."""

    action: str
    result: Result
    manifestation: str | None = UNSET
    trace: str | None = UNSET


@strawberry.input(description="A failure, recorded the moment it happens. Only manifestation is needed.")
class FailureInput(ActionInput):
    """A failure."""

    manifestation: str
    action: str | None = UNSET
    agent_trace: str | None = UNSET


@strawberry.input(
    description="What a user said after an output of the agent. asked: the request that the output answered; earlier:"
    " what the user had said before in the session, oldest first."
)
class TurnInput(DraftInput):
    """A turn of a conversation."""

    said: str
    asked: str | None = UNSET
    output: str | None = UNSET
    earlier: list[str] | None = UNSET
    silence_s: float | None = strawberry.field(
        default=UNSET, description="Seconds between the output and this turn."
    )
    tool: str | None = UNSET
    agent: str | None = UNSET
    informed_by: list[strawberry.ID] | None = UNSET


@strawberry.input(description="Changes to one memory: what is not given stays. text is its main text.")
class UpdateInput:
    """A change."""

    id: strawberry.ID
    expected_version: int | None = strawberry.field(
        default=UNSET, description="Refuse the change if another version is stored."
    )
    text: str | None = UNSET
    context: str | None = UNSET
    correction: str | None = UNSET
    generalization: str | None = UNSET
    error_type: str | None = UNSET
    root_cause: DiagnosisInput | None = UNSET
    valid_to: datetime | None = UNSET
    add_tags: list[str] | None = UNSET
    remove_tags: list[str] | None = UNSET
    metadata: Json | None = UNSET


@strawberry.input(
    description="Says that effect was caused by cause. grade: ASSERTED (the default) or TRACED."
)
class CauseInput:
    """A cause to link."""

    effect: strawberry.ID
    cause: CauseRefInput
    grade: Grade | None = UNSET
    by: str | None = UNSET


@strawberry.input(description="A verdict on a recorded cause; both ends by id or ref.")
class ReviewInput:
    """A review."""

    effect: strawberry.ID
    cause: strawberry.ID
    verdict: VerdictKind
    by: str | None = UNSET
    reason: str | None = UNSET


@strawberry.input(description="What is to be said of a reminder, named by its exposureId.")
class AnswerInput:
    """An answer to a reminder."""

    exposure_id: strawberry.ID
    answer: Answer
    note: str | None = UNSET


@strawberry.input(description="What to forget. dryRun: only tell what would go. Forgetting cannot be undone.")
class ForgetInput:
    """A memory to forget."""

    id: strawberry.ID
    dry_run: bool | None = False


@strawberry.input(description="Parts of the situation; each that equals a memory's own raises its relevance.")
class SituationKeys:
    """Structured parts of a situation."""

    agent: str | None = UNSET
    planned_action: str | None = UNSET
    tool: str | None = UNSET
    task_type: str | None = UNSET


@strawberry.input(description="From start (inclusive) to end (exclusive); open where not given.")
class Period:
    """A span of time."""

    start: datetime | None = UNSET
    end: datetime | None = UNSET


@strawberry.input(description="Memories that fulfil every part given.")
class MemoryFilter:
    """A filter."""

    kinds: list[MemoryKind] | None = UNSET
    results: list[Result] | None = UNSET
    states: list[State] | None = UNSET
    session_id: str | None = UNSET
    task_id: str | None = UNSET
    task_type: str | None = UNSET
    tool: str | None = UNSET
    agent: str | None = UNSET
    error_type: str | None = UNSET
    tag: str | None = UNSET
    during: Period | None = UNSET


@strawberry.input(description="The arguments of recall.")
class RecallArguments:
    """Shown one by one in the schema; see arguments.Spread."""

    situation: str
    concern: str | None = UNSET
    keys: SituationKeys | None = UNSET
    kinds: list[MemoryKind] | None = UNSET
    limit: int | None = 3
    during: Period | None = UNSET
    session_id: str | None = strawberry.field(
        default=UNSET,
        description="Who is told: what is listed is noted, and may be withheld by the hold-out.",
    )
    task_id: str | None = UNSET
    min_revision: int | None = UNSET
    include_archived: bool | None = False
