"""The least that a write can cost on each store: one transaction with the same bytes, and nothing checked.

On Neo4j the statement of data/bare_write.cypher under constraints of its own; on SQLite four rows in a file of its own
with the same journal and the same care for the disk.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from neo4j import Driver, GraphDatabase, ManagedTransaction

from graphmem.adapters.neo4j.properties import properties_of
from graphmem.domain.encoding import memory_json
from graphmem.domain.memories import Memory

Write = Callable[[Memory, Sequence[str]], None]
"""Writes a memory and its edges to the memories of these ids."""
STATEMENT = (Path(__file__).parent / "data" / "bare_write.cypher").read_text(encoding="utf-8")
UNIQUE = {"Bare": "id", "BareRequest": "key", "BareCounter": "namespace"}
"""The property of each label that a constraint of its own keeps unique."""
TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE counter (namespace TEXT PRIMARY KEY, revision INTEGER);
CREATE TABLE request (key TEXT PRIMARY KEY, id TEXT, revision INTEGER);
CREATE TABLE memory (id TEXT PRIMARY KEY, revision INTEGER, body TEXT, vectors BLOB);
CREATE TABLE edge (from_id TEXT, to_id TEXT, revision INTEGER, PRIMARY KEY (from_id, to_id));
INSERT INTO counter VALUES ('bare', 0);
"""


@contextmanager
def bare_neo4j(uri: str, login: tuple[str, str] | None, namespace: str) -> Iterator[Write]:
    """Bare writes into a server; what they leave carries labels of its own and is removed in the end."""
    with GraphDatabase.driver(uri, auth=login, notifications_min_severity="OFF") as driver:
        for label, name in UNIQUE.items():
            _do(
                driver,
                f"CREATE CONSTRAINT bare_{name} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{name} IS UNIQUE",
            )
        driver.execute_query("MERGE (c:BareCounter {namespace: $name}) SET c.revision = 0", name=namespace)

        def write(memory: Memory, causes: Sequence[str]) -> None:
            given = {
                "namespace": namespace,
                "attempt": secrets.token_hex(8),
                "key": memory.id,
                "id": memory.id,
                "properties": properties_of(memory, 0),
                "causes": list(causes),
            }

            def work(transaction: ManagedTransaction) -> None:
                transaction.run(STATEMENT, given).consume()

            with driver.session() as session:
                session.execute_write(work)

        try:
            yield write
        finally:
            driver.execute_query("MATCH (n:Bare|BareRequest|BareCounter) DETACH DELETE n")
            for name in UNIQUE.values():
                _do(driver, f"DROP CONSTRAINT bare_{name} IF EXISTS")


def _do(driver: Driver, statement: str) -> None:
    driver.execute_query(statement)


@contextmanager
def bare_sqlite(path: Path) -> Iterator[Write]:
    """Bare writes into a file: one connection, one writer at a time."""
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    connection.executescript(TABLES)
    lock = Lock()

    def write(memory: Memory, causes: Sequence[str]) -> None:
        body, vectors = memory_json(memory), b"".join(memory.vectors.values())
        with lock:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE counter SET revision = revision + 1")
            (revision,) = connection.execute("SELECT revision FROM counter").fetchone()
            connection.execute("INSERT INTO request VALUES (?, ?, ?)", (memory.id, memory.id, revision))
            connection.execute("INSERT INTO memory VALUES (?, ?, ?, ?)", (memory.id, revision, body, vectors))
            connection.executemany(
                "INSERT INTO edge VALUES (?, ?, ?)", [(memory.id, cause, revision) for cause in causes]
            )
            connection.execute("COMMIT")

    try:
        yield write
    finally:
        connection.close()
