"""One batch of another store on one namespace of the model, on a copy."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.errors import BadInputError, StaleError, TooLargeError
from graphmem.domain.records import JobState, Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.listing import job_of, receipt_of
from tests.contract.model_action import Space, check_edge


def restore(space: Space, batch: RestoreBatch) -> None:
    """Write the batch; what is there already carries the batch's revision as well."""
    _check(space, batch)
    revision = max(space.revision + 1, batch.revision) if batch.memories or batch.edges else space.revision
    space.memories |= {item.id: replace(item, revision=revision) for item in batch.memories}
    for edge in batch.edges:
        check_edge(space, edge)
        space.edges[edge.from_id, edge.to_id] = edge
        space.memories[edge.owner_id] = replace(space.memories[edge.owner_id], revision=revision)
    for memory in batch.memories:
        letter, number = memory.ref.split("-")
        space.refs[letter] = max(space.refs[letter], int(number))
    space.refs |= batch.ref_counters
    for record in batch.records:
        _put(space, record)
    if batch.parameters_version is not None:
        space.parameters_version = batch.parameters_version
    if batch.job is not None:
        space.jobs[batch.job.id] = batch.job
    space.revision = revision


def _check(space: Space, batch: RestoreBatch) -> None:
    if len(batch.memories) + len(batch.edges) + len(batch.records) > MAX_ITEMS:
        raise TooLargeError("too many items")
    if any(item.namespace != batch.namespace for item in batch.memories):
        raise BadInputError("another namespace", field="namespace")
    if len({item.id for item in batch.memories}) < len(batch.memories):
        raise BadInputError("named twice", field="id")
    if batch.job is not None:
        held = space.jobs.get(batch.job.id)
        fence = batch.job.owner, batch.job.attempt, JobState.RUNNING
        if held is None or (held.owner, held.attempt, held.state) != fence:
            raise StaleError("the job is lost", field="job")


def _put(space: Space, record: Record) -> None:
    if record.kind is RecordKind.REQUEST:
        space.requests[receipt_of(record).key] = record
    elif record.kind is RecordKind.ERASURE:
        space.erasures[record.id] = record
    elif record.kind is RecordKind.JOB:
        space.jobs[record.id] = job_of(record)
    else:
        space.records[record.kind, record.id] = record
