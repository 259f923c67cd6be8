"""An ordinary write in one round trip: what only creates is said in one statement, which the server commits by itself.

It is built on the ledger that this process left, and written only if the server finds that ledger under the namespace's
lock, every key and id new, and every cause there. Where it does not, nothing is written, and the action goes the long
way, which says what is wrong. So the statement may be sent again when its answer is lost: what it did bars the second.

Actions that wait for each other are one statement, each built on the ledger that the one before it leaves; where that
does not go through, nothing of it is written, and each goes on alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neo4j.exceptions import ConstraintError, CypherTypeError

from graphmem.adapters.neo4j import applying, edges, jobs
from graphmem.adapters.neo4j.action import Action, new_attempt
from graphmem.adapters.neo4j.books import Guess, Sent, copied
from graphmem.adapters.neo4j.ledger import properties
from graphmem.adapters.neo4j.saving import beside_graph
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.values import UNREADABLE
from graphmem.adapters.neo4j.versions import MIGRATIONS
from graphmem.domain.causation import EdgeKind
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import MemoryKind
from graphmem.ports.changes import Changes, Receipt
from graphmem.ports.checks import check_parameters
from graphmem.ports.ledger import Ledger

_PLAIN = frozenset({MemoryKind.EXPERIENCE, MemoryKind.FACT})
"""Kinds that the statement knows; patterns and strategies are counted."""


def only_creates(changes: Changes) -> bool:
    """Whether the statement can say it all."""
    other = changes.update, changes.erase, changes.records, changes.drop, changes.finish
    if not changes.create or any(other) or changes.parameters_version is not None:
        return False
    new = {memory.id for memory in changes.create}
    return all(memory.kind in _PLAIN for memory in changes.create) and all(
        edge.kind is EdgeKind.CAUSED_BY and edge.from_id in new for edge in changes.edges
    )


def create(session: Session, guesses: Sequence[Guess]) -> list[Receipt | None]:
    """What actions of one namespace that only create led to, committed in one statement, and the book is turned.

    None for one that is to go on alone, or the long way: nothing of it is written yet, or its guess says what was sent.
    """
    book = guesses[0].book
    before = book.ledger
    if before is None:
        return [None] * len(guesses)
    statement = _Statement(session, before)
    receipts = [statement.take(guess.changes) for guess in guesses]
    taken = [
        (guess, guess.sent, receipt) for guess, receipt in zip(guesses, receipts, strict=True) if receipt
    ]
    for guess, _, receipt in taken:
        guess.sent = Sent(statement.ledger, receipt)
    if not taken or not _done(session, statement.parameters):
        for guess, lost, _ in taken:
            guess.sent = lost
        return [None] * len(guesses)
    book.turn(before, statement.ledger)
    return receipts


def _done(session: Session, given: dict[str, Any]) -> bool:
    try:
        return bool(session.run("write/create-action", **given))
    except (ConstraintError, CypherTypeError, *UNREADABLE):
        return False


class _Statement:
    """Actions that are committed together. ledger: what the last of them leaves."""

    def __init__(self, session: Session, ledger: Ledger) -> None:
        self._session, self.ledger = session, ledger
        self._new: set[tuple[str, str]] = set()
        self.parameters: dict[str, Any] = {
            "namespace": ledger.namespace,
            "attempt": new_attempt(),
            "version": len(MIGRATIONS),
            "before": properties(ledger),
        }

    def take(self, changes: Changes) -> Receipt | None:
        """What an action leads to; None when it is left out: it is refused, or rests on one that was taken."""
        new = _new(changes)
        if not self._new.isdisjoint(new.union(("id", edge.to_id) for edge in changes.edges)):
            return None
        ledger = copied(self.ledger)
        try:
            receipt, given = _prepared(self._session, changes, ledger)
        except (GraphmemError, *UNREADABLE):
            return None
        self._new |= new
        self.ledger = ledger
        for name, value in given.items():
            rows = self.parameters.get(name, [])
            self.parameters[name] = value if name == "ledger" else rows + value
        return receipt


def _new(changes: Changes) -> set[tuple[str, str]]:
    """What an action claims to be the first to name."""
    named = {("id", memory.id) for memory in changes.create}
    named |= {("key", request.key) for request in changes.requests}
    return named | {("job", job.id) for job in changes.jobs}


def _prepared(session: Session, changes: Changes, ledger: Ledger) -> tuple[Receipt, dict[str, Any]]:
    """What the action leads to, and its part of the statement; the ledger is moved on."""
    action = Action(session, ledger, receipts={}, stored={}, joined={}, jobs={})
    check_parameters(changes, ledger.parameters_version)
    applying.create(action, changes.create)
    ends = edges.join_unseen(action, changes.edges)
    for job in changes.jobs:
        jobs.enqueue(action, job)
    receipt = applying.keep_receipts(action, changes)
    ledger.revision = action.revision
    caused_by = action.relationships.get(EdgeKind.CAUSED_BY, [])
    return receipt, {
        "ends": ends,
        "memories": action.nodes,
        "caused_by": caused_by,
        **beside_graph(action),
    }
