"""The node of a namespace: read before an action, saved after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.values import UNREADABLE, parsed, signed
from graphmem.domain.encoding import canonical
from graphmem.ports.ledger import Ledger


def properties(ledger: Ledger) -> dict[str, Any]:
    """What the node is to hold."""
    return {
        "revision": ledger.revision,
        "parameters_version": ledger.parameters_version,
        "digest": signed(ledger.digest),
        "graph_digest": signed(ledger.graph_digest),
        "counts": canonical(ledger.counts),
        "refs": canonical(ledger.refs),
    }


def as_saved(ledger: Ledger) -> Ledger:
    """A copy of the ledger, as it is read again when it was saved."""
    return ledger_from(ledger.namespace, properties(ledger))


def ledger_from(namespace: str, properties: Mapping[str, Any] | None) -> Ledger:
    """Where a namespace stands, from its node; all zero without a node, and where one was just made."""
    held = properties or {}
    return Ledger(
        namespace,
        revision=_number(held, "revision"),
        parameters_version=_number(held, "parameters_version"),
        digest=_number(held, "digest"),
        graph_digest=_number(held, "graph_digest"),
        counts=_numbers(held, "counts"),
        refs=_numbers(held, "refs"),
    )


def load(session: Session, namespace: str) -> Ledger:
    """Where a namespace stands, as it was last committed."""
    rows = session.run("read/namespace", namespace=namespace)
    return ledger_from(namespace, rows[0]["namespace"] if rows else None)


def all_of(session: Session) -> dict[str, int]:
    """The namespaces that were written to, sorted, each with its revision."""
    return revisions(session.run("read/namespaces"))


def revisions(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Rows of name and revision, sorted by name; a node without a name is none of ours."""
    named = [row for row in rows if isinstance(row["name"], str)]
    return {row["name"]: _number(row, "revision") for row in sorted(named, key=lambda row: str(row["name"]))}


def _number(held: Mapping[str, Any], name: str) -> int:
    value = held.get(name, 0)
    return value if isinstance(value, int) else 0


def _numbers(held: Mapping[str, Any], name: str) -> dict[str, int]:
    try:
        return {key: value for key, value in parsed(held[name]).items() if isinstance(value, int)}
    except UNREADABLE:
        return {}
