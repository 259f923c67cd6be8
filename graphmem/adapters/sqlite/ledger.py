"""The row of a namespace: read before an action, saved after it."""

from __future__ import annotations

import json
import sqlite3

from graphmem.adapters.sqlite.rows import signed
from graphmem.domain.encoding import canonical
from graphmem.ports.ledger import Ledger

_LOAD = """
SELECT revision, parameters_version, digest, graph_digest, counts, refs FROM namespaces WHERE name = ?
"""
_SAVE = """
INSERT INTO namespaces (revision, parameters_version, digest, graph_digest, counts, refs, name)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET
    revision = excluded.revision, parameters_version = excluded.parameters_version,
    digest = excluded.digest, graph_digest = excluded.graph_digest,
    counts = excluded.counts, refs = excluded.refs
"""
_REVISIONS = "SELECT name, revision FROM namespaces ORDER BY name"


def load(connection: sqlite3.Connection, namespace: str) -> Ledger:
    """Where a namespace stands; all zero when it was never written to."""
    row = connection.execute(_LOAD, (namespace,)).fetchone()
    if row is None:
        return Ledger(namespace)
    revision, parameters_version, digest, graph_digest, counts, refs = row
    counted = json.loads(counts), json.loads(refs)
    return Ledger(namespace, revision, parameters_version, digest, graph_digest, *counted)


def save(connection: sqlite3.Connection, ledger: Ledger) -> None:
    """Write the row."""
    sums = signed(ledger.digest), signed(ledger.graph_digest)
    counted = canonical(ledger.counts), canonical(ledger.refs)
    row = ledger.revision, ledger.parameters_version, *sums, *counted, ledger.namespace
    connection.execute(_SAVE, row)


def revisions(connection: sqlite3.Connection) -> dict[str, int]:
    """The namespaces that were written to, sorted, each with its revision."""
    return dict(connection.execute(_REVISIONS))
