"""What another store held, written as it was."""

from __future__ import annotations

from graphmem.adapters.neo4j import edges, jobs, memories, records, saving
from graphmem.adapters.neo4j.action import Action, open_action
from graphmem.adapters.neo4j.properties import Stored
from graphmem.adapters.neo4j.server import Session
from graphmem.domain.encoding import memory_digest
from graphmem.domain.memories import Memory
from graphmem.domain.records import Record, RecordKind
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.listing import job_of


def restore(session: Session, batch: RestoreBatch) -> None:
    """Write the batch inside the transaction of the session; what is there already is left alone."""
    action = open_action(
        session,
        batch.namespace,
        ids=[memory.id for memory in batch.memories],
        edges=batch.edges,
        jobs=[batch.job.id] if batch.job else [],
    )
    action.least = batch.revision
    action.ledger.take_over(batch)
    if batch.job is not None:
        jobs.move(action, batch.job)
    memories.put(action, _changed(action, batch))
    edges.overwrite(action, batch.edges)
    for record in batch.records:
        _restore_record(action, record)
    saving.save(action)


def _changed(action: Action, batch: RestoreBatch) -> list[tuple[Memory, Stored | None]]:
    pairs = [(memory, action.stored.get(memory.id)) for memory in batch.memories]
    return [(memory, old) for memory, old in pairs if old is None or old.digest != memory_digest(memory)]


def _restore_record(action: Action, record: Record) -> None:
    match record.kind:
        case RecordKind.REQUEST | RecordKind.ERASURE:
            action.kept.append(record)
        case RecordKind.JOB:
            jobs.put(action, job_of(record))
        case _:
            records.note(action, record)
