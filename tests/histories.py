"""Planted histories written into a store as they are, without the work that a recorded memory brings with it."""

from __future__ import annotations

from dataclasses import replace

from graphmem.ports.store import MemoryStore
from graphmem.tooling.chains import Planted
from tests.builders import changes

BATCH = 100
"""Items of one action: a server on a busy machine answers it in time."""


def write(store: MemoryStore, history: Planted, namespace: str) -> None:
    """All memories, then all edges."""
    memories = [replace(memory, namespace=namespace, ref="") for memory in history.memories]
    for start in range(0, len(memories), BATCH):
        store.apply(changes(*memories[start : start + BATCH], namespace=namespace))
    for start in range(0, len(history.edges), BATCH):
        store.apply(changes(edges=history.edges[start : start + BATCH], namespace=namespace))
