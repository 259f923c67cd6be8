"""Idempotency keys: what the first call led to, or only that it was forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.service_nodes import key_hash, receipt_from
from graphmem.domain.errors import BadInputError, ConflictError, ForgottenError, StaleError
from graphmem.ports.changes import Request, StoredReceipt


def receipt(session: Session, namespace: str, key: str) -> StoredReceipt | None:
    """What the first call with this key led to, None for a new key."""
    (row,) = session.run("read/receipt", hash=key_hash(namespace, key))
    return receipt_from(key, row["request"], erased=row["erased"])


def check_distinct(requests: Sequence[Request]) -> None:
    """Raises BadInputError when a key is given twice."""
    if len({request.key for request in requests}) < len(requests):
        raise BadInputError("a key is given twice", field="requests", remedy="one key per item")


def known(action: Action, requests: Sequence[Request]) -> tuple[StoredReceipt, ...]:
    """The first outcomes when all keys are known, () when none is.

    Raises ForgottenError, ConflictError for another payload, StaleError when only some keys are known.
    The field names the index.
    """
    found = []
    for index, request in enumerate(requests):
        if stored := action.receipts.get(request.key):
            _check_same(stored, request, f"requests[{index}].key")
            found.append(stored)
    if found and len(found) < len(requests):
        raise StaleError(
            f"{len(found)} of {len(requests)} keys are known",
            field="requests",
            remedy="send the new ones alone",
        )
    return tuple(found)


def _check_same(stored: StoredReceipt, request: Request, field: str) -> None:
    if stored.erased:
        raise ForgottenError("belonged to a memory that was forgotten", field=field, remedy="use a new key")
    if stored.payload_hash != request.payload_hash:
        raise ConflictError("was used with another payload", field=field, remedy="use a new key")
