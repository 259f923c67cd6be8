"""Removal of memories with everything that is theirs; what is left behind is a tombstone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.relationships import owned_from
from graphmem.adapters.neo4j.values import instant, unsigned
from graphmem.domain.causation import EdgeKind


def erase(action: Action, ids: Sequence[str], at: datetime) -> None:
    """Remove memories with vectors, edges, records but AUDIT, requests and jobs; ignore unknown ids."""
    doomed = sorted({id for id in ids if id in action.stored})
    if not doomed:
        return
    _erase_edges(action, doomed)
    for row in action.session.run("write/erase-records", namespace=action.namespace, ids=doomed):
        action.ledger.count_record(unsigned(row["digest"]), times=-1)
    for id in doomed:
        memory, digest = action.stored[id]
        action.ledger.count_memory(memory, digest, times=-1)
    action.session.run(
        "write/erase-memories",
        namespace=action.namespace,
        ids=doomed,
        revision=action.revision,
        at=instant("at", at),
    )
    action.erased = frozenset(doomed)
    action.jobs = {id: job for id, job in action.jobs.items() if job.subject not in action.erased}


def _erase_edges(action: Action, doomed: Sequence[str]) -> None:
    for row in action.session.run("write/erase-edges", namespace=action.namespace, ids=doomed):
        item = owned_from(row)
        if item is None:
            continue
        action.ledger.count_edge(item.edge.kind, item.digest, times=-1)
        action.touched.add(item.edge.owner_id)
        if item.edge.kind is EdgeKind.GENERALIZES:
            action.patterns.add(item.edge.from_id)
