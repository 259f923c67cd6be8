"""What another store held, written as it was."""

from __future__ import annotations

from graphmem.adapters.neo4j import applying, edges, jobs, memories, records
from graphmem.adapters.neo4j.action import open_action
from graphmem.adapters.neo4j.properties import Stored
from graphmem.adapters.neo4j.server import Session
from graphmem.domain.encoding import memory_digest
from graphmem.domain.errors import BadInputError, TooLargeError
from graphmem.domain.memories import Memory
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import RestoreBatch


def check(batch: RestoreBatch) -> None:
    """Raise TooLargeError for a batch of too many items."""
    parts = batch.memories, batch.edges, batch.records, batch.requests, batch.jobs
    size = sum(map(len, parts))
    if size > MAX_ITEMS:
        raise TooLargeError(f"{size} items, at most {MAX_ITEMS} in one batch", remedy="send fewer at a time")
    if len({memory.id for memory in batch.memories}) < len(batch.memories):
        raise BadInputError("a memory is named twice in one batch", field="id", remedy="send it once")


def restore(session: Session, batch: RestoreBatch) -> None:
    """Write the batch inside the transaction of the session; what is there already is left alone."""
    action = open_action(
        session, batch.namespace, ids=[memory.id for memory in batch.memories], edges=batch.edges
    )
    changed: list[tuple[Memory, Stored | None]] = []
    for memory in batch.memories:
        action.ledger.saw_ref(memory.ref)
        old = action.stored.get(memory.id)
        if old is None or old.digest != memory_digest(memory):
            changed.append((memory, old))
    memories.put(action, changed)
    edges.overwrite(action, batch.edges)
    for record in batch.records:
        records.note(action, record)
    for job in batch.jobs:
        jobs.put(action, job)
    action.kept = list(batch.requests)
    applying.save(action)
