"""One action while it is being written: what it reads, writes and touches in one namespace."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from graphmem.adapters.sqlite.ledger import save
from graphmem.adapters.sqlite.rows import listed
from graphmem.domain.memories import Memory
from graphmem.ports.ledger import Ledger

_TOUCH = """
UPDATE memories SET revision = ? WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))
"""


@dataclass
class Action:
    """Collects what moves the revision, so that it moves once.

    written: memories whose row was written, as they are now. touched: owners of edges that were written or
    removed. patterns: whose members may have changed. least: a revision that this one is not to be before.
    """

    connection: sqlite3.Connection
    ledger: Ledger
    least: int = 0
    written: dict[str, Memory] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    erased: frozenset[str] = frozenset()

    @property
    def namespace(self) -> str:
        """The namespace that is written to."""
        return self.ledger.namespace

    @property
    def revision(self) -> int:
        """The revision that this action leads to when it touches anything."""
        return max(self.ledger.revision + 1, self.least)

    def finish(self) -> None:
        """Move the revision, and that of every owner of a touched edge, then save the ledger."""
        owners = self.touched - self.written.keys() - self.erased
        if owners:
            self.connection.execute(_TOUCH, (self.revision, self.namespace, listed(sorted(owners))))
        if owners or self.written or self.erased:
            self.ledger.revision = self.revision
        save(self.connection, self.ledger)
