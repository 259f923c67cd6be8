"""Planted steps told as experiences of an agent, with the causes it stated."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from graphmem.domain.causation import CauseEdge, Evidence, Grade, lag_ms
from graphmem.domain.identifiers import uuid7
from graphmem.domain.memories import Experience, Result
from graphmem.tooling.chain_words import FINAL, INNOCENT, WORDINGS, Language, Wording

STARTS = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
APART = timedelta(hours=2)
"""Between the beginnings of two tasks."""
NAMESPACE = "planted"
CONFIDENCE = 0.8
"""Of every edge an agent states."""
LAST = len(WORDINGS)
"""The kind of the task's own failure."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a task: its class (None = it went well), when, and the places of the steps that caused it."""

    kind: int | None
    seconds: float
    causes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One task as it was recorded."""

    task_id: str
    memories: tuple[Experience, ...]
    edges: tuple[CauseEdge, ...]


def tell(number: int, steps: Sequence[Step], seed: int, language: Language) -> Told:
    """A task's steps as experiences in the given places, and their causes as asserted edges."""
    chance = random.Random(f"ids {seed} {number}")
    chinese = language is Language.ZH or (language is Language.MIXED and number % 2 == 1)
    task_id = f"planted-{seed}-{number}"
    starts = STARTS + number * APART
    memories = tuple(_memory(step, task_id, starts, chinese, chance) for step in steps)
    edges = tuple(
        _edge(memories[place], memories[cause]) for place, step in enumerate(steps) for cause in step.causes
    )
    return Told(task_id, memories, edges)


def _memory(step: Step, task_id: str, starts: datetime, chinese: bool, chance: random.Random) -> Experience:
    wording = _wording(step.kind)
    at = starts + timedelta(seconds=round(step.seconds, 3))
    return Experience(
        id=uuid7(at, chance.getrandbits(74)),
        namespace=NAMESPACE,
        occurred_at=at,
        recorded_at=at,
        title=wording.action[chinese],
        task_id=task_id,
        task_type="planted",
        action=wording.action[chinese],
        result=Result.SUCCESS if step.kind is None else Result.FAILURE,
        error_type=wording.error_type,
        manifestation=wording.fault[chinese],
        tool=wording.tool,
        agent="planter",
    )


def _wording(kind: int | None) -> Wording:
    if kind is None:
        return INNOCENT
    return FINAL if kind == LAST else WORDINGS[kind]


def _edge(effect: Experience, cause: Experience) -> CauseEdge:
    evidence = Evidence(Grade.ASSERTED, CONFIDENCE, "stated", effect.agent, effect.recorded_at)
    return CauseEdge(
        from_id=effect.id,
        to_id=cause.id,
        recorded_at=effect.recorded_at,
        evidence=(evidence,),
        lag_ms=lag_ms(effect, cause),
    )
