"""Where a namespace stands while an action is written: counted alike by every store, read and saved by each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphmem.domain.causation import EdgeKind
from graphmem.domain.memories import REF_LETTERS, Memory, MemoryKind, is_failure
from graphmem.domain.records import FOR_AN_ANALYST
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.queries import NamespaceState

_FAILURE = "FAILURE"
_COUNTED = (*MemoryKind, *EdgeKind, _FAILURE)
_LETTERS = frozenset(REF_LETTERS.values())
_WRAP = 2**64


@dataclass
class Ledger:
    """Revision, counts, digests and reference numbers of a namespace.

    Sums of digests grow beyond 64 bits here; state() and what a store saves are taken modulo 2**64.
    """

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

    def take_over(self, batch: RestoreBatch) -> None:
        """Never give a reference of the batch, nor one before it; have its parameters_version."""
        for memory in batch.memories:
            letter, _, number = memory.ref.partition("-")
            if number.isascii() and number.isdecimal():
                self._saw(letter, int(number))
        for letter, last in batch.ref_counters.items():
            self._saw(letter, last)
        if batch.parameters_version is not None:
            self.parameters_version = batch.parameters_version

    def count_memory(self, memory: Memory, digest: int, times: int = 1) -> None:
        """Count a memory; times = -1 takes it out."""
        self._count(memory.kind, times)
        self._count(_FAILURE, times * is_failure(memory))
        self._add_to_graph(digest * times)

    def count_edge(self, kind: EdgeKind, digest: int, times: int = 1) -> None:
        """Count an edge; times = -1 takes it out."""
        self._count(kind, times)
        self._add_to_graph(digest * times)

    def count_record(self, digest: int, times: int = 1) -> None:
        """Count a record into the digest; times = -1 takes it out."""
        self.digest += digest * times

    def correct(self, held: NamespaceState) -> bool:
        """Take counts and graph digest from a state, if it is of this revision; whether they were taken."""
        if not self.revision or self.revision != held.revision:
            return False
        self.digest += held.graph_digest - self.graph_digest
        self.graph_digest = held.graph_digest
        self.counts |= held.counts
        return True

    def state(self, open_jobs: Mapping[str, int]) -> NamespaceState:
        """What the store says of the namespace. open_jobs: how many are still to be done, by kind."""
        analyses = sum(open_jobs.get(kind, 0) for kind in FOR_AN_ANALYST)
        return NamespaceState(
            namespace=self.namespace,
            revision=self.revision,
            parameters_version=self.parameters_version,
            digest=self.digest % _WRAP,
            graph_digest=self.graph_digest % _WRAP,
            counts={str(name): self.counts.get(name, 0) for name in _COUNTED},
            ref_counters=dict(self.refs),
            pending_jobs=sum(open_jobs.values()) - analyses,
            pending_analyses=analyses,
        )

    def _saw(self, letter: str, number: int) -> None:
        if letter in _LETTERS:
            self.refs[letter] = max(self.refs.get(letter, 0), number)

    def _count(self, name: str, times: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + times

    def _add_to_graph(self, digest: int) -> None:
        self.graph_digest += digest
        self.digest += digest
