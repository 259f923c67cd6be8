"""Two embedders over one store, as two processes have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.memories import Memory
from graphmem.ports.store import MemoryStore
from graphmem.services import reembed
from graphmem.services.holding import Holder
from graphmem.services.reembed import Reembed
from graphmem.wiring import Services
from tests.builders import Clock, strategy
from tests.contract.reading import found, put
from tests.services import (
    because,
    failed,
    recorded,
    remembered,
    services_over,
)

OTHER = 48
"""The dimension of the space to move to."""


@pytest.fixture(autouse=True)
def batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, so that little is many of them."""
    monkeypatch.setattr(reembed, "BATCH", 3)


def story(services: Services) -> None:
    """Ten memories."""
    facts = [remembered(services, f"the disk {number} is full", key=f"k{number}") for number in range(4)]
    failed(services, "copy the disk", correction="look first", caused_by=because(facts[0]))
    for number in range(4):
        recorded(services, f"copy disk {number}")
    put(services.store, strategy())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store that several services share, as processes do."""
    with closing(SqliteStore(tmp_path / "memory.db")) as made:
        yield made


@pytest.fixture
def before(store: SqliteStore) -> Services:
    """Services of the first space over the story."""
    made = services_over(store)
    story(made)
    return made


@pytest.fixture
def after(store: SqliteStore, before: Services) -> Services:
    """Services of the second space over the same store."""
    return services_over(store, embedder=HashingEmbedder(OTHER), seed=5)


def lengths(store: MemoryStore) -> set[int]:
    """The dimensions of all vectors; 0 for a memory without."""
    vectors = [list(memory.vectors.values()) or [b""] for memory in found(store)]
    return {len(data) // 4 for own in vectors for data in own}


def said(memories: list[Memory]) -> list[tuple[str, str]]:
    """What stays whatever the vectors are."""
    return [(memory.ref, memory.text) for memory in memories]


def patient(services: Services) -> Reembed:
    """Re-embedding whose clock goes on while it waits."""
    clock = Clock()

    def wait(seconds: float) -> None:
        clock.now += timedelta(seconds=seconds)

    services.reembed._holder = Holder("again", clock, wait)
    return services.reembed
