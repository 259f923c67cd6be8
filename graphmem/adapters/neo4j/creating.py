"""An ordinary write in one round trip: what only creates is said in one statement, which the server commits by itself.

It is built on the ledger that this process left, and written only if the server finds that ledger under the namespace's
lock, every key and id new, and every cause there. Where it does not, nothing is written, and the action goes the long
way, which says what is wrong. So the statement may be sent again when its answer is lost: what it did bars the second.
"""

from __future__ import annotations

from typing import Any

from neo4j.exceptions import ConstraintError

from graphmem.adapters.neo4j import applying, edges, jobs
from graphmem.adapters.neo4j.action import Action, new_attempt
from graphmem.adapters.neo4j.books import Guess, Sent
from graphmem.adapters.neo4j.ledger import properties
from graphmem.adapters.neo4j.saving import beside_graph
from graphmem.adapters.neo4j.server import Session
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


def create(session: Session, changes: Changes, guess: Guess) -> Receipt | None:
    """What a committed action that only creates led to, and the book is turned; None when it must go the long way."""
    before, ledger, lost = guess.book.ledger, guess.book.ledger, guess.sent
    if before is None or ledger is None:
        return None
    try:
        receipt, given = _prepared(session, changes, ledger)
    except GraphmemError:
        return None
    guess.sent = Sent(ledger, receipt)
    if not _done(session, given):
        guess.sent = lost
        return None
    guess.book.turn(before, ledger)
    return receipt


def _done(session: Session, given: dict[str, Any]) -> bool:
    try:
        return bool(session.run("write/create-action", **given))
    except ConstraintError:
        return False


def _prepared(session: Session, changes: Changes, ledger: Ledger) -> tuple[Receipt, dict[str, Any]]:
    """What the action leads to, and the parameters of the statement; the ledger is moved on."""
    before = properties(ledger)
    action = Action(session, ledger, receipts={}, stored={}, joined={}, jobs={})
    check_parameters(changes, ledger.parameters_version)
    applying.create(action, changes.create)
    ends = edges.join_unseen(action, changes.edges)
    for job in changes.jobs:
        jobs.enqueue(action, job)
    receipt = applying.keep_receipts(action, changes)
    ledger.revision = action.revision
    given = {
        "namespace": changes.namespace,
        "attempt": new_attempt(),
        "version": len(MIGRATIONS),
        "before": before,
        "ends": ends,
        "memories": action.nodes,
        "caused_by": action.relationships.get(EdgeKind.CAUSED_BY, []),
    }
    return receipt, given | beside_graph(action)
