"""Books that a hand edit put out of balance, set to what is there."""

from __future__ import annotations

from graphmem.adapters.neo4j import saving
from graphmem.adapters.neo4j.action import open_action
from graphmem.adapters.neo4j.server import Session
from graphmem.ports.queries import NamespaceState


def correct(session: Session, held: NamespaceState) -> bool:
    """Write counts and graph digest into the namespace's node, while it is at the revision of the state."""
    action = open_action(session, held.namespace)
    taken = action.ledger.correct(held)
    if taken:
        saving.save(action)
    return taken
