"""One action, written whole: the order in which its parts go in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.adapters.sqlite import counting, edges, erasing, jobs, ledger, memories, records, requests
from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.memories import Stored
from graphmem.domain.encoding import memory_json
from graphmem.domain.errors import BadInputError, NotFoundError, StaleError, TooLargeError
from graphmem.domain.memories import Memory
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import Changes, Receipt, StoredReceipt, Update


def check(changes: Changes) -> None:
    """Refuse what can be seen without the store: too many items, an id named twice.

    Raises TooLargeError, BadInputError.
    """
    if changes.size > MAX_ITEMS:
        raise TooLargeError(
            f"{changes.size} memories and edges, at most {MAX_ITEMS} in one action",
            remedy="send fewer at a time",
        )
    named = [memory.id for memory in changes.create]
    named += [update.memory.id for update in changes.update]
    named += set(changes.erase)
    if len(set(named)) < len(named):
        raise BadInputError("a memory is named twice in one action", field="id", remedy="change it once")


def apply(connection: sqlite3.Connection, changes: Changes) -> Receipt:
    """Write one action inside the transaction of the connection."""
    book = ledger.load(connection, changes.namespace)
    known = requests.known(connection, changes.namespace, changes.requests)
    if known:
        return Receipt(revision=book.revision, created=False, receipts=known)
    action = Action(connection, book)
    _write_graph(action, changes)
    for record in changes.records:
        records.put(action, record)
    for job in changes.jobs:
        jobs.enqueue(action, job)
    if changes.finish:
        jobs.finish(action, changes.finish)
    if changes.parameters_version is not None:
        book.parameters_version = changes.parameters_version
    action.finish()
    given = (*changes.create, *(update.memory for update in changes.update))
    return Receipt(
        revision=book.revision,
        memories=tuple(action.written[memory.id] for memory in given),
        receipts=_keep_requests(action, changes),
    )


def _write_graph(action: Action, changes: Changes) -> None:
    erasing.erase(action, changes.erase)
    _create(action, changes.create)
    _update(action, changes.update, changes.at)
    edges.join(action, changes.edges)
    counting.recount(action, changes.tight, changes.at)


def _create(action: Action, created: Sequence[Memory]) -> None:
    if not created:
        return
    existing = memories.load(action.connection, action.namespace, [memory.id for memory in created])
    for memory in created:
        if memory.id in existing or memory.version != 1:
            raise BadInputError("is not new", field="id", remedy="update it, or use a new id and version 1")
        named = replace(memory, ref=action.ledger.next_ref(memory.kind))
        memories.put(action, counting.keep_counts(named, None), None)
    counting.patterns_written(action, created)


def _update(action: Action, updates: Sequence[Update], at: datetime) -> None:
    if not updates:
        return
    ids = [update.memory.id for update in updates]
    stored = memories.load(action.connection, action.namespace, ids)
    for update in updates:
        old = stored.get(update.memory.id)
        _check_update(update, old)
        if old is not None:
            _write_update(action, update.memory, old, at)
    counting.members_changed(action, ids)
    counting.patterns_written(action, [update.memory for update in updates])


def _check_update(update: Update, old: Stored | None) -> None:
    memory = update.memory
    if old is None:
        raise NotFoundError(f"no memory {memory.id} in this namespace", field="id", remedy="check the id")
    if memory.kind is not old.memory.kind:
        raise BadInputError("cannot change", field="kind", remedy="record a new memory")
    if getattr(memory, "result", None) is not getattr(old.memory, "result", None):
        raise BadInputError("cannot change", field="result", remedy="record a new experience")
    if update.expected_version != old.memory.version:
        raise StaleError(
            f"{old.memory.ref} has version {old.memory.version}, not {update.expected_version}",
            field="version",
            remedy="read it again and repeat the change",
        )


def _write_update(action: Action, memory: Memory, old: Stored, at: datetime) -> None:
    before = old.memory
    named = replace(memory, ref=before.ref, version=before.version + 1)
    memories.put(action, counting.keep_counts(named, before), old)
    kept = Record(
        kind=RecordKind.VERSION,
        id=f"{before.id}:{before.version}",
        at=at,
        subject=before.id,
        body={"memory": json.loads(memory_json(before))},
    )
    records.put(action, kept)


def _keep_requests(action: Action, changes: Changes) -> tuple[StoredReceipt, ...]:
    kept = tuple(
        StoredReceipt(
            key=request.key,
            payload_hash=request.payload_hash,
            memory_id=request.memory_id,
            revision=action.ledger.revision,
        )
        for request in changes.requests
    )
    for receipt in kept:
        requests.put(action.connection, action.namespace, receipt)
    return kept
