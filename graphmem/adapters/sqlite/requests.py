"""Idempotency keys: what the first call led to, or only that it was forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import listed, micros, moment, storable
from graphmem.domain.records import Record
from graphmem.ports.changes import Request, StoredReceipt
from graphmem.ports.listing import erasure_record, key_hash, receipt_of, request_record

_LOAD = "SELECT payload_hash, memory_id, revision FROM requests WHERE namespace = ? AND key = ?"
_PUT = """
INSERT INTO requests (namespace, key, payload_hash, memory_id, revision, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, key) DO UPDATE SET
    payload_hash = excluded.payload_hash, memory_id = excluded.memory_id, revision = excluded.revision,
    at = excluded.at
"""
_KEYS_OF = """
SELECT key FROM requests WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))
"""
_DROP_OF = """
DELETE FROM requests WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))
"""
_IS_ERASED = "SELECT EXISTS (SELECT 1 FROM erasures WHERE namespace = ? AND hash = ?)"
_ERASE = "INSERT OR IGNORE INTO erasures (namespace, hash, at) VALUES (?, ?, ?)"

_PUT_ERASED = """
INSERT INTO erasures (namespace, hash, at) VALUES (?, ?, ?)
ON CONFLICT (namespace, hash) DO UPDATE SET at = excluded.at
"""

PAGE = """
SELECT at, key, payload_hash, memory_id, revision FROM requests
WHERE namespace = :namespace AND at >= :since AND (at, key) > (:at, :id) ORDER BY at, key LIMIT :limit
"""
PAGE_ABOUT = """
SELECT at, key, payload_hash, memory_id, revision FROM requests
WHERE namespace = :namespace AND memory_id IN (SELECT value FROM json_each(:about))
AND at >= :since AND (at, key) > (:at, :id)
ORDER BY at, key LIMIT :limit
"""
ERASED_PAGE = """
SELECT at, hash FROM erasures
WHERE namespace = :namespace AND at >= :since AND (at, hash) > (:at, :id) AND :about = '[]'
ORDER BY at, hash LIMIT :limit
"""


def receipt(connection: sqlite3.Connection, namespace: str, key: str) -> StoredReceipt | None:
    """What the first call with this key led to, None for a new key."""
    row = connection.execute(_LOAD, (namespace, key)).fetchone()
    if row is not None:
        payload_hash, memory_id, revision = row
        return StoredReceipt(key=key, payload_hash=payload_hash, memory_id=memory_id, revision=revision)
    (erased,) = connection.execute(_IS_ERASED, (namespace, key_hash(namespace, key))).fetchone()
    return StoredReceipt(key=key, erased=True) if erased else None


def receipts(
    connection: sqlite3.Connection, namespace: str, requests: Sequence[Request]
) -> dict[str, StoredReceipt]:
    """What the first calls with these keys led to, by key; new keys are left out."""
    found = {request.key: receipt(connection, namespace, request.key) for request in requests}
    return {key: stored for key, stored in found.items() if stored is not None}


def put(connection: sqlite3.Connection, namespace: str, kept: Record) -> None:
    """Keep the REQUEST over what its key led to. Raises BadInputError for a record that is none."""
    found = receipt_of(kept)
    with storable("records"):
        row = found.key, found.payload_hash, found.memory_id, found.revision, micros("at", kept.at)
        connection.execute(_PUT, (namespace, *row))


def put_erased(connection: sqlite3.Connection, namespace: str, kept: Record) -> None:
    """Keep that the key of the ERASURE was used."""
    with storable("records"):
        connection.execute(_PUT_ERASED, (namespace, kept.id, micros("at", kept.at)))


def erase_of(action: Action, memory_ids: Iterable[str], at: datetime) -> None:
    """Forget the keys that made the memories, except that they were used."""
    name, of = action.namespace, (action.namespace, listed(memory_ids))
    keys = [key for (key,) in action.connection.execute(_KEYS_OF, of)]
    erased = [(name, key_hash(name, key), micros("at", at)) for key in keys]
    action.connection.executemany(_ERASE, erased)
    action.connection.execute(_DROP_OF, of)


def as_request(row: tuple[int, str, str, str, int]) -> Record:
    """The REQUEST of a row of PAGE."""
    at, key, payload_hash, memory_id, revision = row
    kept = StoredReceipt(key=key, payload_hash=payload_hash, memory_id=memory_id, revision=revision)
    return request_record(kept, moment(at))


def as_erasure(row: tuple[int, str]) -> Record:
    """The ERASURE of a row of ERASED_PAGE."""
    at, hash = row
    return erasure_record(hash, moment(at))
