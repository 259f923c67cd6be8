"""What an action collected goes to the server in one statement: at its end, and before patterns are counted."""

from __future__ import annotations

from typing import Any

from graphmem.adapters.neo4j import ledger, records
from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.service_nodes import erasure_properties, job_properties, request_properties
from graphmem.domain.causation import EdgeKind
from graphmem.domain.records import RecordKind


def send(action: Action) -> None:
    """Write the memories and edges collected so far, for what is to be read before the end."""
    if action.nodes or action.relationships:
        _run(action)


def save(action: Action) -> None:
    """Write all that is left: records, jobs and keys too, the revision and that of every owner of a touched edge."""
    records.put(action)
    owners, revision = sorted(action.owners), action.revision
    if action.moves:
        action.ledger.revision = revision
    erased = [item for item in action.kept if item.kind is RecordKind.ERASURE]
    _run(
        action,
        owners=owners,
        revision=revision,
        erasures=[erasure_properties(item) for item in erased],
        done=action.done,
        **beside_graph(action),
    )


def beside_graph(action: Action) -> dict[str, Any]:
    """The ledger, the keys and the jobs that an action leaves, as parameters."""
    keys = [item for item in action.kept if item.kind is RecordKind.REQUEST]
    return {
        "ledger": ledger.properties(action.ledger),
        "requests": [request_properties(action.namespace, item) for item in keys],
        "jobs": [job_properties(action.namespace, job) for job in action.enqueued.values()],
    }


def _run(action: Action, **last: Any) -> None:
    """Send memories and edges with what only the end knows; nothing of that kind unless given."""
    nothing: dict[str, Any] = {name: [] for name in ("owners", "requests", "erasures", "jobs", "done")}
    action.session.run(
        "write/save-action",
        namespace=action.namespace,
        memories=action.nodes,
        caused_by=action.relationships.get(EdgeKind.CAUSED_BY, []),
        generalizes=action.relationships.get(EdgeKind.GENERALIZES, []),
        supersedes=action.relationships.get(EdgeKind.SUPERSEDES, []),
        **({"ledger": {}, "revision": 0} | nothing | last),
    )
    action.nodes, action.relationships = [], {}
