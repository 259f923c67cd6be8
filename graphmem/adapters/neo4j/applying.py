"""One action, written whole: the order in which its parts go in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.adapters.neo4j import counting, edges, erasing, jobs, memories, records, saving
from graphmem.adapters.neo4j.action import Action, open_action
from graphmem.adapters.neo4j.books import Guess
from graphmem.adapters.neo4j.failures import lost_answer
from graphmem.adapters.neo4j.ledger import as_saved
from graphmem.adapters.neo4j.properties import Stored
from graphmem.adapters.neo4j.server import Session
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, Pattern
from graphmem.ports.changes import Changes, Receipt, StoredReceipt, Update
from graphmem.ports.checks import check_parameters, check_update, known_receipts, version_records
from graphmem.ports.ledger import Ledger
from graphmem.ports.listing import request_record


def _written_ids(changes: Changes) -> list[str]:
    return [memory.id for memory in (*changes.create, *(update.memory for update in changes.update))]


def apply(session: Session, guess: Guess) -> Receipt:
    """Write one action inside the transaction of the session, and turn the book.

    Raises UnavailableError when the answer to an earlier try is lost, and somebody else wrote since.
    """
    changes = guess.changes
    finished = [changes.finish.job_id] if changes.finish else []
    action = open_action(
        session,
        changes.namespace,
        keys=[request.key for request in changes.requests],
        ids=[*_written_ids(changes), *changes.erase],
        edges=changes.edges,
        jobs=[*(job.id for job in changes.jobs), *finished],
    )
    found = as_saved(action.ledger)
    if done := _done_before(action, found, guess):
        guess.book.turn(found, found)
        return done
    check_parameters(changes, action.ledger.parameters_version)
    _write_graph(action, changes)
    records.drop(action, changes.drop)
    for record in changes.records:
        records.note(action, record)
    for job in changes.jobs:
        jobs.enqueue(action, job)
    if changes.finish:
        jobs.finish(action, changes.finish)
    if changes.parameters_version is not None:
        action.ledger.parameters_version = changes.parameters_version
    receipt = keep_receipts(action, changes)
    saving.save(action)
    guess.book.turn(found, action.ledger)
    return receipt


def _done_before(action: Action, found: Ledger, guess: Guess) -> Receipt | None:
    changes = guess.changes
    if guess.sent is not None and as_saved(guess.sent.ledger) == found:
        return guess.sent.receipt
    known = known_receipts(changes.requests, action.receipts)
    if known:
        return Receipt(revision=found.revision, created=False, receipts=known)
    if guess.sent is not None and not action.stored.keys().isdisjoint(memory.id for memory in changes.create):
        raise lost_answer()
    return None


def keep_receipts(action: Action, changes: Changes) -> Receipt:
    """Let the action write its keys; what it leads to when it is committed."""
    revision = action.revision if action.moves else action.ledger.revision
    receipts = tuple(
        StoredReceipt(
            key=request.key,
            payload_hash=request.payload_hash,
            memory_id=request.memory_id,
            revision=revision,
        )
        for request in changes.requests
    )
    action.kept = [request_record(receipt, changes.at) for receipt in receipts]
    given = _written_ids(changes)
    return Receipt(revision=revision, memories=tuple(action.written[id] for id in given), receipts=receipts)


def _write_graph(action: Action, changes: Changes) -> None:
    erasing.erase(action, changes.erase, changes.at)
    create(action, changes.create)
    updated = [_updated(action, update, changes.at) for update in changes.update]
    memories.put(action, updated)
    action.patterns.update(id for id, memory in action.written.items() if isinstance(memory, Pattern))
    action.members.update(update.memory.id for update in changes.update)
    edges.join(action, changes.edges)
    counting.recount(action, changes.tight, changes.at)


def create(action: Action, new: Sequence[Memory]) -> None:
    """Let the action write new memories, each with its reference. Raises BadInputError for one that is there."""
    memories.put(action, [(_created(action, memory), None) for memory in new])


def _created(action: Action, memory: Memory) -> Memory:
    if memory.id in action.stored or memory.version != 1:
        raise BadInputError("is not new", field="id", remedy="update it, or use a new id and version 1")
    named = replace(memory, ref=action.ledger.next_ref(memory.kind))
    return counting.keep_counts(named, None)


def _updated(action: Action, update: Update, at: datetime) -> tuple[Memory, Stored | None]:
    old = action.stored.get(update.memory.id)
    before = check_update(update, old and old.memory)
    named = replace(update.memory, ref=before.ref, version=before.version + 1)
    kept = counting.keep_counts(named, before)
    for record in version_records(before, kept, at):
        records.note(action, record)
    return kept, old
