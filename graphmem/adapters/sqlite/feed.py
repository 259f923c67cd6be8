"""What changed after a cursor: memories with the edges they own, and tombstones of those erased."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from graphmem.adapters.sqlite import edges, ledger
from graphmem.adapters.sqlite.memories import Stored, filled
from graphmem.domain.errors import BadInputError
from graphmem.ports.queries import ChangeFeed, Cursor, FeedRow

_CHANGED = """
SELECT id, occurred_at, revision, digest, body FROM memories
WHERE namespace = ? AND (revision, id) > (?, ?) ORDER BY revision, id LIMIT ?
"""
_ERASED = """
SELECT revision, id FROM tombstones
WHERE namespace = ? AND (revision, id) > (?, ?) ORDER BY revision, id LIMIT ?
"""
_WRAP = 2**64


def changes_since(connection: sqlite3.Connection, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
    """At most limit rows and tombstones after the cursor, in order of (revision, id)."""
    if limit < 1:
        raise BadInputError("must be at least 1", field="limit", remedy="e.g. 1000")
    book = ledger.load(connection, namespace)
    if after.revision > book.revision:
        return ChangeFeed(
            rows=(),
            tombstones=(),
            next=Cursor(),
            complete=False,
            reset=True,
            parameters_version=book.parameters_version,
        )
    asked = namespace, after.revision, after.id, limit + 1
    rows = connection.execute(_CHANGED, asked).fetchall()
    found = filled(connection, namespace, rows)
    by_place = {(revision, id): found.get(id) for id, _, revision, *_ in rows if isinstance(revision, int)}
    erased = set(connection.execute(_ERASED, asked))
    later = sorted(by_place.keys() | erased)
    shown = later[:limit]
    complete = len(later) == len(shown)
    place = Cursor(*shown[-1]) if shown else after
    return ChangeFeed(
        rows=_rows(connection, namespace, [item for place in shown if (item := by_place.get(place))]),
        tombstones=tuple(id for revision, id in shown if (revision, id) in erased),
        # What led to the last revision may have been removed by hand: it is reached all the same.
        next=max(place, Cursor(book.revision)) if complete else place,
        complete=complete,
        parameters_version=book.parameters_version,
    )


def _rows(connection: sqlite3.Connection, namespace: str, items: Iterable[Stored]) -> tuple[FeedRow, ...]:
    changed = list(items)
    owned = edges.owned(connection, namespace, [item.memory.id for item in changed])
    return tuple(_row(item, owned.get(item.memory.id, [])) for item in changed)


def _row(item: Stored, owned: list[edges.Owned]) -> FeedRow:
    return FeedRow(
        memory=item.memory,
        edges=tuple(edge for edge, _ in owned),
        digest=(item.digest + sum(digest for _, digest in owned)) % _WRAP,
    )
