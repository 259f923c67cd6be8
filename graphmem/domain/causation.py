"""Edges between memories, the evidence on them, and the rules that grade them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import ClassVar, NamedTuple, TypeVar

from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Fact, Memory, MemoryKind

_T = TypeVar("_T")

LATENESS_ALLOWED_S = 5.0
"""Seconds by which a cause may lie after its effect: clocks of agents and tools differ a little."""


class Grade(IntEnum):
    """How well an edge is supported; higher is better."""

    INFERRED = 1
    TRACED = 2
    ASSERTED = 3
    CONFIRMED = 4


class VerdictKind(StrEnum):
    """What a reviewer said about an edge."""

    CONFIRM = "CONFIRM"
    REFUTE = "REFUTE"


class EdgeKind(StrEnum):
    """The three relations of the graph."""

    CAUSED_BY = "CAUSED_BY"
    GENERALIZES = "GENERALIZES"
    SUPERSEDES = "SUPERSEDES"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to believe an edge. confidence is a probability in (0, 1]."""

    grade: Grade
    confidence: float
    method: str
    by: str
    at: datetime
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One review of an edge; the latest one counts."""

    kind: VerdictKind
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Edge:
    """What all relations share: both ends and when they were joined (transaction time)."""

    kind: ClassVar[EdgeKind]

    from_id: str
    to_id: str
    recorded_at: datetime

    @property
    def owner_id(self) -> str:
        """The end whose revision moves with the edge."""
        return self.from_id


@dataclass(frozen=True, kw_only=True)
class CauseEdge(Edge):
    """(effect)-[:CAUSED_BY]->(cause): from_id is the effect, to_id the cause.

    lag_ms is effect time minus cause time in milliseconds; negative when the cause is later.
    """

    kind = EdgeKind.CAUSED_BY

    evidence: tuple[Evidence, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    lag_ms: int = 0

    @property
    def effect_id(self) -> str:
        """The memory that was caused."""
        return self.from_id

    @property
    def cause_id(self) -> str:
        """The memory that caused it."""
        return self.to_id

    @property
    def active(self) -> bool:
        """False once the latest verdict refutes the edge; it is kept, and left out of every walk."""
        return not self.verdicts or self.verdicts[-1].kind is VerdictKind.CONFIRM

    @property
    def grade(self) -> Grade | None:
        """The best support; None when refuted."""
        if not self.active:
            return None
        if self.verdicts:
            return Grade.CONFIRMED
        best = Grade.INFERRED
        for item in self.evidence:  # max() over a generator takes three times as long, over 300,000 edges
            best = item.grade if item.grade > best else best
        return best

    @property
    def confidence(self) -> float:
        """Probability that the cause led to the effect: the best evidence, 0 when refuted."""
        if not self.active:
            return 0.0
        return max((item.confidence for item in self.evidence), default=0.5)


@dataclass(frozen=True, kw_only=True)
class GeneralizesEdge(Edge):
    """(pattern or strategy)-[:GENERALIZES]->(experience or pattern); owned by the specific end."""

    kind = EdgeKind.GENERALIZES

    source: str = ""

    @property
    def owner_id(self) -> str:
        """The specific end."""
        return self.to_id


@dataclass(frozen=True, kw_only=True)
class SupersedesEdge(Edge):
    """(newer fact)-[:SUPERSEDES]->(older fact); owned by the older end."""

    kind = EdgeKind.SUPERSEDES

    @property
    def owner_id(self) -> str:
        """The older end."""
        return self.to_id


EDGE_KINDS: dict[EdgeKind, type[Edge]] = {
    cls.kind: cls for cls in (CauseEdge, GeneralizesEdge, SupersedesEdge)
}
_ALLOWED_ENDS: dict[EdgeKind, frozenset[tuple[MemoryKind, MemoryKind]]] = {
    EdgeKind.CAUSED_BY: frozenset(
        {(MemoryKind.EXPERIENCE, MemoryKind.EXPERIENCE), (MemoryKind.EXPERIENCE, MemoryKind.FACT)}
    ),
    EdgeKind.GENERALIZES: frozenset(
        {(MemoryKind.PATTERN, MemoryKind.EXPERIENCE), (MemoryKind.STRATEGY, MemoryKind.PATTERN)}
    ),
    EdgeKind.SUPERSEDES: frozenset({(MemoryKind.FACT, MemoryKind.FACT)}),
}


class End(NamedTuple):
    """What a relation asks of a memory that it joins."""

    id: str
    kind: MemoryKind


def check_ends(kind: EdgeKind, source: Memory | End, target: Memory | End, field: str = "id") -> None:
    """Refuse self-loops and ends of kinds that the relation does not join.

    Raises BadInputError naming field.
    """
    if source.id == target.id:
        raise BadInputError("a memory cannot be joined to itself", field=field, remedy="name another memory")
    if (source.kind, target.kind) not in _ALLOWED_ENDS[kind]:
        pairs = " or ".join(sorted(f"{a} -> {b}" for a, b in _ALLOWED_ENDS[kind]))
        raise BadInputError(
            f"{kind} joins {pairs}, not {source.kind} -> {target.kind}",
            field=field,
            remedy="check which memory is which",
        )


def allowed_targets(kind: EdgeKind, source: MemoryKind) -> list[MemoryKind]:
    """The kinds that the relation joins a memory of this kind to, sorted."""
    return sorted(target for start, target in _ALLOWED_ENDS[kind] if start is source)


def cause_time(cause: Memory) -> datetime | None:
    """When a cause began to act: a fact from valid_from (None = always), an experience when it occurred."""
    return cause.valid_from if isinstance(cause, Fact) else cause.occurred_at


def lag_ms(effect: Memory, cause: Memory) -> int:
    """Effect time minus cause time in milliseconds; 0 for a fact without valid_from."""
    began = cause_time(cause)
    return round((effect.occurred_at - began).total_seconds() * 1000) if began else 0


def check_order(effect: Memory, cause: Memory, field: str) -> None:
    """Refuse a cause more than LATENESS_ALLOWED_S seconds after its effect.

    Raises BadInputError naming field.
    """
    if lag_ms(effect, cause) < -LATENESS_ALLOWED_S * 1000:
        raise BadInputError(
            f"the cause {cause.ref or cause.id} is later than its effect",
            field=field,
            remedy="swap the two, or correct when they occurred",
        )


def merge_edges(existing: Edge | None, incoming: Edge) -> Edge:
    """The edge that results when incoming is written over existing: evidence and verdicts add up.

    The first recorded_at stays; evidence or verdicts already there are not repeated.
    """
    if not isinstance(incoming, CauseEdge):
        return existing or incoming
    existing = existing if isinstance(existing, CauseEdge) else replace(incoming, evidence=(), verdicts=())
    return replace(
        existing,
        evidence=_joined(existing.evidence, incoming.evidence),
        verdicts=tuple(sorted(_joined(existing.verdicts, incoming.verdicts), key=lambda item: item.at)),
    )


def _joined(first: Iterable[_T], second: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*first, *second)))
