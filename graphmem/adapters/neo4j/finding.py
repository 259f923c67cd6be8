"""Memories by what they are, in pages ordered by (occurred_at, id)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from graphmem.adapters.neo4j import paging
from graphmem.adapters.neo4j.properties import stored_from
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.values import EARLIEST, LATEST, instant
from graphmem.domain.memories import Memory
from graphmem.ports.queries import Page, PageRequest, Selection

_LIST = "memories"
_AFTER_ALL = "\U0010ffff"


def find(
    session: Session, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool
) -> Page[Memory]:
    """One page of the memories that fulfil every part of the selection."""
    first = (EARLIEST, "") if page.ascending else (LATEST, _AFTER_ALL)
    at, id = paging.start(page, _LIST, ids=1) or first
    asked = _asked(selection) | {"namespace": namespace, "limit": page.first + 1}
    asked |= {"after_at": at, "after_id": id, "vectors": vectors}
    if selection.session_id or selection.task_id:
        own = {"session_id": selection.session_id or None, "task_id": selection.task_id or None}
        name = "read/memories-of-session" if selection.session_id else "read/memories-of-task"
        rows = session.rows(name, **asked, **own, ascending=page.ascending)
    else:
        rows = session.rows("read/memories-oldest" if page.ascending else "read/memories-newest", **asked)
    found = [(paging.place(row["at"], row["id"]), stored_from(row["memory"])) for row in rows]
    return paging.cut([(place, item and item.memory) for place, item in found], page, _LIST)


def _asked(selection: Selection) -> dict[str, Any]:
    """The parts of a selection as parameters; None asks for nothing."""
    start, end = selection.occurred_from, selection.occurred_to
    return {
        "kinds": _values(selection.kinds),
        "results": _values(selection.results),
        "states": _values(selection.states),
        "task_type": selection.task_type or None,
        "tool": selection.tool or None,
        "agent": selection.agent or None,
        "error_type": selection.error_type or None,
        "tag": selection.tag or None,
        "occurred_from": instant("occurred_from", start) if start else EARLIEST,
        "occurred_to": instant("occurred_to", end) if end else None,
    }


def _values(names: Sequence[Enum]) -> list[str] | None:
    return [name.value for name in names] or None
