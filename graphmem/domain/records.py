"""Service records: what the service notes about its own work. They are no memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from graphmem.domain.gate import GatePrior
from graphmem.domain.memories import Json


class RecordKind(StrEnum):
    """Kinds of service records kept today.

    REQUEST (a key and what it led to), ERASURE (the hash of a forgotten key) and JOB are written by what an action
    does and have types of their own; as records they are listed and restored.
    """

    AUDIT = "AUDIT"
    VERSION = "VERSION"
    TRANSITION = "TRANSITION"
    SPACE = "SPACE"
    SERVED = "SERVED"
    EXPOSURE = "EXPOSURE"
    CLUSTER = "CLUSTER"
    REFLECTION = "REFLECTION"
    REQUEST = "REQUEST"
    ERASURE = "ERASURE"
    JOB = "JOB"


LISTED_ONLY = frozenset({RecordKind.REQUEST, RecordKind.ERASURE, RecordKind.JOB})
"""Kinds that no action writes as records. They count into no digest."""


DROPPED = frozenset({RecordKind.SERVED, RecordKind.EXPOSURE})
"""Kinds of which single records may be dropped once nobody needs them."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One service record. subject is the memory it is about ('' = none): forgotten with it,
    unless it is AUDIT, which never holds text.
    """

    kind: RecordKind
    id: str
    at: datetime
    subject: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)


class JobKind(StrEnum):
    """Work that is done after a commit."""

    EMBED = "EMBED"
    ASSIGN = "ASSIGN"
    ANALYSE = "ANALYSE"
    GENERALIZE = "GENERALIZE"
    NOTIFY = "NOTIFY"
    COPY = "COPY"
    REEMBED = "REEMBED"


ONE_AT_A_TIME = frozenset({JobKind.ASSIGN})
"""Kinds of which one is in hand at a time in a namespace: each builds on what the one before wrote."""


FOR_AN_ANALYST = (JobKind.GENERALIZE, JobKind.ANALYSE)
"""Kinds that wait for an analyst, which may never come: what a pattern teaches in words, why a failure happened."""


class JobState(StrEnum):
    """Where a job is. One that is DONE leaves: what it led to was committed with its end. FAILED jobs are kept and
    reported, not retried for ever.
    """

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"


OPEN_STATES = (JobState.PENDING, JobState.RUNNING)
"""States of a job that is still to be done."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """Work for a worker. A claim raises attempt; finishing is fenced by owner and attempt."""

    id: str
    kind: JobKind
    created_at: datetime
    subject: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)
    state: JobState = JobState.PENDING
    owner: str = ""
    lease_until: datetime | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """What makes vectors comparable. Two spaces that differ in anything are never compared."""

    provider: str
    model: str
    revision: str
    dimension: int
    pooling: str = "mean"
    prefix: str = ""
    template: str = "1"


@dataclass(frozen=True, kw_only=True)
class SpaceParameters:
    """What was learnt about one embedding space: frozen once stored, changed by a job only.

    mean maps a language ('zh', 'en') to the mean vector of its texts (length = dimension);
    mu and sd are mean and deviation of the cosine of unrelated, centred texts. complete: False while vectors of
    another space are still being replaced by this one's; until then nothing is compared. gate: the reminder gate that
    was fitted on outcomes noted in this space, None for the shipped one.
    """

    space: EmbeddingSpace
    mu: float
    sd: float
    mean: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    complete: bool = True
    gate: GatePrior | None = None
