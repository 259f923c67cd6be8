"""Whether a call with a key was made before."""

from __future__ import annotations

from graphmem.domain.errors import ConflictError, ForgottenError
from graphmem.ports.changes import StoredReceipt
from graphmem.ports.store import MemoryStore


def known_receipt(store: MemoryStore, namespace: str, key: str, payload_hash: str) -> StoredReceipt | None:
    """What the first call with the key led to, None for a new key.

    Raises ForgottenError when its memory was forgotten, ConflictError when the payload was another one.
    """
    receipt = store.receipt(namespace, key) if key else None
    if receipt is None:
        return None
    if receipt.erased:
        raise ForgottenError("the memory of this key was forgotten", field="key", remedy="use a new key")
    if receipt.payload_hash != payload_hash:
        raise ConflictError("this key was used for something else", field="key", remedy="use a new key")
    return receipt
