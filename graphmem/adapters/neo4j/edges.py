"""Relationships between memories: merged when written, read by their ends, their time or their owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphmem.adapters.neo4j import paging
from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.relationships import EdgeKey, edge_properties, key_of, owned_from
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.values import EARLIEST
from graphmem.domain.causation import CauseEdge, Edge, EdgeKind, allowed_targets, check_ends, merge_edges
from graphmem.domain.encoding import edge_digest
from graphmem.domain.errors import NotFoundError
from graphmem.domain.memories import Memory
from graphmem.ports.queries import Direction, EdgeSelection, Page, PageRequest

_EXPAND = {Direction.CAUSES: "read/causes", Direction.EFFECTS: "read/effects"}
_LIST = "edges"


def join(action: Action, written: Sequence[Edge]) -> None:
    """Let the action write edges over what is there, adding up evidence and verdicts."""
    _check_ends(action, written)
    new: dict[EdgeKey, Edge] = {}
    for edge in written:
        key = key_of(edge)
        old = action.joined.get(key)
        new[key] = merge_edges(new.get(key) or (old.edge if old else None), edge)
    _put(action, new)


def join_unseen(action: Action, written: Sequence[Edge]) -> list[dict[str, Any]]:
    """Let the action write edges from memories that it creates; the ends not read, with the kinds that fit.

    Raises NotFoundError for an edge from another memory, BadInputError for ends that do not fit.
    """
    new: dict[EdgeKey, Edge] = {}
    ends: dict[str, dict[str, Any]] = {}
    for edge in written:
        source, target = _end(action.written, "from_id", edge.from_id), action.written.get(edge.to_id)
        if target is not None:
            check_ends(edge.kind, source, target)
        else:
            kinds = [kind.value for kind in allowed_targets(edge.kind, source.kind)]
            ends[edge.to_id] = {"id": edge.to_id, "kinds": kinds}
        new[key_of(edge)] = merge_edges(new.get(key_of(edge)), edge)
    _put(action, new)
    return list(ends.values())


def overwrite(action: Action, written: Sequence[Edge]) -> None:
    """Let the action write edges as they are; what is there already, equal to the last bit, is left alone."""
    _check_ends(action, written)
    new = {key_of(edge): edge for edge in written}
    old = {key: item.digest for key, item in action.joined.items()}
    _put(action, {key: edge for key, edge in new.items() if old.get(key) != edge_digest(edge)})


def _check_ends(action: Action, written: Sequence[Edge]) -> None:
    there = {id: item.memory for id, item in action.stored.items() if id not in action.erased}
    ends = there | action.written
    for edge in written:
        check_ends(edge.kind, _end(ends, "from_id", edge.from_id), _end(ends, "to_id", edge.to_id))


def _end(ends: Mapping[str, Memory], field: str, id: str) -> Memory:
    if id not in ends:
        raise NotFoundError(f"no memory {id} in this namespace", field=field, remedy="check the id")
    return ends[id]


def _put(action: Action, new: Mapping[EdgeKey, Edge]) -> None:
    for edge in new.values():
        action.relationships.setdefault(edge.kind, []).append(_row(action, edge))


def _row(action: Action, edge: Edge) -> dict[str, Any]:
    old = action.joined.get(key_of(edge))
    if old is not None:
        action.ledger.count_edge(edge.kind, old.digest, times=-1)
    properties = edge_properties(action.namespace, edge)
    action.ledger.count_edge(edge.kind, properties["digest"])
    action.touched.add(edge.owner_id)
    if edge.kind is EdgeKind.GENERALIZES:
        action.patterns.add(edge.from_id)
    return {"from_id": edge.from_id, "to_id": edge.to_id, "properties": properties}


def expand(
    session: Session, namespace: str, frontier: Sequence[str], direction: Direction
) -> list[CauseEdge]:
    """Cause edges one hop away from the frontier."""
    if not frontier:
        return []
    rows = session.rows(_EXPAND[direction], namespace=namespace, ids=sorted(set(frontier)))
    return [item.edge for item in map(owned_from, rows) if item and isinstance(item.edge, CauseEdge)]


def find(session: Session, namespace: str, selection: EdgeSelection, page: PageRequest) -> Page[Edge]:
    """One page of the edges that fulfil the selection, oldest first."""
    at, from_id, to_id = paging.start(page, _LIST, ids=2) or (EARLIEST, "", "")
    asked: dict[str, Any] = {
        "namespace": namespace,
        "kinds": [kind.value for kind in selection.kinds or EdgeKind],
        "after_at": at,
        "after_from": from_id,
        "after_to": to_id,
        "limit": page.first + 1,
    }
    ends = {"from_ids": list(selection.from_ids) or None, "to_ids": list(selection.to_ids) or None}
    if selection.from_ids:
        rows = session.run("read/edges-from", **asked, **ends)
    elif selection.to_ids:
        rows = session.run("read/edges-to", **asked, to_ids=ends["to_ids"])
    else:
        rows = session.run("read/edges", **asked)
    placed = [(paging.place(row["at"], row["from_id"], row["to_id"]), owned_from(row)) for row in rows]
    return paging.cut([(place, item and item.edge) for place, item in placed], page, _LIST)
