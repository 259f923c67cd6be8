"""How each store is opened at a place: what a further store adds itself to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.ports.store import MemoryStore
from tests.contract.model_action import Space
from tests.contract.model_store import ModelStore
from tests.contract.neo4j_places import NEO4J, SLOWLY, open_neo4j

OpenStore = Callable[[Path], MemoryStore]

_DISKS: dict[Path, dict[str, Space]] = {}


def open_model(place: Path) -> MemoryStore:
    """The model, with what was written at that place before."""
    return ModelStore(_DISKS.setdefault(place, {}))


def open_sqlite(place: Path) -> MemoryStore:
    """The embedded store."""
    return SqliteStore(place.with_suffix(".db"))


REAL: dict[str, OpenStore] = {NEO4J: open_neo4j, "sqlite": open_sqlite}
"""The stores that a user can choose."""

FEW_HISTORIES = {NEO4J: 10}
"""How many random histories a store gets whose steps take long."""
FOR_HOURS = pytest.mark.timeout(7200)
"""Of a test of many thousand calls: none can hang, each has its own deadline, and how long all take says nothing."""

STORES: dict[str, OpenStore] = {"model": open_model, **REAL}
"""The laws hold for the model as well: what it gets wrong, the comparison with it could not find."""


def parameters(names: Iterable[str], *marks: pytest.MarkDecorator) -> list[Any]:
    """The names of stores as parameters of a test, sorted; one that needs a server says so, after the given marks."""
    return [pytest.param(name, marks=[*marks, *(SLOWLY if name == NEO4J else ())]) for name in sorted(names)]
