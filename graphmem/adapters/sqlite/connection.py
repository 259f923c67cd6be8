"""Connections to the file: one writing thread, a pool of readers, and SQLite's errors as ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from graphmem.adapters.sqlite.migrations import check_ours, check_version
from graphmem.domain.errors import BadInputError, UnavailableError

_T = TypeVar("_T")

RETRY = "retry with the same key"
_REMEDIES = {
    sqlite3.SQLITE_CORRUPT: "restore the file from a copy",
    sqlite3.SQLITE_FULL: f"make room on the disk, then {RETRY}",
    sqlite3.SQLITE_READONLY: f"make the file and its folder writable, then {RETRY}",
}

_WRITER_SETTINGS = ("PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON")
_READER_SETTINGS = ("PRAGMA query_only = ON",)
_BEGIN_WRITING = "BEGIN IMMEDIATE"
_BEGIN_READING = "BEGIN"
_COMMIT = "COMMIT"
_ROLLBACK = "ROLLBACK"
_EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"


@contextmanager
def as_ours() -> Iterator[None]:
    """Turn what SQLite says into BadInputError or UnavailableError; mistakes of ours stay what they are."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise BadInputError("contains half a surrogate pair", remedy="send valid Unicode") from error
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        if code == sqlite3.SQLITE_ERROR:
            raise
        if code == sqlite3.SQLITE_NOTADB:
            raise BadInputError(
                "the file is no database", field="store", remedy="name another file"
            ) from error
        raise UnavailableError(
            f"the store cannot answer: {error}", remedy=_REMEDIES.get(code, RETRY)
        ) from error


def closed() -> UnavailableError:
    """What a call after close() meets."""
    return UnavailableError("the store is closed", remedy=f"open it again and {RETRY}")


def make_file(path: Path) -> None:
    """Make the folder and an empty file, for nobody but their owner, where they are missing."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise UnavailableError(
            f"cannot open {path}: {error.strerror}",
            field="store",
            remedy="check the path and its permissions",
        ) from error


def _connect(path: Path, timeout_s: float, settings: tuple[str, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    try:
        for setting in settings:
            connection.execute(setting)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _leave_transaction(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute(_ROLLBACK)


class Writer:
    """The only writing connection of this process. Actions run one by one, in the order they came."""

    def __init__(self, path: Path, busy_timeout_s: float) -> None:
        self._path = path
        self._log_holds_erased_text = False
        with as_ours():
            self._connection = _connect(path, busy_timeout_s, _WRITER_SETTINGS)
            try:
                check_ours(self._connection)
            except (BadInputError, sqlite3.DatabaseError):
                self._connection.close()
                raise
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphmem-sqlite-writer")

    def run(self, action: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run the action on the writing connection, outside any transaction."""
        try:
            future = self._thread.submit(action, self._connection)
        except RuntimeError as error:
            raise closed() from error
        with as_ours():
            return future.result()

    def transaction(self, action: Callable[[sqlite3.Connection], _T], *, erases: bool = False) -> _T:
        """Commit all that the action writes, or nothing when it raises.

        erases: its old text must not outlive it in the write-ahead log.
        """
        return self.run(lambda connection: self._commit(connection, action, erases))

    def _commit(
        self, connection: sqlite3.Connection, action: Callable[[sqlite3.Connection], _T], erases: bool
    ) -> _T:
        _leave_transaction(connection)
        try:
            connection.execute(_BEGIN_WRITING)
            check_version(connection)
            result = action(connection)
            connection.execute(_COMMIT)
        finally:
            _leave_transaction(connection)
        if erases or self._log_holds_erased_text:
            self._log_holds_erased_text = not self._empty_log()
        return result

    def _empty_log(self) -> bool:
        """Move the log into the file, unless somebody reads: then the next action tries again."""
        try:
            with closing(_connect(self._path, 0, _WRITER_SETTINGS)) as connection:
                (busy, _, _) = connection.execute(_EMPTY_LOG).fetchone()
        except sqlite3.OperationalError:
            return False
        return not busy

    def close(self) -> None:
        """Finish what waits, then close the connection."""
        try:
            self._thread.submit(self._connection.close)
        except RuntimeError:
            return
        self._thread.shutdown()


class Readers:
    """Reading connections: as many as there are readers at one time, kept for the next ones."""

    def __init__(self, path: Path, busy_timeout_s: float) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection on which all statements see the store as of one commit."""
        with as_ours():
            connection = self._borrow()
            try:
                connection.execute(_BEGIN_READING)
                check_version(connection)
                yield connection
            finally:
                _leave_transaction(connection)
                self._give_back(connection)

    def _borrow(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise closed()
            if self._idle:
                return self._idle.pop()
        return _connect(self._path, self._busy_timeout_s, _READER_SETTINGS)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close what is idle; what is in use is closed by its reader."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
