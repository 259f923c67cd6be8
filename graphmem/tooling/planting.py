"""Puts a planted history into an empty namespace, for notebooks and for Neo4j Browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TypeVar

from graphmem.domain.memories import Experience, is_failure
from graphmem.domain.rules import MAX_ITEMS, error_class
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.store import MemoryStore
from graphmem.tooling.chains import Planted

_T = TypeVar("_T")


def plant(store: MemoryStore, namespace: str, history: Planted) -> None:
    """Restore a history's memories, with refs E-1, E-2, ..., and its edges; where it is already, nothing happens.

    Failures are clustered by the class they were recorded with, as learning would have done by then.

    Raises ConflictError where the namespace holds something else.
    """
    memories = tuple(
        replace(memory, namespace=namespace, ref=f"E-{number}", cluster_id=_cluster(memory))
        for number, memory in enumerate(history.memories, start=1)
    )
    revision = count(1)
    for part in _parts(memories):
        store.restore(RestoreBatch(namespace=namespace, memories=part, revision=next(revision)))
    for edges in _parts(history.edges):
        store.restore(RestoreBatch(namespace=namespace, edges=edges, revision=next(revision)))
    store.restore(RestoreBatch(namespace=namespace, ref_counters={"E": len(memories)}))


def _cluster(memory: Experience) -> str:
    return f"planted-{error_class(memory.error_type)}" if is_failure(memory) else ""


def _parts(items: Sequence[_T]) -> list[tuple[_T, ...]]:
    return [tuple(items[start : start + MAX_ITEMS]) for start in range(0, len(items), MAX_ITEMS)]
