"""What can be asked of a store, and the shapes of its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from graphmem.domain.causation import Edge, EdgeKind
from graphmem.domain.memories import Memory, MemoryKind, Result, State
from graphmem.domain.records import JobKind

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Memories that fulfil every part given; an empty part asks for nothing.

    occurred_from is inclusive, occurred_to exclusive. tag: carried by the memory.
    """

    kinds: tuple[MemoryKind, ...] = ()
    results: tuple[Result, ...] = ()
    states: tuple[State, ...] = ()
    session_id: str = ""
    task_id: str = ""
    task_type: str = ""
    tool: str = ""
    agent: str = ""
    error_type: str = ""
    tag: str = ""
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class EdgeSelection:
    """Edges of the given kinds that touch one of the ids at the given end; empty parts ask for nothing."""

    kinds: tuple[EdgeKind, ...] = ()
    from_ids: tuple[str, ...] = ()
    to_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RecordSelection:
    """Records about one of the subjects, and not before since; an empty part asks for nothing.

    open_jobs: of JOB, those of this kind that are still to be done; failed_jobs: of JOB, those that were given up.
    newest: of a kind that actions write, the last one alone. At most one of these, and not together with subjects.
    """

    subject: str = ""
    subjects: tuple[str, ...] = ()
    since: datetime | None = None
    open_jobs: JobKind | None = None
    failed_jobs: bool = False
    newest: bool = False

    @property
    def about(self) -> tuple[str, ...]:
        """Every subject asked for."""
        return (*self.subjects, self.subject) if self.subject else self.subjects


@dataclass(frozen=True, kw_only=True)
class FreeJobs:
    """Jobs of these kinds that claim() would give at this time."""

    kinds: tuple[JobKind, ...]
    at: datetime


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """How much, and after what. after is the opaque `next` of the page before; '' starts.

    Memories are ordered by (occurred_at, id), newest first unless ascending; edges and records by
    (recorded_at or at, ids), oldest first.
    """

    first: int = 100
    after: str = ""
    ascending: bool = False


@dataclass(frozen=True, kw_only=True)
class Page(Generic[_T]):
    """Items in order; next is '' on the last page."""

    items: tuple[_T, ...]
    next: str = ""


def pages(read: Callable[[PageRequest], Page[_T]], page: PageRequest) -> Iterator[Page[_T]]:
    """The page asked for and all that follow it; each is read when it is wanted."""
    while True:
        found = read(page)
        yield found
        if not found.next:
            return
        page = replace(page, after=found.next)


@dataclass(frozen=True, order=True, slots=True)
class Cursor:
    """A place in the feed: everything up to (revision, id) has been seen."""

    revision: int = 0
    id: str = ""


@dataclass(frozen=True, kw_only=True)
class FeedRow:
    """A memory with its vectors and all edges it owns, as of now. digest covers memory and edges."""

    memory: Memory
    edges: tuple[Edge, ...]
    digest: int


@dataclass(frozen=True, kw_only=True)
class ChangeFeed:
    """Changes after a cursor, in order of (revision, id); apply tombstones and rows, continue at next.

    reset: the cursor is of another history; forget everything and start from Cursor().
    complete: nothing more was committed when this page was read.
    """

    rows: tuple[FeedRow, ...]
    tombstones: tuple[str, ...]
    next: Cursor
    complete: bool
    reset: bool = False
    parameters_version: int = 0


class Direction(StrEnum):
    """Along the arrows to causes, or against them to effects."""

    CAUSES = "CAUSES"
    EFFECTS = "EFFECTS"


@dataclass(frozen=True, kw_only=True)
class NamespaceState:
    """Where a namespace stands. digest: memories, edges and records; graph_digest: memories and edges only.

    counts: by kind name, plus FAILURE, CAUSED_BY, GENERALIZES, SUPERSEDES. ref_counters: letter of a kind -> the
    last number given, if any was. pending_jobs: those that wait or are at work; apart
    from them pending_analyses, which wait for an analyst.
    """

    namespace: str
    revision: int = 0
    parameters_version: int = 0
    digest: int = 0
    graph_digest: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    ref_counters: Mapping[str, int] = field(default_factory=dict)
    pending_jobs: int = 0
    pending_analyses: int = 0

    def total(self, kinds: Iterable[str]) -> int:
        """How many memories or edges of these kinds there are."""
        return sum(self.counts.get(kind, 0) for kind in kinds)


@dataclass(frozen=True, kw_only=True)
class Damage:
    """Something that was edited by hand into what cannot be read. name: the ref of a memory, else its id; of an edge
    those of both ends. why: what is wrong. whole: it is in no answer; else only that part is read as missing.
    """

    name: str
    why: str
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class SchemaReport:
    """What migrate() found and did."""

    version: int
    applied: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
