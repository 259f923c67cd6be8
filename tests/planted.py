"""A memory that holds a planted history: enough episodes for habits, with causes that nobody stated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from graphmem.ports.changes import Changes
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chains import Planted, class_driven
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.services import opened

BATCH = 250
EPISODES = 130


@cache
def planted(episodes: int = EPISODES) -> Planted:
    """Tasks in which failures cause failures by their class; a fifth of the causes was not stated."""
    return class_driven(episodes, 3, Noise(0.2, 0.1, 0.0))


def write(services: Services, history: Planted) -> None:
    """Memories and edges as an agent would have written them."""
    memories = [replace(memory, namespace=NS, ref="") for memory in history.memories]
    for start in range(0, len(memories), BATCH):
        services.store.apply(Changes(namespace=NS, at=at(), create=tuple(memories[start : start + BATCH])))
    for start in range(0, len(history.edges), BATCH):
        services.store.apply(Changes(namespace=NS, at=at(), edges=history.edges[start : start + BATCH]))


@contextmanager
def holding(folder: Path, history: Planted) -> Iterator[Services]:
    """Services over a file with this history, words only."""
    with opened(folder / "planted.db", words_only=True) as services:
        write(services, history)
        yield services
