"""Idempotency keys: what the first call led to, or only that it was forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import listed
from graphmem.ports.changes import Request, StoredReceipt

_LOAD = "SELECT payload_hash, memory_id, revision FROM requests WHERE namespace = ? AND key = ?"
_PUT = """
INSERT INTO requests (namespace, key, payload_hash, memory_id, revision) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (namespace, key) DO UPDATE SET
    payload_hash = excluded.payload_hash, memory_id = excluded.memory_id, revision = excluded.revision
"""
_KEYS_OF = """
SELECT key FROM requests WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))
"""
_DROP_OF = """
DELETE FROM requests WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))
"""
_IS_ERASED = "SELECT EXISTS (SELECT 1 FROM erasures WHERE hash = ?)"
_ERASE = "INSERT OR IGNORE INTO erasures (hash) VALUES (?)"


def receipt(connection: sqlite3.Connection, namespace: str, key: str) -> StoredReceipt | None:
    """What the first call with this key led to, None for a new key."""
    row = connection.execute(_LOAD, (namespace, key)).fetchone()
    if row is not None:
        payload_hash, memory_id, revision = row
        return StoredReceipt(key=key, payload_hash=payload_hash, memory_id=memory_id, revision=revision)
    (erased,) = connection.execute(_IS_ERASED, (_hash(namespace, key),)).fetchone()
    return StoredReceipt(key=key, erased=True) if erased else None


def receipts(
    connection: sqlite3.Connection, namespace: str, requests: Sequence[Request]
) -> dict[str, StoredReceipt]:
    """What the first calls with these keys led to, by key; new keys are left out."""
    found = {request.key: receipt(connection, namespace, request.key) for request in requests}
    return {key: stored for key, stored in found.items() if stored is not None}


def put(connection: sqlite3.Connection, namespace: str, kept: StoredReceipt) -> None:
    """Keep what a key led to."""
    if kept.erased:
        connection.execute(_ERASE, (_hash(namespace, kept.key),))
    else:
        row = namespace, kept.key, kept.payload_hash, kept.memory_id, kept.revision
        connection.execute(_PUT, row)


def erase_of(action: Action, memory_ids: Iterable[str]) -> None:
    """Forget the keys that made the memories, except that they were used."""
    of = action.namespace, listed(memory_ids)
    hashes = [(_hash(action.namespace, key),) for (key,) in action.connection.execute(_KEYS_OF, of)]
    action.connection.executemany(_ERASE, hashes)
    action.connection.execute(_DROP_OF, of)


def _hash(namespace: str, key: str) -> bytes:
    return blake2b(f"{namespace}\0{key}".encode(), digest_size=16).digest()
