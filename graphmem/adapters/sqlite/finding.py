"""Memories by what they are, in pages ordered by (occurred_at, id)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from graphmem.adapters.sqlite import paging
from graphmem.adapters.sqlite.memories import filled
from graphmem.adapters.sqlite.rows import listed, micros
from graphmem.domain.memories import Memory
from graphmem.ports.queries import Page, PageRequest, Selection

_FIND = "SELECT id, occurred_at, revision, digest, body FROM memories WHERE namespace = :namespace"
_CONDITIONS: tuple[tuple[str, str, Callable[..., str | int]], ...] = (
    ("kinds", " AND kind IN (SELECT value FROM json_each(:kinds))", listed),
    ("results", " AND result IN (SELECT value FROM json_each(:results))", listed),
    ("states", " AND state IN (SELECT value FROM json_each(:states))", listed),
    ("session_id", " AND session_id <> '' AND session_id = :session_id", str),
    ("task_id", " AND task_id <> '' AND task_id = :task_id", str),
    ("task_type", " AND task_type = :task_type", str),
    ("tool", " AND tool = :tool", str),
    ("agent", " AND agent = :agent", str),
    ("error_type", " AND error_type = :error_type", str),
    ("tag", " AND id IN (SELECT memory_id FROM tags WHERE namespace = :namespace AND tag = :tag)", str),
    ("occurred_from", " AND occurred_at >= :occurred_from", lambda value: micros("occurred_from", value)),
    ("occurred_to", " AND occurred_at < :occurred_to", lambda value: micros("occurred_to", value)),
)
"""Part of a Selection, what it asks of a row, and how its value becomes the parameter."""

_AFTER = {
    False: " AND (occurred_at, id) < (:after_at, :after_id)",
    True: " AND (occurred_at, id) > (:after_at, :after_id)",
}
_ORDER = {
    False: " ORDER BY occurred_at DESC, id DESC LIMIT :limit",
    True: " ORDER BY occurred_at, id LIMIT :limit",
}
"""By whether the page is ascending."""
_LIST = "memories"


def find(
    connection: sqlite3.Connection,
    namespace: str,
    selection: Selection,
    page: PageRequest,
    *,
    vectors: bool,
) -> Page[Memory]:
    """One page of the memories that fulfil every part of the selection."""
    place = paging.start(page, _LIST, ids=1)
    statement = _FIND
    parameters: dict[str, str | int] = {"namespace": namespace, "limit": page.first + 1}
    for part, condition, parameter in _CONDITIONS:
        if wanted := getattr(selection, part):
            statement += condition
            parameters[part] = parameter(wanted)
    if place:
        statement += _AFTER[page.ascending]
        parameters |= dict(zip(("after_at", "after_id"), place, strict=True))
    rows = connection.execute(statement + _ORDER[page.ascending], parameters).fetchall()
    found = filled(connection, namespace, rows, vectors=vectors)
    placed = [((at, id), found[id].memory if id in found else None) for id, at, *_ in rows]
    return paging.cut(placed, page, _LIST)
