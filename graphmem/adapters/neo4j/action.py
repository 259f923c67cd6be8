"""One action while it is being written: what it read under the lock, and what it writes and touches."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphmem.adapters.neo4j.ledger import ledger_from
from graphmem.adapters.neo4j.properties import Stored, stored_from
from graphmem.adapters.neo4j.relationships import EdgeKey, Owned, key_of, owned_from
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.service_nodes import job_from, receipt_from
from graphmem.adapters.neo4j.versions import check_version
from graphmem.domain.causation import Edge, EdgeKind
from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, Record, RecordKind
from graphmem.ports.changes import StoredReceipt
from graphmem.ports.ledger import Ledger
from graphmem.ports.listing import key_hash


@dataclass
class Action:
    """Collects what is written, so that it is sent in few statements, and what moves the revision, once.

    receipts, stored, joined, jobs: what was there before, of what was asked for; memories without vectors.
    written: memories as they are now. touched: owners of edges that were written or removed. patterns: those
    to be counted again; members: memories whose patterns are. nodes, relationships (rows of memories and edges),
    records, kept (keys and erasures), enqueued, done (ids of jobs that leave): sent in the end. least: a revision that
    this one is not to be before.
    """

    session: Session
    ledger: Ledger
    receipts: dict[str, StoredReceipt]
    stored: dict[str, Stored]
    joined: dict[EdgeKey, Owned]
    jobs: dict[str, Job]
    written: dict[str, Memory] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    erased: frozenset[str] = frozenset()
    nodes: list[dict[str, Any]] = field(default_factory=list)
    relationships: dict[EdgeKind, list[dict[str, Any]]] = field(default_factory=dict)
    records: dict[tuple[RecordKind, str], Record] = field(default_factory=dict)
    kept: list[Record] = field(default_factory=list)
    enqueued: dict[str, Job] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    least: int = 0

    @property
    def namespace(self) -> str:
        """The namespace that is written to."""
        return self.ledger.namespace

    @property
    def revision(self) -> int:
        """The revision that this action leads to when it touches anything."""
        return max(self.ledger.revision + 1, self.least)

    @property
    def moves(self) -> bool:
        """Whether it touches anything."""
        return bool(self.owners or self.written or self.erased)

    @property
    def owners(self) -> set[str]:
        """Owners of touched edges whose own values were not written."""
        return self.touched - self.written.keys() - self.erased


def new_attempt() -> str:
    """A value that was never written before: what a lock is taken with."""
    return secrets.token_hex(8)


def open_action(
    session: Session,
    namespace: str,
    *,
    keys: Sequence[str] = (),
    ids: Iterable[str] = (),
    edges: Sequence[Edge] = (),
    jobs: Iterable[str] = (),
) -> Action:
    """Lock the namespace until the transaction ends, and read what the action needs to know.

    The ends of the edges are read as well as the ids.
    """
    ends = {id for edge in edges for id in (edge.from_id, edge.to_id)}
    (row,) = session.run(
        "write/open-action",
        namespace=namespace,
        attempt=new_attempt(),
        hashes=[key_hash(namespace, key) for key in keys],
        ids=sorted(ends.union(ids)),
        pairs=[[edge.from_id, edge.to_id] for edge in edges],
        jobs=list(jobs),
    )
    check_version(row["versions"])
    stored = [stored_from(item) for item in row["memories"]]
    joined = [owned_from(item) for item in row["edges"]]
    held = [job_from(item) for item in row["jobs"]]
    known = zip(keys, row["requests"], row["erasures"], strict=True)
    receipts = [receipt_from(key, request, erased=erased) for key, request, erased in known]
    return Action(
        session,
        ledger_from(namespace, row["namespace"]),
        receipts={item.key: item for item in receipts if item},
        stored={item.memory.id: item for item in stored if item},
        joined={key_of(item.edge): item for item in joined if item},
        jobs={item.id: item for item in held if item},
    )
