"""Stores whose statements can be made to fail one by one; each store brings its own way to do so."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.ports.store import MemoryStore
from tests.contract.neo4j_places import NEO4J, open_neo4j_faults


class Faults(Protocol):
    """An open store, and a switch that breaks one of its next statements."""

    @property
    def store(self) -> MemoryStore:
        """The store."""
        ...

    @property
    def fired(self) -> bool:
        """Whether the fault was met since arm()."""
        ...

    @property
    def committed(self) -> bool:
        """Whether a transaction was committed since arm()."""
        ...

    def arm(self, nth: int, *, after: bool) -> None:
        """Let the nth statement from now on fail, before it does anything or after it has done it."""
        ...


class SqliteFaults:
    """Counts the statements of every connection that is opened while it is in place."""

    def __init__(self) -> None:
        self.store: MemoryStore
        self.fired = self.committed = self._after = False
        self._left = 0

    def arm(self, nth: int, *, after: bool) -> None:
        """Let the nth statement from now on fail."""
        self.fired = self.committed = False
        self._left, self._after = nth, after

    def run(self, sql: str, statement: Callable[[], Any]) -> Any:
        """Run a statement, unless it is the one that fails."""
        self._left -= 1
        here = self._left == 0
        self.fired |= here
        if here and not self._after:
            raise _disk_error()
        result = statement()
        self.committed |= sql.strip().upper().startswith("COMMIT")
        if here:
            raise _disk_error()
        return result


def _disk_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    error.sqlite_errorname = "SQLITE_IOERR"
    return error


@contextmanager
def sqlite_faults(place: Path) -> Iterator[Faults]:
    """A SQLite store over connections whose cursors ask before each statement."""
    faults, connect = SqliteFaults(), sqlite3.connect

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return faults.run(sql, lambda: super(Cursor, self).execute(sql, *values))

        def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return faults.run(sql, lambda: super(Cursor, self).executemany(sql, *values))

    class Connection(sqlite3.Connection):
        def cursor(self, factory: type = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return self.cursor().execute(sql, *values)

        def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return self.cursor().executemany(sql, *values)

        def commit(self) -> None:
            faults.run("COMMIT", super().commit)

    def breakable(*values: Any, **options: Any) -> sqlite3.Connection:
        return connect(*values, **(options | {"factory": Connection}))

    with mock.patch.object(sqlite3, "connect", breakable):
        faults.store = SqliteStore(place.with_suffix(".db"))
        faults.store.migrate()
        yield faults
        faults.store.close()


FAULTS: dict[str, Callable[[Path], AbstractContextManager[Faults]]] = {
    NEO4J: open_neo4j_faults,
    "sqlite": sqlite_faults,
}
