"""The four kinds of memory as GraphQL types, and the enumerations they use."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, cast

import strawberry

from graphmem.domain import memories as domain
from graphmem.domain.answers import Written
from graphmem.domain.memories import (
    AnalysisState,
    Channel,
    ContextSufficiency,
    Level,
    MemoryKind,
    PatternStatus,
    Result,
    RootCauseType,
    State,
    StrategyStatus,
    Tier,
)
from graphmem.entrypoints.graphql import enumerations
from graphmem.entrypoints.graphql.scalars import Json

assert enumerations.SHOWN

_T = TypeVar("_T")


@strawberry.type(
    description="What a write led to. The same key and input again: the first receipt, created false."
)
class Receipt:
    """The receipt of one written memory."""

    key: str
    created: bool
    revision: int
    embedded: bool = strawberry.field(description="False: found by words at once, by meaning a little later.")
    redactions: int = strawberry.field(
        description="How many secrets were replaced before anything was stored."
    )


@strawberry.type(description="Who wrote a memory. trust is from 0 to 1.")
class Writer:
    """A writer as stored."""

    id: str
    channel: Channel
    trust: float


@strawberry.type(description="Why a failure happened. Steps count from 1.")
class Diagnosis:
    """The analysis of a failure."""

    summary: str
    type: RootCauseType | None
    prevention: str
    deviated_at: int | None
    context_sufficiency: ContextSufficiency | None
    change_at: int | None
    source: str


@strawberry.interface(description="What every kind of memory has. Texts that were not given are ''.")
class Memory:
    """The shared fields."""

    id: strawberry.ID
    ref: str = strawberry.field(description="Short name such as E-204; every id argument takes it.")
    kind: MemoryKind
    title: str
    text: str
    occurred_at: datetime
    recorded_at: datetime
    state: State
    writer: Writer
    tags: list[str]
    session_id: str
    task_id: str
    task_type: str
    metadata: Json
    version: int
    revision: int
    receipt: Receipt | None = strawberry.field(default=None, description="Only on what this call wrote.")


@strawberry.type(description="Something held to be true from validFrom until validTo.")
class Fact(Memory):
    """A fact."""

    statement: str
    subject: str
    valid_from: datetime | None
    valid_to: datetime | None


@strawberry.type(description="What the agent did, in which situation, and what came of it.")
class Experience(Memory):
    """An experience."""

    action: str
    result: Result
    context: str
    output: str
    expected: str
    error_type: str
    correction: str
    generalization: str
    generalization_source: str
    manifestation: str
    tool: str
    agent: str
    trace: str
    cluster_id: str
    tier: Tier
    analysis: AnalysisState
    root_cause: Diagnosis | None
    informed_by: list[strawberry.ID]


@strawberry.type(description="A lesson that several episodes taught.")
class Pattern(Memory):
    """A pattern."""

    lesson: str
    trigger_conditions: str
    root_cause: str
    root_cause_type: RootCauseType | None
    prevention: str
    frequency: int
    episodes: int
    level: Level
    status: PatternStatus
    status_by: str
    status_reason: str
    first_seen: datetime | None
    last_seen: datetime | None
    task_types: list[str]
    error_types: list[str]
    source: str


@strawberry.type(description="Guidance for a category of work.")
class Strategy(Memory):
    """A strategy."""

    category: str
    guidance: str
    status: StrategyStatus
    effect: float | None = strawberry.field(description="Measured; null until it is.")


_TYPES: dict[MemoryKind, type[Memory]] = {
    MemoryKind.FACT: Fact,
    MemoryKind.EXPERIENCE: Experience,
    MemoryKind.PATTERN: Pattern,
    MemoryKind.STRATEGY: Strategy,
}


def mirrored(cls: type[_T], source: object, /, **own: Any) -> _T:
    """A GraphQL object whose fields hold what source's attributes of the same names hold, own ones aside."""
    return cls(
        **{name: getattr(source, name) for name in _names(cast(Hashable, cls)) if name not in own}, **own
    )


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(cls) if item.init)


def node(memory: domain.Memory, receipt: Receipt | None = None) -> Memory:
    """The memory as a GraphQL object of its kind."""
    return mirrored(_TYPES[memory.kind], memory, receipt=receipt)


def nodes(memories: Iterable[domain.Memory]) -> list[Memory]:
    """The memories as GraphQL objects, in their order."""
    return [node(memory) for memory in memories]


def member(memory: domain.Memory) -> Any:
    """The same, for a result that is a union of the kinds and of problems."""
    return node(memory)


def written_node(written: Written) -> Any:
    """What was written, with its receipt."""
    return node(written.memory, mirrored(Receipt, written))
