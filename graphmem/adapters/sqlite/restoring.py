"""What another store held, written as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graphmem.adapters.sqlite import edges, jobs, ledger, memories, records, requests
from graphmem.adapters.sqlite.action import Action
from graphmem.domain.encoding import memory_digest
from graphmem.domain.errors import ConflictError
from graphmem.domain.memories import Memory
from graphmem.domain.records import Record, RecordKind
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.listing import job_of


def restore(connection: sqlite3.Connection, batch: RestoreBatch) -> None:
    """Write the batch inside the transaction of the connection; what is there already is left alone."""
    action = Action(connection, ledger.load(connection, batch.namespace), least=batch.revision)
    action.ledger.take_over(batch)
    if batch.job is not None:
        jobs.move(action, batch.job)
    _restore_memories(action, batch.memories)
    edges.overwrite(action, batch.edges)
    for record in batch.records:
        _restore_record(action, record)
    action.finish()


def _restore_memories(action: Action, restored: Sequence[Memory]) -> None:
    ids = [memory.id for memory in restored]
    stored = memories.load(action.connection, action.namespace, ids) if ids else {}
    for memory in restored:
        old = stored.get(memory.id)
        if old is not None and old.digest == memory_digest(memory):
            continue
        try:
            memories.put(action, memory, old)
        except sqlite3.IntegrityError as error:
            raise ConflictError(
                f"{memory.ref} names another memory here",
                field="ref",
                remedy="restore into an empty namespace",
            ) from error


def _restore_record(action: Action, record: Record) -> None:
    match record.kind:
        case RecordKind.REQUEST:
            requests.put(action.connection, action.namespace, record)
        case RecordKind.ERASURE:
            requests.put_erased(action.connection, action.namespace, record)
        case RecordKind.JOB:
            jobs.put(action.connection, action.namespace, job_of(record))
        case _:
            records.put(action, record)
