"""Removal of memories with everything that is theirs; what is left behind is a tombstone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.adapters.sqlite import jobs, memories, records, requests
from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import listed, unsigned
from graphmem.domain.causation import EdgeKind

_EDGES_OF = """
SELECT kind, from_id, to_id, owner_id, digest FROM edges
WHERE namespace = ?1 AND from_id IN (SELECT value FROM json_each(?2))
UNION
SELECT kind, from_id, to_id, owner_id, digest FROM edges
WHERE namespace = ?1 AND to_id IN (SELECT value FROM json_each(?2))
"""
_DROP_EDGES_FROM = "DELETE FROM edges WHERE namespace = ? AND from_id IN (SELECT value FROM json_each(?))"
_DROP_EDGES_TO = "DELETE FROM edges WHERE namespace = ? AND to_id IN (SELECT value FROM json_each(?))"
_DROP_MEMORIES = "DELETE FROM memories WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))"
_PUT_TOMBSTONE = """
INSERT INTO tombstones (namespace, id, revision) VALUES (?, ?, ?)
ON CONFLICT (namespace, id) DO UPDATE SET revision = excluded.revision
"""


def erase(action: Action, ids: Sequence[str], at: datetime) -> None:
    """Remove memories with vectors, edges, records but AUDIT, requests and jobs; ignore unknown ids."""
    doomed = memories.load(action.connection, action.namespace, ids) if ids else {}
    if not doomed:
        return
    _drop_edges(action, listed(doomed))
    records.drop_about(action, doomed)
    jobs.drop_about(action, doomed)
    requests.erase_of(action, doomed, at)
    for memory, digest in doomed.values():
        action.ledger.count_memory(memory, digest, times=-1)
    action.connection.execute(_DROP_MEMORIES, (action.namespace, listed(doomed)))
    graves = [(action.namespace, id, action.revision) for id in doomed]
    action.connection.executemany(_PUT_TOMBSTONE, graves)
    action.erased = frozenset(doomed)


def _drop_edges(action: Action, ids: str) -> None:
    for kind, from_id, _, owner_id, digest in action.connection.execute(_EDGES_OF, (action.namespace, ids)):
        action.ledger.count_edge(EdgeKind(kind), unsigned(digest), times=-1)
        action.touched.add(owner_id)
        if kind == EdgeKind.GENERALIZES:
            action.patterns.add(from_id)
    action.connection.execute(_DROP_EDGES_FROM, (action.namespace, ids))
    action.connection.execute(_DROP_EDGES_TO, (action.namespace, ids))
