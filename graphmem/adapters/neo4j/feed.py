"""What changed after a cursor: memories with the edges they own, and tombstones of those erased.

A reader takes no lock, so it may see a namespace's new revision before all rows that carry it, or some rows of a
commit before the others. But commits of a namespace follow each other under its lock, which is given free when
a commit is applied, and a commit is of MOST actions at most. So whoever sees revision r knows that everything up to
r - MOST is there, and asks for no more. The rest is there when this process was told so by its own commit, or after
waiting for the lock once, which a reader does only when nothing else is left to read. Nothing is lost, and nothing is
read twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from graphmem.adapters.neo4j import ledger
from graphmem.adapters.neo4j.action import new_attempt
from graphmem.adapters.neo4j.grouping import MOST
from graphmem.adapters.neo4j.properties import stored_from
from graphmem.adapters.neo4j.relationships import Owned, owned_from
from graphmem.adapters.neo4j.server import Server, Session
from graphmem.domain.errors import BadInputError
from graphmem.ports.ledger import Ledger
from graphmem.ports.queries import ChangeFeed, Cursor, FeedRow

_WRAP = 2**64


class Settled:
    """Revisions up to which this process knows every row to be there, by namespace."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._revisions: dict[str, int] = {}

    def note(self, namespace: str, revision: int) -> None:
        """A commit that led to the revision, or one after it, is applied."""
        with self._lock:
            self._revisions[namespace] = max(revision, self._revisions.get(namespace, 0))

    def of(self, namespace: str) -> int:
        """The highest revision whose rows are known to be there."""
        with self._lock:
            return self._revisions.get(namespace, 0)

    def forget(self, namespace: str) -> None:
        """The namespace has another history than before, as after a restored backup."""
        with self._lock:
            self._revisions.pop(namespace, None)


def changes_since(server: Server, settled: Settled, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
    """At most limit rows and tombstones after the cursor, in order of (revision, id)."""
    if limit < 1:
        raise BadInputError("must be at least 1", field="limit", remedy="e.g. 1000")
    known, deadline = settled.of(namespace), server.deadline()
    book = server.read(lambda session: ledger.load(session, namespace), deadline=deadline)
    if book.revision < known:
        settled.forget(namespace)
    if after.revision > book.revision:
        return ChangeFeed(
            rows=(),
            tombstones=(),
            next=Cursor(),
            complete=False,
            reset=True,
            parameters_version=book.parameters_version,
        )
    upto = book.revision
    if known != upto and not _seen(upto, after):
        upto = _settle(server, settled, book, after, deadline)
    asked = {"namespace": namespace, "after": after.revision, "after_id": after.id}
    asked |= {"upto": upto, "limit": limit + 1}
    later = server.read(lambda session: session.rows("read/changes", **asked), deadline=deadline)
    shown, whole = later[:limit], len(later) <= limit
    rows = [_row(item["memory"], item["edges"]) for item in shown if item["memory"] is not None]
    return ChangeFeed(
        rows=tuple(row for row in rows if row is not None),
        tombstones=tuple(item["id"] for item in shown if item["memory"] is None),
        next=_next(shown, after) if not whole else max(_next(shown, after), _end(upto, book)),
        complete=whole and upto == book.revision,
        parameters_version=book.parameters_version,
    )


def _settle(server: Server, settled: Settled, book: Ledger, after: Cursor, deadline: float) -> int:
    """Up to which revision all rows are there: the one before the last commit while that is news, else the last one."""
    before = book.revision - MOST
    if before > 0 and not _seen(before, after):
        return before
    server.write(lambda session: _wait_for_commits(session, book.namespace), commit=False, deadline=deadline)
    settled.note(book.namespace, book.revision)
    return book.revision


def _end(upto: int, book: Ledger) -> Cursor:
    return Cursor(min(upto + 1, book.revision))


def _next(shown: Sequence[Mapping[str, Any]], after: Cursor) -> Cursor:
    return (
        Cursor(shown[-1]["revision"], str(shown[-1]["id"])) if shown else after
    )  # a hand edit may leave a number


def _seen(revision: int, after: Cursor) -> bool:
    """Whether a reader at the cursor has begun to read this revision, so that it was all there, or a later one."""
    return (revision, "") < (after.revision, after.id)


def _wait_for_commits(session: Session, namespace: str) -> None:
    session.run("write/await-commits", namespace=namespace, attempt=new_attempt())


def _row(memory: dict[str, Any], edges: list[dict[str, Any]]) -> FeedRow | None:
    stored = stored_from(memory)
    if stored is None:
        return None
    owned = [item for item in map(owned_from, edges) if item is not None]
    owned.sort(key=lambda item: (item.edge.from_id, item.edge.to_id))
    return FeedRow(memory=stored.memory, edges=tuple(item.edge for item in owned), digest=_sum(stored, owned))


def _sum(stored: Any, owned: list[Owned]) -> int:
    return int(stored.digest + sum(item.digest for item in owned)) % _WRAP
