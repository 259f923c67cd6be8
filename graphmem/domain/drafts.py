"""What a caller says when writing or asking: values that doors build and services take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.causation import Grade, VerdictKind
from graphmem.domain.memories import (
    Json,
    MemoryKind,
    PatternStatus,
    Result,
    RootCause,
    StrategyStatus,
    Writer,
)

CHANGED = "changed"
"""Key of a success's metadata: files that had changed since the failure that it followed."""
ASSERTED_CONFIDENCE = 0.8
"""Confidence of a cause that a writer states without saying how sure it is."""


@dataclass(frozen=True, kw_only=True)
class CauseRef:
    """Names a cause by exactly one of id (or ref), key or text.

    text is looked up within the effect's task. confidence is in (0, 1]. grade: ASSERTED, or TRACED for what a
    program saw itself, such as an exception's cause.
    """

    id: str = ""
    key: str = ""
    text: str = ""
    confidence: float = ASSERTED_CONFIDENCE
    note: str = ""
    grade: Grade = Grade.ASSERTED


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What all drafts share. key makes a retry harmless; without one, one is made up and returned."""

    key: str = ""
    occurred_at: datetime | None = None
    session_id: str = ""
    task_id: str = ""
    task_type: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    writer: Writer = field(default_factory=Writer)


@dataclass(frozen=True, kw_only=True)
class FactDraft(Draft):
    """A fact to remember. supersedes: ids or refs of facts that this one replaces."""

    statement: str
    subject: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ActionDraft(Draft):
    """What was seen of an action, whatever came of it. informed_by: ids of memories that the agent had been shown."""

    context: str = ""
    output: str = ""
    expected: str = ""
    error_type: str = ""
    correction: str = ""
    generalization: str = ""
    tool: str = ""
    agent: str = ""
    root_cause: RootCause | None = None
    informed_by: tuple[str, ...] = ()
    caused_by: tuple[CauseRef, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExperienceDraft(ActionDraft):
    """An action and its result."""

    action: str
    result: Result
    manifestation: str = ""
    trace: str = ""


@dataclass(frozen=True, kw_only=True)
class FailureDraft(ActionDraft):
    """A failure the moment it happens (seed 2). Only manifestation is needed: how it showed."""

    manifestation: str
    action: str = ""
    agent_trace: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnDraft(Draft):
    """What a user said after an output of the agent (seed 1, 4.2).

    asked: the request that the output answered; earlier: what the user had said before in the session, oldest
    first; silence_s: seconds between the output and this turn.
    """

    said: str
    asked: str = ""
    output: str = ""
    earlier: tuple[str, ...] = ()
    silence_s: float | None = None
    tool: str = ""
    agent: str = ""
    informed_by: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MemoryUpdate:
    """Changes to one memory; None leaves a field as it is.

    text is the statement of a fact, the action of an experience, the lesson of a pattern, the guidance of a
    strategy. Tags are added and removed one by one, so that parallel updates do not overwrite each other.
    """

    id: str
    expected_version: int | None = None
    text: str | None = None
    context: str | None = None
    correction: str | None = None
    generalization: str | None = None
    error_type: str | None = None
    root_cause: RootCause | None = None
    valid_to: datetime | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class CauseLink:
    """Says that effect (id or ref) was caused by cause; grade ASSERTED or TRACED."""

    effect: str
    cause: CauseRef
    grade: Grade = Grade.ASSERTED
    by: str = "unknown"


@dataclass(frozen=True, kw_only=True)
class CauseReview:
    """A verdict on the edge effect -> cause (ids or refs)."""

    effect: str
    cause: str
    verdict: VerdictKind
    by: str = "unknown"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PatternReview:
    """A decision about a pattern (id or ref): OPEN, RESOLVED or MUTED; REGRESSED comes by itself."""

    id: str
    status: PatternStatus
    by: str = "unknown"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Promotion:
    """Makes a pattern (id or ref) a strategy. Without a category that of the pattern's tasks, without guidance
    what prevents the failure.
    """

    pattern: str
    category: str = ""
    guidance: str = ""
    by: str = "unknown"


@dataclass(frozen=True, kw_only=True)
class StrategyReview:
    """A decision about a strategy (id or ref): ACTIVE or RETIRED, or PROPOSED again."""

    id: str
    status: StrategyStatus
    by: str = "unknown"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class SituationKeys:
    """Structured parts of a situation; each that equals a memory's own raises its relevance."""

    agent: str = ""
    planned_action: str = ""
    tool: str = ""
    task_type: str = ""


@dataclass(frozen=True, kw_only=True)
class Period:
    """From start (inclusive) to end (exclusive); None is open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """What an agent asks before it acts.

    situation: what it is about to do; concern: what it fears could go wrong. kinds empty = all.
    limit: 1 to 20 hits a list. min_revision: answer not before this revision is seen.
    """

    situation: str
    concern: str = ""
    keys: SituationKeys = field(default_factory=SituationKeys)
    kinds: tuple[MemoryKind, ...] = ()
    limit: int = 3
    during: Period = field(default_factory=Period)
    session_id: str = ""
    task_id: str = ""
    min_revision: int = 0
    include_archived: bool = False
