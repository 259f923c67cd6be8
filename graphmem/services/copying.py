"""The work of a copy: batches of at most MAX_ITEMS, each of which also moves the cursor of its job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphmem.domain.answers import CopyProgress
from graphmem.domain.causation import EdgeKind
from graphmem.domain.encoding import decode, encode
from graphmem.domain.errors import ConflictError
from graphmem.domain.memories import Memory, MemoryKind
from graphmem.domain.records import Job, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import Changes, RestoreBatch
from graphmem.ports.queries import ChangeFeed, Cursor, NamespaceState
from graphmem.ports.store import MemoryStore
from graphmem.services.comparing import is_copy_job, record_pages
from graphmem.services.holding import LEASE
from graphmem.services.intake import Clock

Tell = Callable[[CopyProgress], None]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a copy stands: what the body of its job holds, beside the source.

    step: MEMORIES, then EDGES, then RECORDS, again for what was written meanwhile. begun and ended: the stretch
    of the feed that this round is about; at: how far it is read. kind and after: how far the records are.
    """

    step: str = "MEMORIES"
    begun: Cursor = field(default_factory=Cursor)
    ended: Cursor = field(default_factory=Cursor)
    at: Cursor = field(default_factory=Cursor)
    kind: str = ""
    after: str = ""


class Copying:
    """One copy under way, into a target whose job it holds. job: as it was last written."""

    def __init__(
        self, source: MemoryStore, target: MemoryStore, namespace: str, job: Job, clock: Clock, tell: Tell
    ) -> None:
        self._source = source
        self._target = target
        self._namespace = namespace
        self._clock = clock
        self._tell = tell
        self._parameters: int | None = None
        self._place = _place_of(job)
        self.job = job

    def round(self) -> None:
        """Copy what is new in the feed, then the edges of that, then all service records.

        Raises ConflictError when the source has another history than when the copy began.
        """
        if self._place.step == "MEMORIES":
            self._memories()
        if self._place.step == "EDGES":
            self._edges()
        self._records()
        self._tell(CopyProgress(namespace=self._namespace, step="COMPARING"))

    def _memories(self) -> None:
        """All memories: their edges may point to later ones, so these come after."""
        done, whole = self._counts(MemoryKind)
        while True:
            feed = self._page()
            self._erase(feed.tombstones)
            place = replace(self._place, at=feed.next)
            if feed.complete:
                place = replace(place, step="EDGES", ended=feed.next, at=place.begun)
            memories = tuple(row.memory for row in feed.rows)
            self._restore(place, memories=memories, revision=_last(feed))
            done += len(memories)
            self._tell(CopyProgress(namespace=self._namespace, step="MEMORIES", done=done, total=whole))
            if feed.complete:
                break

    def _edges(self) -> None:
        """The edges of the memories of this round; those that changed since come in the next one."""
        done, whole = self._counts(EdgeKind)
        while self._place.step == "EDGES":
            feed = self._page()
            edges = [edge for row in feed.rows for edge in row.edges if _within(row.memory, self._place)]
            while len(edges) > MAX_ITEMS:
                self._restore(self._place, edges=tuple(edges[:MAX_ITEMS]))
                edges = edges[MAX_ITEMS:]
                done += MAX_ITEMS
            place = replace(self._place, at=feed.next)
            if feed.complete or feed.next >= place.ended:
                place = Place(step="RECORDS", begun=place.ended, at=place.ended)
            self._restore(place, edges=tuple(edges))
            done += len(edges)
            self._tell(CopyProgress(namespace=self._namespace, step="EDGES", done=done, total=whole))

    def _records(self) -> None:
        kinds = list(RecordKind)
        first = kinds.index(RecordKind(self._place.kind)) if self._place.kind else 0
        done = 0
        for kind in kinds[first:]:
            after = self._place.after if kind == self._place.kind else ""
            for records, following in record_pages(self._source, self._namespace, kind, after):
                kept = tuple(record for record in records if not is_copy_job(record))
                self._restore(replace(self._place, kind=kind, after=following), records=kept)
                done += len(kept)
                self._tell(CopyProgress(namespace=self._namespace, step="RECORDS", done=done))
        state = self._source.state(self._namespace)
        self._take_over(state, replace(self._place, step="MEMORIES", kind="", after=""))

    def _page(self) -> ChangeFeed:
        """What follows in the source's feed, its parameters taken over before any vector that needs them."""
        feed = self._source.changes_since(self._namespace, self._place.at, MAX_ITEMS)
        if feed.reset:
            raise ConflictError(
                "the source has another history than when this copy began",
                field="source",
                remedy="copy it into a new file, or into an empty database",
            )
        if feed.parameters_version != self._parameters:
            self._take_over(self._source.state(self._namespace), self._place)
            self._parameters = feed.parameters_version
        return feed

    def _take_over(self, state: NamespaceState, place: Place) -> None:
        """Have the learnt numbers of the source, and its reference counters."""
        pages = record_pages(self._source, self._namespace, RecordKind.SPACE)
        spaces = tuple(record for records, _ in pages for record in records)
        version = state.parameters_version
        self._restore(
            place, records=spaces, ref_counters=dict(state.ref_counters), parameters_version=version
        )

    def _erase(self, ids: Sequence[str]) -> None:
        """Forget what was copied and then forgotten at the source."""
        copied = tuple(self._target.get(self._namespace, ids)) if ids else ()
        if copied:
            job = self._renewed(self._place)
            changes = Changes(namespace=self._namespace, at=self._clock(), erase=copied, jobs=(job,))
            self._target.apply(changes)

    def _restore(self, place: Place, **written: Any) -> None:
        job = self._renewed(place)
        self._target.restore(RestoreBatch(namespace=self._namespace, job=job, **written))
        self.job, self._place = job, place

    def _renewed(self, place: Place) -> Job:
        body = {**self.job.body, "place": encode(place)}
        return replace(self.job, body=body, lease_until=self._clock() + LEASE)

    def _counts(self, kinds: Iterable[str]) -> tuple[int, int]:
        """How many of these the target has, and the source."""
        states = self._target.state(self._namespace), self._source.state(self._namespace)
        return states[0].total(kinds), states[1].total(kinds)


def _place_of(job: Job) -> Place:
    place = job.body.get("place")
    return decode(Place, place) if place else Place()


def _last(feed: ChangeFeed) -> int:
    """The revision of the last row; 0 without rows."""
    return feed.rows[-1].memory.revision if feed.rows else 0


def _within(memory: Memory, place: Place) -> bool:
    return Cursor(memory.revision, memory.id) <= place.ended
