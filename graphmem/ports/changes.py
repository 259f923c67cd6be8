"""What is written in one transaction, and what the store says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.causation import Edge
from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobState, Record, RecordKind


@dataclass(frozen=True, kw_only=True)
class Request:
    """An idempotency key with the hash of the client's payload and the memory that it made."""

    key: str
    payload_hash: str
    memory_id: str


@dataclass(frozen=True, kw_only=True)
class StoredReceipt:
    """What the first call with a key led to. erased: the memory was forgotten since; only that is kept."""

    key: str
    payload_hash: str = ""
    memory_id: str = ""
    revision: int = 0
    erased: bool = False


@dataclass(frozen=True, kw_only=True)
class Update:
    """A new value for a memory that was read at expected_version; the store raises the version by one."""

    memory: Memory
    expected_version: int


@dataclass(frozen=True, kw_only=True)
class JobFinish:
    """The end of a claimed job, refused (StaleError) unless owner and attempt still hold it."""

    job_id: str
    owner: str
    attempt: int
    state: JobState

    @classmethod
    def of(cls, job: Job, state: JobState = JobState.DONE) -> JobFinish:
        """The end of a job by who holds it, as it was claimed."""
        return cls(job_id=job.id, owner=job.owner, attempt=job.attempt, state=state)


@dataclass(frozen=True, kw_only=True)
class Changes:
    """One user action in one namespace: applied whole or not at all.

    create    new memories; ref is given by the store, version must be 1
    update    new values of existing memories; `result` and `kind` cannot change
    edges     written over what is there by domain.causation.merge_edges; ends may be created here
    erase     ids to remove with their vectors, edges, versions, requests and jobs; unknown ids are ignored
    requests  the keys of this action (recordMany: one per item)
    drop      kind and id of records that leave, of the kinds DROPPED; unknown ones are ignored
    tight     pattern id -> whether its members are tight, for patterns whose members change here
    expected_parameters_version
              the one that the vectors were made under; None where it does not matter
    """

    namespace: str
    at: datetime
    create: tuple[Memory, ...] = ()
    update: tuple[Update, ...] = ()
    edges: tuple[Edge, ...] = ()
    erase: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    records: tuple[Record, ...] = ()
    drop: tuple[tuple[RecordKind, str], ...] = ()
    jobs: tuple[Job, ...] = ()
    finish: JobFinish | None = None
    tight: Mapping[str, bool] = field(default_factory=dict)
    parameters_version: int | None = None
    expected_parameters_version: int | None = None

    @property
    def size(self) -> int:
        """Memories and edges touched, for the limit of domain.rules.MAX_ITEMS."""
        return len(self.create) + len(self.update) + len(self.edges) + len(self.erase)


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What a committed action led to.

    revision: the namespace's revision after it. memories: created and updated values as stored
    (refs, versions, revisions filled in), in the order given. created: False when every key was known:
    then nothing was written and receipts tells the first outcome.
    """

    revision: int
    created: bool = True
    memories: tuple[Memory, ...] = ()
    receipts: tuple[StoredReceipt, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RestoreBatch:
    """Memories, edges and records of another store, kept as they are: ids, refs, times, versions.

    Ends of edges must be stored already or be in the batch.

    records             of every kind, as records() lists them
    ref_counters        letter of a kind -> the last number given; counters move past these and past the refs seen
    parameters_version  what the namespace has from now on; None leaves it
    revision            what memories and edges of the batch carry, unless the namespace is past it already
    job                 the job that does the restoring, with its cursor moved; refused (StaleError) unless its
                        owner and attempt hold it
    """

    namespace: str
    memories: tuple[Memory, ...] = ()
    edges: tuple[Edge, ...] = ()
    records: tuple[Record, ...] = ()
    ref_counters: Mapping[str, int] = field(default_factory=dict)
    parameters_version: int | None = None
    revision: int = 0
    job: Job | None = None

    @property
    def size(self) -> int:
        """Items written, for the limit of domain.rules.MAX_ITEMS."""
        return len(self.memories) + len(self.edges) + len(self.records)
