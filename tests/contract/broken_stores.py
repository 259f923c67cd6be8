"""Stores with one mistake each, as real ones had them: the laws must find every one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from graphmem.domain.causation import CauseEdge, GeneralizesEdge
from graphmem.domain.encoding import memory_digest
from graphmem.domain.memories import Memory, Pattern
from graphmem.domain.records import Job, JobKind, Record, RecordKind
from graphmem.ports.changes import Changes, Receipt, RestoreBatch
from graphmem.ports.listing import job_record
from graphmem.ports.queries import (
    ChangeFeed,
    Cursor,
    Direction,
    FreeJobs,
    NamespaceState,
    Page,
    PageRequest,
    RecordSelection,
)
from tests.contract.model_action import Space
from tests.contract.model_store import ModelStore


class HalfWriting(ModelStore):
    """Writes the memories of an action first, and its edges in a second transaction."""

    def apply(self, changes: Changes) -> Receipt:
        if not (changes.create and changes.edges):
            return super().apply(changes)
        first = super().apply(replace(changes, edges=(), requests=(), records=(), jobs=(), finish=None))
        return replace(super().apply(replace(changes, create=())), memories=first.memories)


class Afterthought(ModelStore):
    """Spoils its namespace after an action."""

    def apply(self, changes: Changes) -> Receipt:
        before = self._disk.get(changes.namespace, Space()).copy()
        receipt = super().apply(changes)
        self.spoil(self._disk[changes.namespace], before, changes)
        return receipt

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        """The mistake."""


class ForgetsOwners(Afterthought):
    """Moves the revision for an edge, and not the memory that owns it."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        for edge in changes.edges:
            if old := before.memories.get(edge.owner_id):
                owner = space.memories[edge.owner_id]
                space.memories[edge.owner_id] = replace(owner, revision=old.revision)


class MovesForRecords(Afterthought):
    """Moves the revision for service records."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        space.revision += bool(changes.records and not changes.size)


class CountsDuplicates(Afterthought):
    """Adds one to the frequency for every edge that is written, known or not."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        for edge in changes.edges:
            lesson = space.memories[edge.from_id]
            if isinstance(lesson, Pattern) and (edge.from_id, edge.to_id) in before.edges:
                space.memories[lesson.id] = replace(lesson, frequency=lesson.frequency + 1)


class AnnouncesAgain(Afterthought):
    """Records a transition with every member that joins a pattern of some level."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        for edge in changes.edges:
            if isinstance(edge, GeneralizesEdge):
                made = Record(
                    kind=RecordKind.TRANSITION, id=f"x{space.revision}", at=changes.at, subject=edge.from_id
                )
                space.records[made.kind, made.id] = made


class ForgetsKeys(Afterthought):
    """Looks keys up and never stores them."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        space.requests.clear()


class ForgetsKeysOfTheErased(Afterthought):
    """Deletes the key together with the memory, so that a retry brings it back."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        space.erasures.clear()


class LosesTombstones(Afterthought):
    """Erases without a word to those who follow the feed."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        space.tombstones.clear()


class KeepsOldValues(Afterthought):
    """Keeps the VERSION records of what was erased."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        space.records |= before.records


class ReusesRefs(Afterthought):
    """Gives the ref of an erased memory again."""

    def spoil(self, space: Space, before: Space, changes: Changes) -> None:
        space.refs.subtract(before.memories[id].ref[0] for id in changes.erase if id in before.memories)


class SumsMemoriesOnly(ModelStore):
    """Leaves the edges out of the digest."""

    def state(self, namespace: str) -> NamespaceState:
        with self._space(namespace) as space:
            total = sum(map(memory_digest, space.memories.values())) % 2**64
        return replace(super().state(namespace), graph_digest=total)


class LastWriterWins(ModelStore):
    """Does not look at the version that an update expects."""

    def apply(self, changes: Changes) -> Receipt:
        there = self.get(changes.namespace, [item.memory.id for item in changes.update])
        update = tuple(
            replace(item, expected_version=there[item.memory.id].version) for item in changes.update
        )
        return super().apply(replace(changes, update=update))


class FoldsNames(ModelStore):
    """Compares namespaces without case and trailing blanks, as some databases do."""

    @contextmanager
    def _space(self, namespace: str, *, write: bool = False) -> Iterator[Space]:
        with super()._space(namespace.strip().lower(), write=write) as space:
            yield space


class NormalisesText(ModelStore):
    """Brings text into NFC."""

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        return {name: _composed(item) for name, item in super().get(namespace, ids, vectors=vectors).items()}


def _composed(memory: Memory) -> Memory:
    texts: dict[str, Any] = {
        name: unicodedata.normalize("NFC", value)
        for name, value in vars(memory).items()
        if type(value) is str
    }
    return replace(memory, **texts)


class CutsTimes(ModelStore):
    """Keeps times to the millisecond."""

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        return {
            name: replace(item, occurred_at=_cut(item.occurred_at))
            for name, item in super().get(namespace, ids, vectors=vectors).items()
        }


def _cut(when: datetime) -> datetime:
    return when.replace(microsecond=when.microsecond // 1000 * 1000)


class HidesRefuted(ModelStore):
    """Leaves refuted edges out."""

    def expand(self, namespace: str, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        return [edge for edge in super().expand(namespace, frontier, direction) if edge.active]


class CutsInsideARevision(ModelStore):
    """Continues the feed after the revision of the last row, although the page ended within it."""

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        feed = super().changes_since(namespace, after, limit)
        return replace(feed, next=Cursor(feed.next.revision, "~"))


class HandsOutTwice(ModelStore):
    """Gives a job to whoever asks, leased or not."""

    def claim(self, namespace: str, kind: JobKind, owner: str, now: datetime, lease: timedelta) -> Job | None:
        return super().claim(namespace, kind, owner, now, -lease)


class NamesTheIdle(ModelStore):
    """Names every namespace, whether work waits there or not."""

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        return super().namespaces()


class NamesTheHeld(ModelStore):
    """Names a namespace while somebody is at its jobs."""

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        return super().namespaces(free and replace(free, at=free.at + timedelta(hours=1)))


class RestartsRefs(ModelStore):
    """Restores memories and leaves the reference counters where they were."""

    def restore(self, batch: RestoreBatch) -> None:
        super().restore(batch)
        self._disk[batch.namespace].refs.clear()


class RestoresNoKeys(ModelStore):
    """Restores everything but that keys were forgotten."""

    def restore(self, batch: RestoreBatch) -> None:
        kept = tuple(item for item in batch.records if item.kind is not RecordKind.ERASURE)
        super().restore(replace(batch, records=kept))


class StampsNoTime(ModelStore):
    """Keeps keys at a time of its own."""

    def records(
        self, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
    ) -> Page[Record]:
        found = super().records(namespace, kind, selection, page)
        return replace(found, items=tuple(replace(item, at=datetime.max) for item in found.items))


class MixesSpaces(ModelStore):
    """Takes vectors made under any parameters."""

    def apply(self, changes: Changes) -> Receipt:
        return super().apply(replace(changes, expected_parameters_version=None))


class LosesTheFence(ModelStore):
    """Restores whoever holds the job."""

    def restore(self, batch: RestoreBatch) -> None:
        job = () if batch.job is None else (job_record(batch.job),)
        super().restore(replace(batch, records=(*batch.records, *job), job=None))
