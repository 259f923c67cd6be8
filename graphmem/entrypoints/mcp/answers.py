"""What the tools answer: models that give both the structured result and its published schema.

Fields carry the names of the domain and are read from its values; texts are cut to what a model needs to see.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from graphmem.domain import answers as domain
from graphmem.domain.memories import Memory

SEEN = 600
"""Characters of one text of a memory that is listed; memory_explain shows all of them."""

_T = TypeVar("_T", bound=BaseModel)


class Answer(BaseModel):
    """What all have in common."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class Seen(Answer):
    """A memory as it is listed; texts over 600 characters are cut. Texts not given are ''."""

    ref: str = Field(description="Short name, such as E-204; every tool takes it for an id.")
    kind: str
    text: str
    occurred_at: datetime
    result: str = Field("", description="SUCCESS, FAILURE or PARTIAL, of an experience.")
    error_type: str = ""
    correction: str = ""
    generalization: str = ""


class Hit(Answer):
    """A memory that was found."""

    memory: Seen
    relevance: float = Field(description="From 0 to 1; no probability.")
    confidence: float | None = Field(None, description="A probability; null where nothing calibrated it.")
    why: str
    weak: bool = Field(False, description="Only the nearest of your errors: nothing says that it fits.")
    failed_here: list[str] = Field([], description="Refs of failures that this fact is a recorded cause of.")


class Reminder(Answer):
    """A past mistake worth saying now."""

    strength: str = Field(description="REMIND: heed it. ASK: put the question to yourself or the user.")
    text: str
    subject: str = Field(description="Ref of the failure, pattern or strategy.")
    evidence: list[str] = Field(description="Refs of failures.")
    confidence: float | None = None
    exposure_id: str = Field("", description="For memory_feedback; '' without a session.")


class Recollection(Answer):
    """Facts, own errors and what worked, apart."""

    prompt_text: str = Field(description="All of it that matters, ready to be read; '' for nothing.")
    reminders: list[Reminder] = Field(description="At most three, and only where they are earned.")
    facts: list[Hit]
    errors: list[Hit] = Field(description="What went wrong before: yours, not the user's words.")
    worked: list[Hit]
    patterns: list[Hit]
    strategies: list[Hit]
    mode: str = Field(description="LEXICAL: by words only, for want of vectors.")
    revision: int


class LikelyFailure(Answer):
    """A kind of failure and how often it happened in comparable work: count of n experiences."""

    error_type: str
    count: int
    n: int
    example: Seen


class Brief(Answer):
    """What to know at the start of a task."""

    recollection: Recollection
    likely_failures: list[LikelyFailure]


class Written(Answer):
    """The receipt. The same key and arguments again: the first receipt, created false."""

    ref: str
    id: str
    kind: str
    title: str
    key: str
    created: bool
    revision: int
    embedded: bool = Field(description="False: found by words at once, by meaning a little later.")
    redactions: int = Field(description="Secrets that were replaced before anything was kept.")


class Fed(Answer):
    """What is now noted of a reminder."""

    exposure_id: str
    answer: str
    note: str
    answered_at: datetime


class Status(Answer):
    """Where this memory stands."""

    namespace: str
    revision: int
    index_revision: int
    counts: dict[str, int] = Field(description="By kind, of failures, and of edges.")
    embedder: str
    mode: str
    digest_matches: bool = Field(description="Whether the index equals the store.")
    without_vectors: int
    pending_jobs: int
    pending_analyses: int = Field(description="What waits for an analysis: see memory_reflect.")
    failed_jobs: dict[str, int] = Field(description="By kind, work that was given up: tell the operator.")
    notes: list[str]
    reflect_due: bool = Field(description="True: call memory_reflect.")


def shown(model: type[_T], source: object, **own: Any) -> _T:
    """A model whose fields hold what source's attributes of the same names hold, own ones aside."""
    read = {
        name: getattr(source, name)
        for name in model.model_fields
        if name not in own and hasattr(source, name)
    }
    return model.model_validate(read | own)


def seen(memory: Memory) -> Seen:
    """A memory as it is listed."""
    names = ("text", "correction", "generalization")
    return shown(Seen, memory, **{name: cut(getattr(memory, name, "")) for name in names})


def cut(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= SEEN else text[: SEEN - 1] + "…"


def refs(memories: Iterable[Memory]) -> list[str]:
    """The short names of memories, in their order."""
    return [memory.ref for memory in memories]


def recollection(found: domain.Recollection, prompt_text: str) -> Recollection:
    """Recollection as an answer, with its ready block."""
    lists = {
        name: [
            shown(Hit, hit, memory=seen(hit.memory), failed_here=refs(hit.failed_here))
            for hit in getattr(found, name)
        ]
        for name in ("facts", "errors", "worked", "patterns", "strategies")
    }
    reminders = [
        shown(Reminder, item, subject=item.subject.ref, evidence=refs(item.evidence))
        for item in found.reminders
    ]
    return shown(Recollection, found, prompt_text=prompt_text, reminders=reminders, **lists)


def brief(found: domain.Brief, prompt_text: str) -> Brief:
    """Brief as an answer."""
    return Brief(
        recollection=recollection(found.recollection, prompt_text),
        likely_failures=[
            shown(LikelyFailure, item, example=seen(item.example)) for item in found.likely_failures
        ],
    )


def written(found: domain.Written) -> Written:
    """Receipt as an answer."""
    memory = found.memory
    return shown(Written, found, ref=memory.ref, id=memory.id, kind=memory.kind, title=memory.title)


def status(found: domain.Status, reflect_due: bool) -> Status:
    """Status as an answer. The address of the store is left out: it is no concern of an agent."""
    return shown(
        Status,
        found,
        notes=list(found.notes),
        counts=dict(found.counts),
        failed_jobs=dict(found.failed_jobs),
        reflect_due=reflect_due,
    )
