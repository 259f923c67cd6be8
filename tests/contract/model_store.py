"""The store contract in plain Python: what every other store is compared with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import RLock
from typing import Any, TypeVar

from graphmem.domain.causation import CauseEdge, Edge
from graphmem.domain.encoding import canonical, digest, edge_digest, encode, memory_digest
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.memories import Memory, is_failure
from graphmem.domain.records import (
    FOR_AN_ANALYST,
    ONE_AT_A_TIME,
    OPEN_STATES,
    Job,
    JobKind,
    JobState,
    Record,
    RecordKind,
)
from graphmem.ports.changes import Changes, Receipt, RestoreBatch, StoredReceipt
from graphmem.ports.queries import (
    ChangeFeed,
    Cursor,
    Damage,
    Direction,
    EdgeSelection,
    FeedRow,
    FreeJobs,
    NamespaceState,
    Page,
    PageRequest,
    RecordSelection,
    SchemaReport,
    Selection,
)
from graphmem.ports.store import MOST_DAMAGES, Capability
from tests.builders import bare
from tests.contract.model_action import Action, Space, known_receipts
from tests.contract.model_restoring import restore

_T = TypeVar("_T")
_WRAP = 2**64
_MATCHED = ("session_id", "task_id", "task_type", "tool", "agent", "error_type")


class ModelStore:
    """Keeps all in dicts. An action works on a copy of its namespace, which then takes the old one's place.

    Who passes the same disk again opens the same store.
    """

    capabilities: frozenset[Capability] = frozenset()

    def __init__(self, disk: dict[str, Space] | None = None) -> None:
        self._disk = {} if disk is None else disk
        self._lock = RLock()
        self._closed = False

    @contextmanager
    def _space(self, namespace: str, *, write: bool = False) -> Iterator[Space]:
        with self._lock:
            if self._closed:
                raise UnavailableError("the store is closed")
            space = self._disk.get(namespace, Space())
            if write:
                space = space.copy()
            yield space
            if write:
                self._disk[namespace] = space

    def migrate(self) -> SchemaReport:
        with self._space(""):
            return SchemaReport(version=1)

    def close(self) -> None:
        self._closed = True

    def damaged(self, namespace: str, first: int = MOST_DAMAGES) -> tuple[Damage, ...]:
        return ()

    def receipt(self, namespace: str, key: str) -> StoredReceipt | None:
        with self._space(namespace) as space:
            return space.receipt(namespace, key)

    def apply(self, changes: Changes) -> Receipt:
        with self._space(changes.namespace) as space:
            known = known_receipts(space, changes)
            if known:
                return Receipt(revision=space.revision, created=False, receipts=known)
        with self._space(changes.namespace, write=True) as space:
            return Action(space, changes).run()

    def restore(self, batch: RestoreBatch) -> None:
        with self._space(batch.namespace, write=True) as space:
            restore(space, batch)

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        with self._space(namespace) as space:
            named = space.memories | {item.ref: item for item in space.memories.values()}
            found = {name: named[name] for name in ids if name in named}
        return found if vectors else {name: bare(item) for name, item in found.items()}

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        with self._space(namespace) as space:
            whole = [item for item in space.memories.values() if fulfils(item, selection)]
        chosen = whole if vectors else [bare(item) for item in whole]
        return paged(chosen, lambda item: (item.occurred_at, item.id), page, descending=not page.ascending)

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        with self._space(namespace) as space:
            places = [Cursor(item.revision, item.id) for item in space.memories.values()]
            places += [Cursor(revision, id) for id, revision in space.tombstones.items()]
            later = sorted(place for place in places if place > after)
            page = later[:limit]
            return ChangeFeed(
                rows=tuple(feed_row(space, item.id) for item in page if item.id in space.memories),
                tombstones=tuple(item.id for item in page if item.id not in space.memories),
                next=page[-1] if page else after,
                complete=len(later) == len(page),
                reset=after.revision > space.revision,
                parameters_version=space.parameters_version,
            )

    def expand(self, namespace: str, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        end = "from_id" if direction is Direction.CAUSES else "to_id"
        with self._space(namespace) as space:
            causes = [edge for edge in space.edges.values() if isinstance(edge, CauseEdge)]
            return [edge for edge in causes if getattr(edge, end) in frontier]

    def edges(self, namespace: str, selection: EdgeSelection, page: PageRequest) -> Page[Edge]:
        with self._space(namespace) as space:
            chosen = [
                edge
                for edge in space.edges.values()
                if (not selection.kinds or edge.kind in selection.kinds)
                and (not selection.from_ids or edge.from_id in selection.from_ids)
                and (not selection.to_ids or edge.to_id in selection.to_ids)
            ]
        return paged(chosen, lambda edge: (edge.recorded_at, edge.from_id, edge.to_id), page)

    def records(
        self, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
    ) -> Page[Record]:
        with self._space(namespace) as space:
            chosen = [
                item
                for item in space.listed(kind)
                if (not selection.about or item.subject in selection.about)
                and (selection.since is None or item.at >= selection.since)
            ]
            if selection.open_jobs:
                wanted = {job.id for job in _open(space) if job.kind is selection.open_jobs}
                chosen = [item for item in chosen if item.id in wanted]
            if selection.failed_jobs:
                chosen = [item for item in chosen if item.body.get("state") == JobState.FAILED]
            if selection.newest:
                chosen = sorted(chosen, key=lambda item: (item.at, item.id))[-1:]
        return paged(chosen, lambda item: (item.at, item.id), page)

    def claim(self, namespace: str, kind: JobKind, owner: str, now: datetime, lease: timedelta) -> Job | None:
        with self._space(namespace, write=namespace in self._disk) as space:
            first = _next(space, kind, now)
            if first is None:
                return None
            claimed = replace(
                first, state=JobState.RUNNING, owner=owner, lease_until=now + lease, attempt=first.attempt + 1
            )
            space.jobs[first.id] = claimed
            return claimed

    def state(self, namespace: str) -> NamespaceState:
        with self._space(namespace) as space:
            counts = Counter(item.kind.value for item in space.memories.values())
            counts.update(edge.kind.value for edge in space.edges.values())
            counts["FAILURE"] = sum(map(is_failure, space.memories.values()))
            graph = sum(feed_row(space, id).digest for id in space.memories)
            kept = (item for item in space.records.values() if item.kind is not RecordKind.AUDIT)
            return NamespaceState(
                namespace=namespace,
                revision=space.revision,
                parameters_version=space.parameters_version,
                digest=(graph + sum(digest(canonical(encode(item))) for item in kept)) % _WRAP,
                graph_digest=graph % _WRAP,
                counts=counts,
                ref_counters=dict(space.refs),
                pending_jobs=sum(job.kind not in FOR_AN_ANALYST for job in _open(space)),
                pending_analyses=sum(job.kind in FOR_AN_ANALYST for job in _open(space)),
            )

    def correct(self, held: NamespaceState) -> bool:
        """It counts at every look, so there is nothing to correct."""
        with self._space(held.namespace) as space:
            return 0 < space.revision == held.revision

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        with self._space(""):
            return {
                name: space.revision
                for name, space in sorted(self._disk.items())
                if free is None or any(_next(space, kind, free.at) for kind in free.kinds)
            }


def _next(space: Space, kind: JobKind, now: datetime) -> Job | None:
    """The job of a kind that is to be had now."""
    free = [job for job in space.jobs.values() if job.kind is kind and _free(job, now)]
    if kind in ONE_AT_A_TIME and any(_held(job, kind, now) for job in space.jobs.values()):
        return None
    return min(free, key=lambda job: (job.created_at, job.id), default=None)


def _held(job: Job, kind: JobKind, now: datetime) -> bool:
    running = job.kind is kind and job.state is JobState.RUNNING
    return running and job.lease_until is not None and job.lease_until > now


def _open(space: Space) -> list[Job]:
    return [job for job in space.jobs.values() if job.state in OPEN_STATES]


def _free(job: Job, now: datetime) -> bool:
    lapsed = job.lease_until is not None and job.lease_until <= now
    return job.state is JobState.PENDING or (job.state is JobState.RUNNING and lapsed)


def feed_row(space: Space, id: str) -> FeedRow:
    """A memory with the edges it owns."""
    owned = tuple(edge for edge in space.edges.values() if edge.owner_id == id)
    memory = space.memories[id]
    return FeedRow(
        memory=memory, edges=owned, digest=(memory_digest(memory) + sum(map(edge_digest, owned))) % _WRAP
    )


def fulfils(memory: Memory, wanted: Selection) -> bool:
    """Whether the memory has every part that the selection asks for."""
    return (
        (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.states or memory.state in wanted.states)
        and (not wanted.results or getattr(memory, "result", None) in wanted.results)
        and all(
            getattr(memory, name, "") == getattr(wanted, name) for name in _MATCHED if getattr(wanted, name)
        )
        and (not wanted.tag or wanted.tag in memory.tags)
        and (wanted.occurred_from is None or memory.occurred_at >= wanted.occurred_from)
        and (wanted.occurred_to is None or memory.occurred_at < wanted.occurred_to)
    )


def _check_cursor(after: str) -> None:
    try:
        place = json.loads(after)
    except ValueError:
        place = None
    if not isinstance(place, list) or len(place) < 2 or json.dumps(place) != after:
        raise BadInputError("no cursor", field="after")


def paged(
    items: Iterable[_T], key: Callable[[_T], tuple[Any, ...]], page: PageRequest, *, descending: bool = False
) -> Page[_T]:
    """One page of the items in the order of their keys; `next` holds the key of the last one."""
    if page.first < 1:
        raise BadInputError("must be at least 1", field="first")
    placed = sorted(((json.dumps(encode(key(item))), item) for item in items), key=lambda pair: pair[0])
    ordered = placed[::-1] if descending else placed
    if page.after:
        _check_cursor(page.after)
        ordered = [pair for pair in ordered if (pair[0] < page.after if descending else pair[0] > page.after)]
    some = ordered[: page.first]
    return Page(items=tuple(item for _, item in some), next=some[-1][0] if len(some) < len(ordered) else "")
