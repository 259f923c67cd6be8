"""What another store held, written as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graphmem.adapters.sqlite import edges, jobs, ledger, memories, records, requests
from graphmem.adapters.sqlite.action import Action
from graphmem.domain.encoding import memory_digest
from graphmem.domain.errors import ConflictError, TooLargeError
from graphmem.domain.memories import Memory
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import RestoreBatch


def check(batch: RestoreBatch) -> None:
    """Raise TooLargeError for a batch of too many items."""
    parts = batch.memories, batch.edges, batch.records, batch.requests, batch.jobs
    size = sum(map(len, parts))
    if size > MAX_ITEMS:
        raise TooLargeError(f"{size} items, at most {MAX_ITEMS} in one batch", remedy="send fewer at a time")


def restore(connection: sqlite3.Connection, batch: RestoreBatch) -> None:
    """Write the batch inside the transaction of the connection; what is there already is left alone."""
    action = Action(connection, ledger.load(connection, batch.namespace))
    _restore_memories(action, batch.memories)
    edges.overwrite(action, batch.edges)
    for record in batch.records:
        records.put(action, record)
    for kept in batch.requests:
        requests.put(connection, batch.namespace, kept)
    for job in batch.jobs:
        jobs.put(connection, batch.namespace, job)
    action.finish()


def _restore_memories(action: Action, restored: Sequence[Memory]) -> None:
    ids = [memory.id for memory in restored]
    stored = memories.load(action.connection, action.namespace, ids) if ids else {}
    for memory in restored:
        action.ledger.saw_ref(memory.ref)
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
