"""One action on one namespace of the model: what `apply` does, step by step, on a copy."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from graphmem.domain.causation import Edge, EdgeKind, check_ends, merge_edges
from graphmem.domain.encoding import memory_from_json, memory_json
from graphmem.domain.errors import (
    BadInputError,
    ConflictError,
    ForgottenError,
    NotFoundError,
    StaleError,
    TooLargeError,
)
from graphmem.domain.memories import REF_LETTERS, Experience, Level, Memory, Pattern
from graphmem.domain.records import DROPPED, LISTED_ONLY, Job, JobState, Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS, counts_as_evidence, level
from graphmem.ports.changes import Changes, Receipt, StoredReceipt, Update
from graphmem.ports.listing import erasure_record, job_record, key_hash, receipt_of, request_record

_T = TypeVar("_T")
_WRAP = 2**64
_MATCHED = ("session_id", "task_id", "task_type", "tool", "agent", "error_type")


@dataclass
class Space:
    """One namespace. Values are immutable, so a copy of the containers is a copy of all."""

    revision: int = 0
    parameters_version: int = 0
    memories: dict[str, Memory] = field(default_factory=dict)
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    tombstones: dict[str, int] = field(default_factory=dict)
    refs: Counter[str] = field(default_factory=Counter)
    requests: dict[str, Record] = field(default_factory=dict)
    erasures: dict[str, Record] = field(default_factory=dict)
    records: dict[tuple[RecordKind, str], Record] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)

    def receipt(self, namespace: str, key: str) -> StoredReceipt | None:
        """What a key led to."""
        if key in self.requests:
            return receipt_of(self.requests[key])
        return StoredReceipt(key=key, erased=True) if key_hash(namespace, key) in self.erasures else None

    def listed(self, kind: RecordKind) -> list[Record]:
        """All records of a kind."""
        own = {
            RecordKind.REQUEST: self.requests.values(),
            RecordKind.ERASURE: self.erasures.values(),
            RecordKind.JOB: map(job_record, self.jobs.values()),
        }
        return [*own.get(kind, ()), *(item for item in self.records.values() if item.kind is kind)]

    def copy(self) -> Space:
        """The same content in other containers."""
        return Space(
            **{name: item if isinstance(item, int) else item.copy() for name, item in vars(self).items()}
        )


class Action:
    """One apply, on a copy of the namespace."""

    def __init__(self, space: Space, changes: Changes) -> None:
        self.space, self.changes, self.revision = space, changes, space.revision + 1
        self.touched: set[str] = set()
        self.written = {item.id for item in changes.create} | {item.memory.id for item in changes.update}
        self.levels = {item.id: item.level for item in space.memories.values() if isinstance(item, Pattern)}

    def run(self) -> Receipt:
        if self.changes.size > MAX_ITEMS:
            raise TooLargeError("too many items")
        if any(item.kind in LISTED_ONLY for item in self.changes.records):
            raise BadInputError("listed only", field="records")
        if any(kind not in DROPPED for kind, _ in self.changes.drop):
            raise BadInputError("kept", field="drop")
        if self.changes.expected_parameters_version not in (None, self.space.parameters_version):
            raise StaleError("other parameters", field="parameters_version")
        for memory in self.changes.create:
            self._create(memory)
        for update in self.changes.update:
            self._update(update)
        for id in self.changes.erase:
            self._erase(id)
        for edge in self.changes.edges:
            self._join(edge)
        if self.changes.size:
            self._recount()
        self._carry_revision()
        self._note()
        given = (*self.changes.create, *(item.memory for item in self.changes.update))
        made = tuple(receipt_of(self.space.requests[item.key]) for item in self.changes.requests)
        memories = tuple(self.space.memories[item.id] for item in given)
        return Receipt(revision=self.space.revision, memories=memories, receipts=made)

    def _create(self, memory: Memory) -> None:
        if memory.namespace != self.changes.namespace:
            raise BadInputError("another namespace", field="namespace")
        if memory.version != 1 or memory.id in self.space.memories:
            raise BadInputError("not new", field="id")
        letter = REF_LETTERS[memory.kind]
        self.space.refs[letter] += 1
        self.space.memories[memory.id] = replace(in_utc(memory), ref=f"{letter}-{self.space.refs[letter]}")
        self.touched.add(memory.id)

    def _update(self, update: Update) -> None:
        memory, old = update.memory, self.space.memories.get(update.memory.id)
        if old is None:
            raise NotFoundError("no such memory", field="id")
        if memory.namespace != self.changes.namespace:
            raise BadInputError("another namespace", field="namespace")
        if memory.kind is not old.kind or getattr(memory, "result", None) is not getattr(old, "result", None):
            raise BadInputError("kind and result cannot change", field="result")
        if update.expected_version != old.version:
            raise StaleError("changed since", field="version")
        self.space.memories[old.id] = replace(in_utc(memory), ref=old.ref, version=old.version + 1)
        if _said(memory) != _said(old):
            self._record(RecordKind.VERSION, old.id, {"memory": json.loads(memory_json(old))})
        self.touched.add(old.id)

    def _erase(self, id: str) -> None:
        space = self.space
        if space.memories.pop(id, None) is None:
            return
        space.tombstones[id] = self.revision
        self.touched.add(id)
        for ends, edge in list(space.edges.items()):
            if id in ends:
                self.touched.add(edge.owner_id)
                del space.edges[ends]
        for key in [key for key, item in space.requests.items() if item.subject == id]:
            del space.requests[key]
            erasure = erasure_record(key_hash(self.changes.namespace, key), self.changes.at)
            space.erasures.setdefault(erasure.id, erasure)
        kept = (item for item in space.records.items() if item[1].subject != id)
        audit = (item for item in space.records.items() if item[1].kind is RecordKind.AUDIT)
        space.records = dict((*kept, *audit))
        space.jobs = {key: item for key, item in space.jobs.items() if item.subject != id}

    def _join(self, edge: Edge) -> None:
        check_edge(self.space, edge)
        ends = edge.from_id, edge.to_id
        self.space.edges[ends] = merge_edges(self.space.edges.get(ends), edge)
        self.touched.add(edge.owner_id)

    def _recount(self) -> None:
        for old in list(self.space.memories.values()):
            if not isinstance(old, Pattern):
                continue
            members = [
                self.space.memories[edge.to_id]
                for edge in self.space.edges.values()
                if edge.kind is EdgeKind.GENERALIZES and edge.from_id == old.id
            ]
            counted = [item for item in members if isinstance(item, Experience) and counts_as_evidence(item)]
            self._write_counts(old, len(counted), len({item.episode for item in counted}))

    def _write_counts(self, old: Pattern, frequency: int, episodes: int) -> None:
        before = self.levels.get(old.id, Level.NONE)
        tight = self.changes.tight.get(old.id, before is Level.HIGH)
        reached = level(episodes, tight)
        new = replace(old, frequency=frequency, episodes=episodes, level=reached)
        if new != old:
            again = old.id in self.written
            self.space.memories[old.id] = new if again else replace(new, version=old.version + 1)
            self.touched.add(old.id)
        if reached != before:
            self._record(RecordKind.TRANSITION, old.id, {"from": before.value, "to": reached.value})

    def _carry_revision(self) -> None:
        if self.touched:
            self.space.revision = self.revision
        for id in self.touched & self.space.memories.keys():
            self.space.memories[id] = replace(self.space.memories[id], revision=self.revision)

    def _note(self) -> None:
        changes, space = self.changes, self.space
        for dropped in changes.drop:
            space.records.pop(dropped, None)
        space.records |= {(item.kind, item.id): item for item in changes.records}
        for job in changes.jobs:
            there = space.jobs.get(job.id, job)
            if there.state is JobState.RUNNING and (there.owner, there.attempt) != (job.owner, job.attempt):
                raise StaleError("the job is held", field="job")
            space.jobs[job.id] = job
        space.requests |= {
            item.key: request_record(
                StoredReceipt(
                    key=item.key,
                    payload_hash=item.payload_hash,
                    memory_id=item.memory_id,
                    revision=space.revision,
                ),
                changes.at,
            )
            for item in changes.requests
        }
        if changes.parameters_version is not None:
            space.parameters_version = changes.parameters_version
        if changes.finish is not None:
            held = space.jobs.get(changes.finish.job_id)
            fence = (changes.finish.owner, changes.finish.attempt, JobState.RUNNING)
            if held is None or (held.owner, held.attempt, held.state) != fence:
                raise StaleError("the job is lost", field="job")
            if changes.finish.state is JobState.DONE:
                del space.jobs[held.id]
            else:
                space.jobs[held.id] = replace(held, state=changes.finish.state, lease_until=None)

    def _record(self, kind: RecordKind, subject: str, body: dict[str, Any]) -> None:
        id = f"{subject}:{self.revision}"
        self.space.records[kind, id] = Record(
            kind=kind, id=id, at=self.changes.at, subject=subject, body=body
        )


def _said(memory: Memory) -> dict[str, Any]:
    """What a caller says of a memory, beside its vectors and its tier."""
    counted = {"ref", "version", "frequency", "episodes", "level", "tier"}
    return {key: item for key, item in json.loads(memory_json(memory)).items() if key not in counted}


def in_utc(memory: Memory) -> Memory:
    """The same memory with all its times in UTC."""
    return replace(memory_from_json(memory_json(memory)), vectors=memory.vectors, revision=memory.revision)


def known_receipts(space: Space, changes: Changes) -> tuple[StoredReceipt, ...]:
    """The first receipts when every key is known, () when none is; else raises."""
    known = []
    for request in changes.requests:
        stored = space.receipt(changes.namespace, request.key)
        if stored is None:
            continue
        if stored.erased:
            raise ForgottenError("forgotten", field="key")
        if stored.payload_hash != request.payload_hash:
            raise ConflictError("used for something else", field="key")
        known.append(stored)
    if known and len(known) < len(changes.requests):
        raise StaleError("only some of the keys are known", field="key")
    return tuple(known)


def check_edge(space: Space, edge: Edge) -> None:
    """Refuse ends that are not there or do not fit."""
    source, target = space.memories.get(edge.from_id), space.memories.get(edge.to_id)
    if source is None or target is None:
        raise NotFoundError("no such memory", field="id")
    check_ends(edge.kind, source, target)
