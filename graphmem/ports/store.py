"""The store contract. Its laws stand in tests/contract/ and hold for every store alike."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from graphmem.domain.causation import CauseEdge, Edge
from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobKind, Record, RecordKind
from graphmem.ports.changes import Changes, Receipt, RestoreBatch, StoredReceipt
from graphmem.ports.queries import (
    ChangeFeed,
    Cursor,
    Damage,
    Direction,
    EdgeSelection,
    FreeJobs,
    NamespaceState,
    Page,
    PageRequest,
    RecordSelection,
    SchemaReport,
    Selection,
)

MOST_DAMAGES = 100


class Capability(StrEnum):
    """Abilities that a store declares beyond the common contract."""

    SHARED_FILE = "SHARED_FILE"
    SERVER = "SERVER"


class EditedStore(Protocol):
    """A store that a person edited by hand: what that broke, and how its books are put right."""

    def correct(self, held: NamespaceState) -> bool:
        """Take counts and graph digest from a state, as after a person removed memories by hand; the digest follows.

        False, and nothing is done, when the namespace is no longer at the revision of that state.
        """
        ...

    def damaged(self, namespace: str, first: int = MOST_DAMAGES) -> tuple[Damage, ...]:
        """Memories and edges that a person edited in the database into something that cannot be read as it was
        meant: at most first of them. Everything is read, and nothing changed.
        """
        ...


class MemoryStore(EditedStore, Protocol):
    """Keeps memories, edges and records of many namespaces; each namespace has its own revision.

    Safe to call from several threads; several processes may use one store. Every method raises
    UnavailableError when the store cannot answer.
    """

    capabilities: frozenset[Capability]

    def migrate(self) -> SchemaReport:
        """Bring the schema up to date; does nothing when it is."""
        ...

    def receipt(self, namespace: str, key: str) -> StoredReceipt | None:
        """What the first call with this key led to, None for a new key."""
        ...

    def apply(self, changes: Changes) -> Receipt:
        """Commit one action whole, or raise and change nothing.

        The revision moves by exactly one when a memory or an edge is touched, else not at all. Every touched
        memory, and the owner of every touched edge, carries it. Frequencies of patterns whose members change
        are recounted, with episodes, level, first_seen and last_seen; what a caller gives for these is not used, a
        recount raises the version without a VERSION record and keeps HIGH where `tight` is not given and five
        episodes remain. An update keeps the old value as a VERSION record,
        except where only vectors or the tier change. Verdicts are kept in order of time. A job that is DONE leaves
        with the action that ends it; a FAILED one is kept.

        Raises TooLargeError above MAX_ITEMS, ConflictError for a key with another payload, StaleError
        for another version than expected (of a memory, of the parameters), a lost job, or when only some of
        several keys are known, ForgottenError for a key of a forgotten memory, NotFoundError for missing ends or
        updated memories, BadInputError for ends that do not fit, a change of `result`, a record of a kind
        that is only listed, or the drop of one that is kept.
        """
        ...

    def restore(self, batch: RestoreBatch) -> None:
        """Write what another store held, as it was; at most MAX_ITEMS items. Idempotent.

        What records() lists can be restored: a key then gives its first receipt, a forgotten one is known as such,
        a pending job waits for a worker. Raises TooLargeError, NotFoundError for missing ends, ConflictError for
        a ref of another memory, BadInputError for a record that is none, StaleError when batch.job is not held.
        """
        ...

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        """Memories by id or ref, keyed as asked; what is not there is left out.

        vectors: False leaves them out, which is much less to read; such a memory must not be written back.
        """
        ...

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        """Memories that fulfil the selection; vectors as in get(). Raises BadInputError for a cursor that is none."""
        ...

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        """At most limit rows and tombstones after the cursor."""
        ...

    def expand(self, namespace: str, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        """Cause edges one hop away from the frontier, refuted ones included."""
        ...

    def edges(self, namespace: str, selection: EdgeSelection, page: PageRequest) -> Page[Edge]:
        """Edges that fulfil the selection."""
        ...

    def records(
        self, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
    ) -> Page[Record]:
        """Service records of one kind. A REQUEST is about the memory that it made, a JOB about its own subject."""
        ...

    def claim(self, namespace: str, kind: JobKind, owner: str, now: datetime, lease: timedelta) -> Job | None:
        """The oldest job of this kind that is pending or whose lease has run out, now owned; None if none.

        Of the kinds ONE_AT_A_TIME none is given while another one of the namespace is held.
        """
        ...

    def state(self, namespace: str) -> NamespaceState:
        """Revision, counts and digests; all zero for a namespace never written to."""
        ...

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        """Names that were written to, sorted, each with its revision: all, or those in which a job is free.

        One question to the store, however many there are.
        """
        ...

    def close(self) -> None:
        """Release everything; calls after it raise UnavailableError. Closing twice is harmless."""
        ...
