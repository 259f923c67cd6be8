"""One action, written whole: the order in which its parts go in."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.adapters.sqlite import counting, edges, erasing, jobs, ledger, memories, records, requests
from graphmem.adapters.sqlite.action import Action
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory
from graphmem.ports.changes import Changes, Receipt, StoredReceipt, Update
from graphmem.ports.checks import check_parameters, check_update, known_receipts, version_records
from graphmem.ports.listing import request_record


def apply(connection: sqlite3.Connection, changes: Changes) -> Receipt:
    """Write one action inside the transaction of the connection."""
    book = ledger.load(connection, changes.namespace)
    stored = requests.receipts(connection, changes.namespace, changes.requests)
    known = known_receipts(changes.requests, stored)
    if known:
        return Receipt(revision=book.revision, created=False, receipts=known)
    check_parameters(changes, book.parameters_version)
    action = Action(connection, book)
    _write_graph(action, changes)
    records.drop(action, changes.drop)
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
    erasing.erase(action, changes.erase, changes.at)
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
        before = check_update(update, old and old.memory)
        named = replace(update.memory, ref=before.ref, version=before.version + 1)
        kept = counting.keep_counts(named, before)
        memories.put(action, kept, old)
        for record in version_records(before, kept, at):
            records.put(action, record)
    counting.members_changed(action, ids)
    counting.patterns_written(action, [update.memory for update in updates])


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
        requests.put(action.connection, action.namespace, request_record(receipt, changes.at))
    return kept
