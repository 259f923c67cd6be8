"""Which file is a store of ours, of which version, and how it comes up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.ports.queries import SchemaReport

MIGRATIONS = ("schema.sql",)
"""Scripts of this package; the n-th one brings a file from version n - 1 to n and sets user_version."""

_APPLICATION_ID = int.from_bytes(b"grmm", "big")
_READ_APPLICATION_ID = "PRAGMA application_id"
_READ_VERSION = "PRAGMA user_version"
_COUNT_TABLES = "SELECT count(*) FROM sqlite_master"
_USE_WAL = "PRAGMA journal_mode = WAL"
_BEGIN = "BEGIN IMMEDIATE"
_COMMIT = "COMMIT"
_ROLLBACK = "ROLLBACK"


def migrate(connection: sqlite3.Connection) -> SchemaReport:
    """Run the scripts that the file has not seen, all of them or none.

    Raises BadInputError for a file that is not ours or of a newer version.
    """
    check_ours(connection)
    if _number(connection, _READ_VERSION) == len(MIGRATIONS):
        return SchemaReport(version=len(MIGRATIONS))
    (mode,) = connection.execute(_USE_WAL).fetchone()
    if mode != "wal":
        raise UnavailableError(
            "the disk has no shared memory for a write-ahead log", remedy="use a local disk"
        )
    try:
        connection.execute(_BEGIN)
        version = _number(connection, _READ_VERSION)
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(_COMMIT)
    finally:
        if connection.in_transaction:
            connection.execute(_ROLLBACK)
    return SchemaReport(version=len(MIGRATIONS), applied=tuple(range(version + 1, len(MIGRATIONS) + 1)))


def check_ours(connection: sqlite3.Connection) -> None:
    """Accept an empty file and a store of this or an older version.

    Raises BadInputError for any other file; it is left as it is.
    """
    # Asked before the mark: whoever makes the tables at this moment makes the mark in the same transaction.
    used = _number(connection, _COUNT_TABLES) or _number(connection, _READ_VERSION)
    if _number(connection, _READ_APPLICATION_ID) == _APPLICATION_ID:
        _refuse_newer(_number(connection, _READ_VERSION))
    elif used:
        raise BadInputError(
            "the file is a database of something else", field="store", remedy="name another file"
        )


def check_version(connection: sqlite3.Connection) -> None:
    """Refuse to work on a file whose version is not the one that this code knows.

    Raises UnavailableError for an older file, BadInputError for a newer one.
    """
    version = _number(connection, _READ_VERSION)
    _refuse_newer(version)
    if version < len(MIGRATIONS):
        raise UnavailableError(
            f"the store has schema version {version}, not {len(MIGRATIONS)}", remedy="migrate it first"
        )


def _refuse_newer(version: int) -> None:
    if version > len(MIGRATIONS):
        raise BadInputError(
            f"the store has schema version {version}, this graphmem knows up to {len(MIGRATIONS)}",
            field="store",
            remedy="upgrade graphmem",
        )


def _number(connection: sqlite3.Connection, statement: str) -> int:
    (value,) = connection.execute(statement).fetchone()
    return int(value)


def _statements(script: str) -> Iterator[str]:
    lines: list[str] = []
    for line in files(__package__).joinpath(script).read_text(encoding="utf-8").splitlines():
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            yield "\n".join(lines)
            lines.clear()
