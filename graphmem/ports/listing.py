"""How keys, erasures and jobs look as records: the form in which they are listed and restored."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b

from graphmem.domain.encoding import decode, encode
from graphmem.domain.errors import BadInputError
from graphmem.domain.records import Job, Record, RecordKind
from graphmem.ports.changes import StoredReceipt


def key_hash(namespace: str, key: str) -> str:
    """32 hexadecimal digits: all that is kept of a key whose memory was forgotten."""
    return blake2b(f"{namespace}\0{key}".encode(), digest_size=16).hexdigest()


def request_record(receipt: StoredReceipt, at: datetime) -> Record:
    """A key that was used at this time, about the memory that it made."""
    return Record(
        kind=RecordKind.REQUEST,
        id=receipt.key,
        at=at,
        subject=receipt.memory_id,
        body={"payload_hash": receipt.payload_hash, "revision": receipt.revision},
    )


def receipt_of(record: Record) -> StoredReceipt:
    """What the key of a REQUEST led to. Raises BadInputError."""
    payload_hash, revision = record.body.get("payload_hash"), record.body.get("revision")
    if not isinstance(payload_hash, str) or not isinstance(revision, int):
        raise _unreadable(record)
    return StoredReceipt(
        key=record.id, payload_hash=payload_hash, memory_id=record.subject, revision=revision
    )


def erasure_record(hash: str, at: datetime) -> Record:
    """A key, by its hash, whose memory was forgotten at this time."""
    return Record(kind=RecordKind.ERASURE, id=hash, at=at)


def job_record(job: Job) -> Record:
    """A job, in whatever state it is."""
    body = encode(job)
    del body["id"], body["created_at"]
    body.pop("subject", None)
    return Record(kind=RecordKind.JOB, id=job.id, at=job.created_at, subject=job.subject, body=body)


def job_of(record: Record) -> Job:
    """The job of a JOB record. Raises BadInputError."""
    about = {"id": record.id, "created_at": record.at.isoformat(), "subject": record.subject}
    try:
        return decode(Job, {**record.body, **about})
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable(record) from error


def _unreadable(record: Record) -> BadInputError:
    return BadInputError(
        f"{record.kind} {record.id!r} cannot be read", field="records", remedy="restore what records() gave"
    )
