"""Idempotency keys: what the first call led to, or only that it was forgotten."""

from __future__ import annotations

from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.service_nodes import receipt_from
from graphmem.ports.changes import StoredReceipt
from graphmem.ports.listing import key_hash


def receipt(session: Session, namespace: str, key: str) -> StoredReceipt | None:
    """What the first call with this key led to, None for a new key."""
    (row,) = session.run("read/receipt", hash=key_hash(namespace, key))
    return receipt_from(key, row["request"], erased=row["erased"])
