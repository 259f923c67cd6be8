"""Small makers of valid domain values, with a clock and ids that give the same on every run."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from graphmem.domain.causation import (
    CauseEdge,
    Evidence,
    GeneralizesEdge,
    Grade,
    SupersedesEdge,
    Verdict,
    VerdictKind,
)
from graphmem.domain.identifiers import uuid7
from graphmem.domain.memories import (
    AnalysisState,
    Channel,
    ContextSufficiency,
    Experience,
    Fact,
    Memory,
    Pattern,
    PatternStatus,
    Result,
    RootCause,
    RootCauseType,
    SearchField,
    State,
    Strategy,
    StrategyStatus,
    Tier,
    Writer,
)
from graphmem.domain.records import LISTED_ONLY, Job, JobKind, Record, RecordKind
from graphmem.ports.changes import Changes, Request, Update

NS = "main"
NOTED = tuple(kind for kind in RecordKind if kind not in LISTED_ONLY)
"""Kinds of records that an action may write."""
T0 = datetime(2026, 3, 1, 8, 30, 0, 123456, tzinfo=UTC)


def at(seconds: float = 0) -> datetime:
    """T0 and so many seconds."""
    return T0 + timedelta(seconds=seconds)


class Clock:
    """A clock that is one second and one microsecond later at every look."""

    def __init__(self, start: datetime = T0) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1, microseconds=1)
        return self.now


class Ids:
    """Ids that sort in the order in which they were made; another seed makes other ids."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._numbers = count(1)

    def __call__(self) -> str:
        number = next(self._numbers)
        return uuid7(T0 + timedelta(milliseconds=number), self._seed << 32 | number)


new_id: Callable[[], str] = Ids()


def fact(statement: str = "The disk of node a is full", **fields: Any) -> Fact:
    """A fact."""
    return Fact(**(_common(fields) | {"statement": statement} | fields))


def experience(action: str = "copy the file", **fields: Any) -> Experience:
    """A successful experience."""
    return Experience(**(_common(fields) | {"action": action, "result": Result.SUCCESS} | fields))


def failure(action: str = "copy the file", **fields: Any) -> Experience:
    """An experience that failed."""
    return experience(action, **({"result": Result.FAILURE} | fields))


def pattern(lesson: str = "Look at the free space first", **fields: Any) -> Pattern:
    """A pattern."""
    return Pattern(**(_common(fields) | {"lesson": lesson} | fields))


def strategy(guidance: str = "Check before writing", **fields: Any) -> Strategy:
    """A strategy."""
    return Strategy(**(_common(fields) | {"category": "files", "guidance": guidance} | fields))


def _common(fields: dict[str, Any]) -> dict[str, Any]:
    return {"id": fields.get("id") or new_id(), "namespace": NS, "occurred_at": T0, "recorded_at": T0}


def evidence(
    confidence: float = 0.75, *, grade: Grade = Grade.ASSERTED, note: str = "", seconds: float = 0
) -> Evidence:
    """One reason to believe an edge."""
    return Evidence(grade, confidence, "writer", "agent-1", at(seconds), note)


def verdict(kind: VerdictKind, seconds: float = 0, reason: str = "seen in the log") -> Verdict:
    """One review of an edge."""
    return Verdict(kind, "reviewer", reason, at(seconds))


def refuted(seconds: float = 0) -> Verdict:
    """A review that refutes."""
    return verdict(VerdictKind.REFUTE, seconds)


def confirmed(seconds: float = 0) -> Verdict:
    """A review that confirms."""
    return verdict(VerdictKind.CONFIRM, seconds)


def caused(effect: Memory, cause: Memory, **fields: Any) -> CauseEdge:
    """(effect)-[:CAUSED_BY]->(cause), with one piece of evidence unless said otherwise."""
    given: dict[str, Any] = {"recorded_at": T0, "evidence": (evidence(),)}
    return CauseEdge(from_id=effect.id, to_id=cause.id, **(given | fields))


def generalizes(general: Memory, specific: Memory, recorded_at: datetime = T0) -> GeneralizesEdge:
    """(general)-[:GENERALIZES]->(specific)."""
    return GeneralizesEdge(from_id=general.id, to_id=specific.id, recorded_at=recorded_at, source="rule")


def supersedes(newer: Memory, older: Memory, recorded_at: datetime = T0) -> SupersedesEdge:
    """(newer)-[:SUPERSEDES]->(older)."""
    return SupersedesEdge(from_id=newer.id, to_id=older.id, recorded_at=recorded_at)


def changes(*create: Memory, **fields: Any) -> Changes:
    """An action that creates the memories, and what else is given."""
    given: dict[str, Any] = {"namespace": create[0].namespace if create else NS, "at": T0}
    return Changes(create=create, **(given | fields))


def request(key: str, memory: Memory | str = "", payload: str = "hash-1") -> Request:
    """An idempotency key that made the memory."""
    return Request(
        key=key, payload_hash=payload, memory_id=memory.id if isinstance(memory, Memory) else memory
    )


def changed(memory: Memory, **fields: Any) -> Update:
    """An update of a memory as it was read."""
    return Update(memory=replace(memory, **fields), expected_version=memory.version)


def record(kind: RecordKind = RecordKind.SERVED, **fields: Any) -> Record:
    """A service record."""
    given: dict[str, Any] = {"id": new_id(), "at": T0, "body": {"rank": 1}}
    return Record(kind=kind, **(given | fields))


def job(kind: JobKind = JobKind.ANALYSE, **fields: Any) -> Job:
    """A pending job."""
    return Job(kind=kind, **({"id": new_id(), "created_at": T0} | fields))


def vector(*numbers: float) -> bytes:
    """Numbers as little-endian float32."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def full_fact(**fields: Any) -> Fact:
    """A fact with every field filled."""
    return fact(
        **(_filled() | {"subject": "磁盘", "valid_from": at(-9.5), "valid_to": at(9.000001)} | fields)
    )


def full_experience(**fields: Any) -> Experience:
    """An experience with every field filled."""
    own: dict[str, Any] = {
        "result": Result.FAILURE,
        "context": "空数组\n第二行",
        "output": "[]",
        "expected": "[1]",
        "error_type": "IndexError",
        "correction": "空数组要返回空结果",
        "generalization": "check <X> first",
        "generalization_source": "rule",
        "manifestation": "index 0 out of range",
        "tool": "bash",
        "agent": "agent-1",
        "trace": "Traceback …",
        "cluster_id": "cluster-7",
        "tier": Tier.WARM,
        "analysis": AnalysisState.DONE,
        "root_cause": RootCause(
            summary="nobody asked for the length",
            type=RootCauseType.INFORMATION_GAP,
            prevention="ask",
            deviated_at=3,
            context_sufficiency=ContextSufficiency.MISLEADING,
            change_at=2,
            source="llm",
        ),
        "informed_by": (new_id(), new_id()),
        "vectors": {SearchField.SITUATION: vector(0.6, 0.8), SearchField.OUTCOME: vector(0.8, -0.6)},
    }
    return experience(**(_filled() | own | fields))


def full_pattern(**fields: Any) -> Pattern:
    """A pattern with every field filled that is not counted by the store."""
    own: dict[str, Any] = {
        "trigger_conditions": "an empty list",
        "root_cause": "no check",
        "root_cause_type": RootCauseType.CAPABILITY_GAP,
        "prevention": "check the length",
        "status": PatternStatus.REGRESSED,
        "status_by": "anna",
        "status_reason": "seen again",
        "first_seen": at(-100.000001),
        "last_seen": at(-1),
        "task_types": ("coding", "数据"),
        "error_types": ("indexerror",),
        "source": "rule",
    }
    return pattern(**(_filled() | own | fields))


def full_strategy(**fields: Any) -> Strategy:
    """A strategy with every field filled."""
    return strategy(**(_filled() | {"status": StrategyStatus.ACTIVE, "effect": -0.125} | fields))


def bare(memory: Memory) -> Memory:
    """A memory as it is read where nobody wants its vectors."""
    return replace(memory, vectors={})


def full_memories() -> tuple[Memory, ...]:
    """One of every kind with every field filled."""
    return full_fact(), full_experience(), full_pattern(), full_strategy()


def _filled() -> dict[str, Any]:
    return {
        "title": "标题 🧠",
        "occurred_at": at(-3600.5),
        "recorded_at": at(0.000001),
        "session_id": "session-1",
        "task_id": "task-1",
        "task_type": "coding",
        "tags": ("b", "a", "租户"),
        "metadata": {"n": 2**63 - 1, "deep": {"list": [1, 2.5, None, True, "é"]}, "empty": {}, "": ""},
        "state": State.QUARANTINED,
        "writer": Writer("writer-1", Channel.TOOL, 0.25),
        "vectors": {SearchField.TEXT: vector(1.0, 0.0)},
    }
