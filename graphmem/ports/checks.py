"""Rules of the contract that every store applies alike, once it has read what they are about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.encoding import memory_json
from graphmem.domain.errors import (
    BadInputError,
    ConflictError,
    ForgottenError,
    NotFoundError,
    StaleError,
    TooLargeError,
)
from graphmem.domain.memories import Experience, Memory
from graphmem.domain.records import DROPPED, LISTED_ONLY, Job, JobState, Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.domain.words import filled
from graphmem.ports.changes import Changes, Request, RestoreBatch, StoredReceipt, Update


def check_changes(changes: Changes) -> None:
    """Refuse what can be seen without the store: too many items, an id or a key given twice.

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
    if len({request.key for request in changes.requests}) < len(changes.requests):
        raise BadInputError("a key is given twice", field="requests", remedy="one key per item")
    if kept := sorted({kind for kind, _ in changes.drop} - DROPPED):
        raise BadInputError(f"{kept[0]} is kept", field="drop", remedy="only notes on what was served leave")
    if listed := sorted({record.kind for record in changes.records} & LISTED_ONLY):
        raise BadInputError(
            f"{listed[0]} is no record to write", field="records", remedy="use requests, erase or jobs"
        )


def check_batch(batch: RestoreBatch) -> None:
    """Refuse what can be seen without the store: too many items, a memory named twice.

    Raises TooLargeError, BadInputError.
    """
    if batch.size > MAX_ITEMS:
        raise TooLargeError(
            f"{batch.size} items, at most {MAX_ITEMS} in one batch", remedy="send fewer at a time"
        )
    if len({memory.id for memory in batch.memories}) < len(batch.memories):
        raise BadInputError("a memory is named twice in one batch", field="id", remedy="send it once")


def check_parameters(changes: Changes, version: int) -> None:
    """Raise StaleError when vectors were made under other parameters than those of this version."""
    if changes.expected_parameters_version not in (None, version):
        raise StaleError(
            f"the parameters have version {version}, not {changes.expected_parameters_version}",
            field="parameters_version",
            remedy="make the vectors again",
        )


def check_holder(job_id: str, held: Job | None, owner: str, attempt: int) -> Job:
    """The job as it is stored, running and held by this owner at this attempt. Raises StaleError when it is not."""
    if held is None or (held.state, held.owner, held.attempt) != (JobState.RUNNING, owner, attempt):
        raise StaleError(f"job {job_id} is not held any more", field="job", remedy="claim it again")
    return held


def known_receipts(
    requests: Sequence[Request], receipts: Mapping[str, StoredReceipt]
) -> tuple[StoredReceipt, ...]:
    """The first outcomes when all keys are known, () when none is. receipts: what is stored, by key.

    Raises ForgottenError, ConflictError for another payload, StaleError when only some keys are known.
    The field names the index.
    """
    found = []
    for index, request in enumerate(requests):
        if stored := receipts.get(request.key):
            _check_same(stored, request, f"requests[{index}].key")
            found.append(stored)
    if found and len(found) < len(requests):
        raise StaleError(
            filled("{n} of {all} keys {n:is|are} known", n=len(found), all=len(requests)),
            field="requests",
            remedy="send the new ones alone",
        )
    return tuple(found)


def _check_same(stored: StoredReceipt, request: Request, field: str) -> None:
    if stored.erased:
        raise ForgottenError("belonged to a memory that was forgotten", field=field, remedy="use a new key")
    if stored.payload_hash != request.payload_hash:
        raise ConflictError("was used with another payload", field=field, remedy="use a new key")


def check_update(update: Update, before: Memory | None) -> Memory:
    """The memory that is stored before an update, when the update fits it.

    Raises NotFoundError, BadInputError for a change of kind or result, StaleError for another version.
    """
    memory = update.memory
    if before is None:
        raise NotFoundError(f"no memory {memory.id} in this namespace", field="id", remedy="check the id")
    if memory.kind is not before.kind:
        raise BadInputError("cannot change", field="kind", remedy="record a new memory")
    if getattr(memory, "result", None) is not getattr(before, "result", None):
        raise BadInputError("cannot change", field="result", remedy="record a new experience")
    if update.expected_version != before.version:
        raise StaleError(
            f"{before.ref} has version {before.version}, not {update.expected_version}",
            field="version",
            remedy="read it again and repeat the change",
        )
    return before


def version_records(before: Memory, after: Memory, at: datetime) -> tuple[Record, ...]:
    """The record that keeps the value which an update made at this time replaces; none where only vectors change, or
    the tier: how readily a memory is searched is nothing that it says.
    """
    old = memory_json(before)
    same = replace(after, version=before.version)
    if isinstance(same, Experience) and isinstance(before, Experience):
        same = replace(same, tier=before.tier)
    if memory_json(same) == old:
        return ()
    kept = Record(
        kind=RecordKind.VERSION,
        id=f"{before.id}:{before.version}",
        at=at,
        subject=before.id,
        body={"memory": json.loads(old)},
    )
    return (kept,)
