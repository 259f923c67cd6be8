"""The stores that the laws hold for. A further store adds one factory to STORES, and one to FAULTS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.ports.store import MemoryStore
from tests.contract.faults import FAULTS, Faults
from tests.contract.neo4j_places import neo4j_places, neo4j_runs
from tests.contract.stores import STORES, OpenStore, parameters

__all__ = ["neo4j_places", "neo4j_runs"]

Reopen = Callable[[], MemoryStore]


@pytest.fixture(params=parameters(STORES))
def open_store(request: pytest.FixtureRequest) -> OpenStore:
    """How to open the store under test at a place."""
    return STORES[request.param]


@pytest.fixture
def store(open_store: OpenStore, tmp_path: Path) -> Iterator[MemoryStore]:
    """The store under test, empty."""
    opened = open_store(tmp_path / "store")
    opened.migrate()
    yield opened
    opened.close()


@pytest.fixture
def elsewhere(open_store: OpenStore, tmp_path: Path) -> Iterator[MemoryStore]:
    """A second empty store of the same make."""
    opened = open_store(tmp_path / "elsewhere")
    opened.migrate()
    yield opened
    opened.close()


@pytest.fixture
def reopen(open_store: OpenStore, store: MemoryStore, tmp_path: Path) -> Iterator[Reopen]:
    """Close the store, open it again: what a restart does."""
    opened = []

    def again() -> MemoryStore:
        store.close()
        opened.append(open_store(tmp_path / "store"))
        opened[-1].migrate()
        return opened[-1]

    yield again
    for item in opened:
        item.close()


@pytest.fixture(params=parameters(FAULTS))
def faults(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Faults]:
    """A store whose statements can be made to fail one by one."""
    with FAULTS[request.param](tmp_path / "store") as opened:
        yield opened
