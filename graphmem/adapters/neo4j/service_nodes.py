"""Service records, jobs and keys as properties of nodes of their own, and back. They are no memories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphmem.adapters.neo4j.values import UNREADABLE, instant, moment, parsed, signed, storable
from graphmem.domain.encoding import canonical, digest, encode
from graphmem.domain.records import Job, JobKind, JobState, Record, RecordKind
from graphmem.ports.changes import StoredReceipt
from graphmem.ports.listing import erasure_record, job_record, key_hash, receipt_of, request_record


def record_properties(namespace: str, record: Record) -> dict[str, Any]:
    """All properties of a record's node. AUDIT counts into no digest, so its own is 0."""
    with storable("record"):
        weight = 0 if record.kind is RecordKind.AUDIT else digest(canonical(encode(record)))
        return {
            "namespace": namespace,
            "kind": record.kind.value,
            "id": record.id,
            "at": instant("at", record.at),
            "subject": record.subject or None,
            "body": canonical(encode(record.body)),
            "digest": signed(weight),
        }


def record_from(properties: Mapping[str, Any]) -> Record | None:
    """The record of a node's properties; None for a node that holds none."""
    try:
        return Record(
            kind=RecordKind(properties["kind"]),
            id=properties["id"],
            at=moment(properties["at"]),
            subject=properties.get("subject") or "",
            body=parsed(properties["body"]),
        )
    except UNREADABLE:
        return None


def job_properties(namespace: str, job: Job) -> dict[str, Any]:
    """All properties of a job's node."""
    with storable("job"):
        return {
            "namespace": namespace,
            "id": job.id,
            "kind": job.kind.value,
            "created_at": instant("created_at", job.created_at),
            "subject": job.subject or None,
            "body": canonical(encode(job.body)),
            "state": job.state.value,
            "owner": job.owner,
            "lease_until": instant("lease_until", job.lease_until) if job.lease_until else None,
            "attempt": job.attempt,
        }


def job_from(properties: Mapping[str, Any]) -> Job | None:
    """The job of a node's properties; None for a node that holds none."""
    try:
        until = properties.get("lease_until")
        return Job(
            id=properties["id"],
            kind=JobKind(properties["kind"]),
            created_at=moment(properties["created_at"]),
            subject=properties.get("subject") or "",
            body=parsed(properties["body"]),
            state=JobState(properties["state"]),
            owner=properties["owner"],
            lease_until=None if until is None else moment(until),
            attempt=int(properties["attempt"]),
        )
    except UNREADABLE:
        return None


def request_properties(namespace: str, kept: Record) -> dict[str, Any]:
    """All properties of the node of a REQUEST. Raises BadInputError for a record that is none."""
    found = receipt_of(kept)
    with storable("records"):
        return {
            "hash": key_hash(namespace, found.key),
            "namespace": namespace,
            "key": found.key,
            "payload_hash": found.payload_hash,
            "memory_id": found.memory_id,
            "revision": found.revision,
            "at": instant("at", kept.at),
        }


def request_from(properties: Mapping[str, Any]) -> Record | None:
    """The REQUEST of a node's properties; None for a node that holds none."""
    try:
        receipt = receipt_from(properties["key"], properties, erased=False)
        return None if receipt is None else request_record(receipt, moment(properties["at"]))
    except UNREADABLE:
        return None


def erasure_properties(kept: Record) -> dict[str, Any]:
    """What the node of an ERASURE is made of, beside its namespace."""
    return {"hash": kept.id, "at": instant("at", kept.at)}


def erasure_from(properties: Mapping[str, Any]) -> Record | None:
    """The ERASURE of a node's properties; None for a node that holds none."""
    try:
        return erasure_record(properties["hash"], moment(properties["at"]))
    except UNREADABLE:
        return None


def job_record_from(properties: Mapping[str, Any]) -> Record | None:
    """The JOB of a node's properties; None for a node that holds none."""
    job = job_from(properties)
    return None if job is None else job_record(job)


def receipt_from(key: str, properties: Mapping[str, Any] | None, *, erased: bool) -> StoredReceipt | None:
    """What a key led to, from its node if there is one; erased: only that it was used is kept."""
    if properties is not None:
        return StoredReceipt(
            key=key,
            payload_hash=str(properties.get("payload_hash", "")),
            memory_id=str(properties.get("memory_id", "")),
            revision=int(properties.get("revision", 0)),
        )
    return StoredReceipt(key=key, erased=True) if erased else None
