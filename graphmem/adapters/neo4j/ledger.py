"""The node of a namespace: its revision, counts, digests and reference numbers, changed within one action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.values import UNREADABLE, parsed, signed, unsigned
from graphmem.domain.causation import EdgeKind
from graphmem.domain.encoding import canonical
from graphmem.domain.memories import REF_LETTERS, Memory, MemoryKind, is_failure
from graphmem.ports.queries import NamespaceState

_FAILURE = "FAILURE"
_COUNTED = (*MemoryKind, *EdgeKind, _FAILURE)
_LETTERS = frozenset(REF_LETTERS.values())


@dataclass
class Ledger:
    """Where a namespace stands. Sums of digests grow here and wrap when they are written."""

    namespace: str
    revision: int = 0
    parameters_version: int = 0
    digest: int = 0
    graph_digest: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    refs: dict[str, int] = field(default_factory=dict)

    def next_ref(self, kind: MemoryKind) -> str:
        """The next reference of a kind, e.g. 'E-205'; never given twice."""
        letter = REF_LETTERS[kind]
        number = self.refs[letter] = self.refs.get(letter, 0) + 1
        return f"{letter}-{number}"

    def saw_ref(self, ref: str) -> None:
        """Never give this reference, nor one before it."""
        letter, _, number = ref.partition("-")
        if letter in _LETTERS and number.isascii() and number.isdecimal():
            self.refs[letter] = max(self.refs.get(letter, 0), int(number))

    def count_memory(self, memory: Memory, digest: int, times: int = 1) -> None:
        """Count a memory; times = -1 takes it out."""
        self._count(memory.kind, times)
        self._count(_FAILURE, times * is_failure(memory))
        self.graph_digest += digest * times
        self.digest += digest * times

    def count_edge(self, kind: EdgeKind, digest: int, times: int = 1) -> None:
        """Count an edge; times = -1 takes it out."""
        self._count(kind, times)
        self.graph_digest += digest * times
        self.digest += digest * times

    def count_record(self, digest: int, times: int = 1) -> None:
        """Count a record into the digest; times = -1 takes it out."""
        self.digest += digest * times

    def _count(self, name: str, times: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + times

    def state(self) -> NamespaceState:
        """What the store says of the namespace."""
        return NamespaceState(
            namespace=self.namespace,
            revision=self.revision,
            parameters_version=self.parameters_version,
            digest=unsigned(self.digest),
            graph_digest=unsigned(self.graph_digest),
            counts={str(name): self.counts.get(name, 0) for name in _COUNTED},
        )

    def properties(self) -> dict[str, Any]:
        """What the node is to hold."""
        return {
            "revision": self.revision,
            "parameters_version": self.parameters_version,
            "digest": signed(self.digest),
            "graph_digest": signed(self.graph_digest),
            "counts": canonical(self.counts),
            "refs": canonical(self.refs),
        }


def ledger_from(namespace: str, properties: Mapping[str, Any] | None) -> Ledger:
    """The ledger that a namespace's node holds; all zero without a node, and where one was just made."""
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
    """The ledger of a namespace as it was last committed."""
    rows = session.run("read/namespace", namespace=namespace)
    return ledger_from(namespace, rows[0]["namespace"] if rows else None)


def names(session: Session) -> list[str]:
    """The namespaces that were written to, sorted."""
    return sorted(row["name"] for row in session.run("read/namespaces") if isinstance(row["name"], str))


def _number(held: Mapping[str, Any], name: str) -> int:
    value = held.get(name, 0)
    return value if isinstance(value, int) else 0


def _numbers(held: Mapping[str, Any], name: str) -> dict[str, int]:
    try:
        return {key: value for key, value in parsed(held[name]).items() if isinstance(value, int)}
    except UNREADABLE:
        return {}
