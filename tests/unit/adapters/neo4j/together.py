"""Actions that all wait for one namespace before the first of them begins."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import GraphmemError
from graphmem.ports.changes import Changes, Receipt
from graphmem.ports.store import MemoryStore
from tests.contract.reading import Reader, found, one
from tests.unit.adapters.neo4j.conftest import until_stands

Outcome = Receipt | BaseException


def together(store: MemoryStore, *actions: Changes) -> list[Outcome]:
    """Apply actions that all wait in this order before the first one begins; what each caller was told."""
    assert isinstance(store, Neo4jStore)
    line = store._books.of(actions[0].namespace).line

    def apply(action: Changes) -> Outcome:
        try:
            return store.apply(action)
        except (GraphmemError, KeyboardInterrupt) as error:
            return error

    with ThreadPoolExecutor(len(actions)) as pool:

        def send() -> Any:
            told = []
            for number, action in enumerate(actions):
                told.append(pool.submit(apply, action))
                until_stands(line, number + 1)
            return told

        told: Any = line.do(None, 1, time.monotonic(), send)  # type: ignore[arg-type]
        return [each.result() for each in told]


def revisions(told: list[Outcome]) -> list[object]:
    """Those of the receipts, and the types of the errors."""
    return [each.revision if isinstance(each, Receipt) else type(each) for each in told]


def check_whole(store: MemoryStore, name: str) -> None:
    """One memory a revision, and counts and digests that add up."""
    memories = found(store, name)
    assert sorted(memory.revision for memory in memories) == list(range(1, len(memories) + 1))
    state = store.state(name)
    assert (state.revision, sum(state.ref_counters.values())) == (len(memories), len(memories))
    assert Reader(store, name).catch_up().digest == state.graph_digest


def told_as_stored(store: MemoryStore, told: Outcome) -> bool:
    """Whether a receipt of a new memory tells what is there."""
    assert isinstance(told, Receipt)
    (memory,) = told.memories
    return told.created and one(store, memory) == memory and told.revision == memory.revision
