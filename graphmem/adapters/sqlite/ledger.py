"""The row of a namespace: its revision, counts, digests and reference numbers, changed within one action."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field

from graphmem.adapters.sqlite.rows import signed, unsigned
from graphmem.domain.causation import EdgeKind
from graphmem.domain.encoding import canonical
from graphmem.domain.memories import REF_LETTERS, Memory, MemoryKind, is_failure
from graphmem.ports.queries import NamespaceState

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
_NAMES = "SELECT name FROM namespaces ORDER BY name"

_FAILURE = "FAILURE"
_LETTERS = frozenset(REF_LETTERS.values())


def _no_counts() -> dict[str, int]:
    names = [kind.value for kind in (*MemoryKind, *EdgeKind)]
    return dict.fromkeys((*names, _FAILURE), 0)


@dataclass
class Ledger:
    """Where a namespace stands. Sums of digests grow here and wrap when they are saved."""

    namespace: str
    revision: int = 0
    parameters_version: int = 0
    digest: int = 0
    graph_digest: int = 0
    counts: dict[str, int] = field(default_factory=_no_counts)
    refs: dict[str, int] = field(default_factory=dict)

    def next_ref(self, kind: MemoryKind) -> str:
        """The next reference of a kind, e.g. 'E-205'; never given twice."""
        letter = REF_LETTERS[kind]
        self.refs[letter] = self.refs.get(letter, 0) + 1
        return f"{letter}-{self.refs[letter]}"

    def saw_ref(self, ref: str) -> None:
        """Never give this reference, nor one before it."""
        letter, _, number = ref.partition("-")
        if letter in _LETTERS and number.isascii() and number.isdecimal():
            self.refs[letter] = max(self.refs.get(letter, 0), int(number))

    def add_memory(self, memory: Memory, digest: int, times: int = 1) -> None:
        """Count a memory; times = -1 takes it out."""
        self.counts[memory.kind] += times
        self.counts[_FAILURE] += times * is_failure(memory)
        self._add_to_graph(digest * times)

    def add_edge(self, kind: EdgeKind, digest: int, times: int = 1) -> None:
        """Count an edge; times = -1 takes it out."""
        self.counts[kind] += times
        self._add_to_graph(digest * times)

    def add_record(self, digest: int, times: int = 1) -> None:
        """Count a record into the digest; times = -1 takes it out."""
        self.digest += digest * times

    def _add_to_graph(self, digest: int) -> None:
        self.graph_digest += digest
        self.digest += digest

    def state(self) -> NamespaceState:
        """What the store says of the namespace."""
        return NamespaceState(
            namespace=self.namespace,
            revision=self.revision,
            parameters_version=self.parameters_version,
            digest=unsigned(self.digest),
            graph_digest=unsigned(self.graph_digest),
            counts=dict(self.counts),
        )

    def save(self, connection: sqlite3.Connection) -> None:
        """Write the row."""
        sums = signed(self.digest), signed(self.graph_digest)
        counted = canonical(self.counts), canonical(self.refs)
        connection.execute(_SAVE, (self.revision, self.parameters_version, *sums, *counted, self.namespace))


def load(connection: sqlite3.Connection, namespace: str) -> Ledger:
    """The row of a namespace; all zero when it was never written to."""
    row = connection.execute(_LOAD, (namespace,)).fetchone()
    if row is None:
        return Ledger(namespace)
    revision, parameters_version, digest, graph_digest, counts, refs = row
    counted = _no_counts() | json.loads(counts)
    return Ledger(namespace, revision, parameters_version, digest, graph_digest, counted, json.loads(refs))


def names(connection: sqlite3.Connection) -> list[str]:
    """The namespaces that were written to, sorted."""
    return [name for (name,) in connection.execute(_NAMES)]
