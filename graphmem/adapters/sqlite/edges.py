"""Rows of edges: merged when written, read by their ends or by their owner."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphmem.adapters.sqlite import memories, paging
from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import fault, listed, micros, readable, signed, storable, unsigned
from graphmem.domain.causation import CauseEdge, Edge, EdgeKind, End, check_ends, merge_edges
from graphmem.domain.encoding import edge_digest, edge_from_json, edge_json, shortened
from graphmem.domain.errors import NotFoundError
from graphmem.domain.memories import Memory
from graphmem.ports.queries import Damage, Direction, EdgeSelection, Page, PageRequest

_LOAD = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges
WHERE namespace = ? AND from_id = ? AND to_id = ? AND kind = ?
"""
_PUT = """
INSERT INTO edges (namespace, from_id, to_id, kind, owner_id, recorded_at, digest, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, from_id, to_id, kind) DO UPDATE SET
    recorded_at = excluded.recorded_at, digest = excluded.digest, body = excluded.body
"""
_OWNED = """
SELECT recorded_at, from_id, to_id, digest, body, owner_id FROM edges
WHERE namespace = ? AND owner_id IN (SELECT value FROM json_each(?)) ORDER BY owner_id, from_id, to_id
"""
_TO_CAUSES = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges
WHERE namespace = ? AND from_id IN (SELECT value FROM json_each(?)) AND kind = 'CAUSED_BY'
ORDER BY from_id, to_id
"""
_TO_EFFECTS = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges
WHERE namespace = ? AND to_id IN (SELECT value FROM json_each(?)) AND kind = 'CAUSED_BY'
ORDER BY to_id, from_id
"""
_PAGE = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges
WHERE namespace = ? AND kind IN (SELECT value FROM json_each(?))
AND (recorded_at, from_id, to_id) > (?, ?, ?) ORDER BY recorded_at, from_id, to_id LIMIT ?
"""
# INDEXED BY: the few edges of the ids are sorted, instead of all edges looked through in order of time.
_PAGE_FROM = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges INDEXED BY edges_from
WHERE namespace = ? AND kind IN (SELECT value FROM json_each(?))
AND from_id IN (SELECT value FROM json_each(?))
AND (recorded_at, from_id, to_id) > (?, ?, ?) ORDER BY recorded_at, from_id, to_id LIMIT ?
"""
_PAGE_TO = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges INDEXED BY edges_to
WHERE namespace = ? AND kind IN (SELECT value FROM json_each(?))
AND to_id IN (SELECT value FROM json_each(?))
AND (recorded_at, from_id, to_id) > (?, ?, ?) ORDER BY recorded_at, from_id, to_id LIMIT ?
"""
_PAGE_BETWEEN = """
SELECT recorded_at, from_id, to_id, digest, body FROM edges INDEXED BY edges_from
WHERE namespace = ? AND kind IN (SELECT value FROM json_each(?))
AND from_id IN (SELECT value FROM json_each(?)) AND to_id IN (SELECT value FROM json_each(?))
AND (recorded_at, from_id, to_id) > (?, ?, ?) ORDER BY recorded_at, from_id, to_id LIMIT ?
"""
_PAGES = {
    (False, False): _PAGE,
    (True, False): _PAGE_FROM,
    (False, True): _PAGE_TO,
    (True, True): _PAGE_BETWEEN,
}
"""The statement by whether from_ids and to_ids are given."""
_ALL = """
SELECT edges.recorded_at, from_id, to_id, edges.digest, edges.body, edges.kind,
       coalesce(nullif(source.ref, ''), from_id), coalesce(nullif(target.ref, ''), to_id)
FROM edges
LEFT JOIN memories AS source ON source.namespace = edges.namespace AND source.id = from_id
LEFT JOIN memories AS target ON target.namespace = edges.namespace AND target.id = to_id
WHERE edges.namespace = ? ORDER BY from_id, to_id, edges.kind
"""
_LIST = "edges"


class Owned(NamedTuple):
    """An edge and the digest of its row."""

    edge: Edge
    digest: int


def join(action: Action, written: Sequence[Edge]) -> None:
    """Write edges over what is there, adding up evidence and verdicts."""
    _check_ends(action, written)
    for edge in written:
        old = _load(action, edge)
        _put(action, merge_edges(old.edge if old else None, edge), old)


def overwrite(action: Action, written: Sequence[Edge]) -> None:
    """Write edges as they are; what is there already, equal to the last bit, is left alone."""
    _check_ends(action, written)
    for edge in written:
        old = _load(action, edge)
        if old is None or old.digest != edge_digest(edge):
            _put(action, edge, old)


def _check_ends(action: Action, written: Sequence[Edge]) -> None:
    ids = {id for edge in written for id in (edge.from_id, edge.to_id)} - action.written.keys()
    ends: dict[str, Memory | End] = {
        **action.written,
        **memories.ends(action.connection, action.namespace, ids),
    }
    for edge in written:
        check_ends(edge.kind, _end(ends, "from_id", edge.from_id), _end(ends, "to_id", edge.to_id))


def _end(ends: Mapping[str, Memory | End], field: str, id: str) -> Memory | End:
    if id not in ends:
        raise NotFoundError(f"no memory {id} in this namespace", field=field, remedy="check the id")
    return ends[id]


def _load(action: Action, edge: Edge) -> Owned | None:
    place = action.namespace, edge.from_id, edge.to_id, edge.kind
    row = action.connection.execute(_LOAD, place).fetchone()
    return None if row is None else readable(_owned, row)


def _put(action: Action, edge: Edge, old: Owned | None) -> None:
    with storable("edge"):
        body = edge_json(edge)
        digest = edge_digest(edge, body)
        place = action.namespace, edge.from_id, edge.to_id, edge.kind, edge.owner_id
        recorded_at = micros("recorded_at", edge.recorded_at)
        action.connection.execute(_PUT, (*place, recorded_at, signed(digest), body))
    if old is not None:
        action.ledger.count_edge(edge.kind, old.digest, times=-1)
    action.ledger.count_edge(edge.kind, digest)
    action.touched.add(edge.owner_id)
    if edge.kind is EdgeKind.GENERALIZES:
        action.patterns.add(edge.from_id)


def owned(connection: sqlite3.Connection, namespace: str, ids: Iterable[str]) -> dict[str, list[Owned]]:
    """The edges that the memories own, by owner."""
    edges: defaultdict[str, list[Owned]] = defaultdict(list)
    for *row, owner_id in connection.execute(_OWNED, (namespace, listed(ids))):
        if item := readable(_owned, row):
            edges[owner_id].append(item)
    return edges


def _owned(row: Sequence[Any]) -> Owned:
    """The edge of a row. Raises what readable() and fault() know."""
    _, from_id, to_id, digest, body = row
    edge = edge_from_json(body)
    if (edge.from_id, edge.to_id) != (from_id, to_id):
        raise ValueError(f"its ends are {shortened(edge.from_id)} and {shortened(edge.to_id)}")
    return Owned(edge, unsigned(digest))


def damaged(connection: sqlite3.Connection, namespace: str) -> Iterator[Damage]:
    """The edges whose rows cannot be read."""
    for *row, kind, effect, cause in connection.execute(_ALL, (namespace,)):
        if why := fault(_owned, row):
            yield Damage(name=f"{effect} {kind} {cause}", why=why)


def expand(
    connection: sqlite3.Connection, namespace: str, frontier: Sequence[str], direction: Direction
) -> list[CauseEdge]:
    """Cause edges one hop away from the frontier."""
    statement = _TO_CAUSES if direction is Direction.CAUSES else _TO_EFFECTS
    rows = connection.execute(statement, (namespace, listed(frontier)))
    return [item.edge for row in rows if (item := readable(_owned, row)) and isinstance(item.edge, CauseEdge)]


def find(
    connection: sqlite3.Connection, namespace: str, selection: EdgeSelection, page: PageRequest
) -> Page[Edge]:
    """One page of the edges that fulfil the selection, oldest first."""
    place = paging.start(page, _LIST, ids=2) or (paging.BEFORE_ALL, "", "")
    ends = [listed(ids) for ids in (selection.from_ids, selection.to_ids) if ids]
    statement = _PAGES[bool(selection.from_ids), bool(selection.to_ids)]
    kinds = listed(selection.kinds or EdgeKind)
    rows = connection.execute(statement, (namespace, kinds, *ends, *place, page.first + 1))
    placed = [(row[:3], readable(_owned, row)) for row in rows]
    return paging.cut([(place, item and item.edge) for place, item in placed], page, _LIST)
