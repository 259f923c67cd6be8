"""The four kinds of memory and the values they are made of.

A memory is an immutable value: a change makes a new value with a higher version.
Vectors are little-endian float32 bytes, times are aware UTC datetimes to the microsecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

Json = Any


class MemoryKind(StrEnum):
    """What a memory is; given at birth, never changed."""

    FACT = "FACT"
    EXPERIENCE = "EXPERIENCE"
    PATTERN = "PATTERN"
    STRATEGY = "STRATEGY"


class Result(StrEnum):
    """How an action ended; immutable once recorded."""

    SUCCESS = "SUCCESS"
    FAILURE = "FAILURE"
    PARTIAL = "PARTIAL"


class State(StrEnum):
    """Whether a memory is in use. Only ACTIVE memories are said or counted as evidence."""

    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    QUARANTINED = "QUARANTINED"
    RETRACTED = "RETRACTED"


class Channel(StrEnum):
    """Through whom a memory came in."""

    USER = "USER"
    AGENT = "AGENT"
    TOOL = "TOOL"
    LLM = "LLM"
    IMPORT = "IMPORT"


class SearchField(StrEnum):
    """The texts a memory is searched by; each has its own index partition and its own vector."""

    TEXT = "text"
    SITUATION = "situation"
    OUTCOME = "outcome"


class RootCauseType(StrEnum):
    """The four types of the learning loop (seed 2): 信息不足, 能力不足, 误导性反馈, 系统限制."""

    INFORMATION_GAP = "INFORMATION_GAP"
    CAPABILITY_GAP = "CAPABILITY_GAP"
    MISLEADING_FEEDBACK = "MISLEADING_FEEDBACK"
    SYSTEM_LIMIT = "SYSTEM_LIMIT"


class ContextSufficiency(StrEnum):
    """Whether the agent had what it needed when it went wrong."""

    SUFFICIENT = "SUFFICIENT"
    INSUFFICIENT = "INSUFFICIENT"
    MISLEADING = "MISLEADING"


class AnalysisState(StrEnum):
    """How far the analysis of a failure is."""

    PENDING = "PENDING"
    DONE = "DONE"
    FAILED = "FAILED"
    NOT_NEEDED = "NOT_NEEDED"


class Tier(StrEnum):
    """How readily an experience is searched; ageing moves it."""

    HOT = "HOT"
    WARM = "WARM"
    COLD = "COLD"


class Level(StrEnum):
    """How well a pattern is supported: below 3 episodes none, from 3 medium, from 5 and tight high."""

    NONE = "NONE"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


class PatternStatus(StrEnum):
    """What a person decided about a pattern, or what happened to it since."""

    OPEN = "OPEN"
    RESOLVED = "RESOLVED"
    REGRESSED = "REGRESSED"
    MUTED = "MUTED"


class StrategyStatus(StrEnum):
    """Whether a strategy is in force."""

    PROPOSED = "PROPOSED"
    ACTIVE = "ACTIVE"
    RETIRED = "RETIRED"


@dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote a memory. trust is in [0, 1]; 1 = as good as the operator."""

    id: str = "unknown"
    channel: Channel = Channel.AGENT
    trust: float = 1.0


@dataclass(frozen=True, slots=True)
class RootCause:
    """Why a failure happened, in one sentence, and what would prevent it. Steps are 1-based."""

    summary: str
    type: RootCauseType | None = None
    prevention: str = ""
    deviated_at: int | None = None
    context_sufficiency: ContextSufficiency | None = None
    change_at: int | None = None
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What all kinds share. ref ('E-204') is given by the store, per namespace, never reused."""

    kind: ClassVar[MemoryKind]

    id: str
    namespace: str
    occurred_at: datetime
    recorded_at: datetime
    title: str = ""
    ref: str = ""
    session_id: str = ""
    task_id: str = ""
    task_type: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    state: State = State.ACTIVE
    writer: Writer = field(default_factory=Writer)
    version: int = 1
    revision: int = 0
    vectors: Mapping[SearchField, bytes] = field(default_factory=dict, repr=False)

    @property
    def text(self) -> str:
        """The memory in words, as a person reads it."""
        raise NotImplementedError(type(self).__name__)

    @property
    def episode(self) -> str:
        """What counts as one occurrence: the task, else the session, else the memory itself."""
        return self.task_id or self.session_id or self.id


@dataclass(frozen=True, kw_only=True)
class Fact(Memory):
    """Something held to be true about the world, from valid_from until valid_to where given."""

    kind = MemoryKind.FACT

    statement: str
    subject: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def text(self) -> str:
        """The statement itself."""
        return self.statement


@dataclass(frozen=True, kw_only=True)
class Experience(Memory):
    """What the agent did, in which situation, and what came of it."""

    kind = MemoryKind.EXPERIENCE

    action: str
    result: Result
    context: str = ""
    output: str = ""
    expected: str = ""
    error_type: str = ""
    correction: str = ""
    generalization: str = ""
    generalization_source: str = ""
    manifestation: str = ""
    tool: str = ""
    agent: str = ""
    trace: str = ""
    cluster_id: str = ""
    tier: Tier = Tier.HOT
    analysis: AnalysisState = AnalysisState.NOT_NEEDED
    root_cause: RootCause | None = None
    informed_by: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Situation, outcome and correction, one a line."""
        parts = (self.action, self.context, self.outcome)
        return "\n".join(part for part in parts if part)

    @property
    def situation(self) -> str:
        """What the agent was about to do, and with what."""
        return "\n".join(part for part in (self.action, self.context) if part)

    @property
    def outcome(self) -> str:
        """What went wrong and what was learnt; without a generalization that a pattern wrote back."""
        own = "" if self.generalization_source == "pattern" else self.generalization
        cause = self.root_cause.summary if self.root_cause else ""
        parts = (self.error_type, self.manifestation, cause, self.correction, own)
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True, kw_only=True)
class Pattern(Memory):
    """A lesson that several episodes taught. frequency and episodes are counted by the store."""

    kind = MemoryKind.PATTERN

    lesson: str
    trigger_conditions: str = ""
    root_cause: str = ""
    root_cause_type: RootCauseType | None = None
    prevention: str = ""
    frequency: int = 0
    episodes: int = 0
    level: Level = Level.NONE
    status: PatternStatus = PatternStatus.OPEN
    status_by: str = ""
    status_reason: str = ""
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    task_types: tuple[str, ...] = ()
    error_types: tuple[str, ...] = ()
    source: str = ""

    @property
    def text(self) -> str:
        """Lesson, when it applies, and what prevents the failure."""
        parts = (self.lesson, self.trigger_conditions, self.prevention)
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True, kw_only=True)
class Strategy(Memory):
    """Guidance for a category of work. effect is measured, None until it is."""

    kind = MemoryKind.STRATEGY

    category: str
    guidance: str
    status: StrategyStatus = StrategyStatus.PROPOSED
    effect: float | None = None

    @property
    def text(self) -> str:
        """The guidance itself."""
        return self.guidance


KINDS: Mapping[MemoryKind, type[Memory]] = {kind.kind: kind for kind in (Fact, Experience, Pattern, Strategy)}
REF_LETTERS: Mapping[MemoryKind, str] = {kind: kind.value[0] for kind in MemoryKind}


def is_failure(memory: Memory) -> bool:
    """True for an experience whose result is FAILURE."""
    return isinstance(memory, Experience) and memory.result is Result.FAILURE


def searchable(memory: Memory) -> dict[SearchField, str]:
    """The texts a memory is found by; an experience without an outcome has no OUTCOME text."""
    if isinstance(memory, Experience):
        texts = {SearchField.SITUATION: memory.situation, SearchField.OUTCOME: memory.outcome}
        return {name: text for name, text in texts.items() if text}
    return {SearchField.TEXT: memory.text}
