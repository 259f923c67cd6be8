"""Books that a hand edit put out of balance, set to what is there."""

from __future__ import annotations

import sqlite3

from graphmem.adapters.sqlite import ledger
from graphmem.ports.queries import NamespaceState


def correct(connection: sqlite3.Connection, held: NamespaceState) -> bool:
    """Write counts and graph digest into the row of the namespace, while it is at the revision of the state."""
    book = ledger.load(connection, held.namespace)
    taken = book.correct(held)
    if taken:
        ledger.save(connection, book)
    return taken
