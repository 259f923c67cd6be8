"""How each store is opened at a place: what a further store adds itself to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.ports.store import MemoryStore
from tests.contract.model_action import Space
from tests.contract.model_store import ModelStore

OpenStore = Callable[[Path], MemoryStore]

_DISKS: dict[Path, dict[str, Space]] = {}


def open_model(place: Path) -> MemoryStore:
    """The model, with what was written at that place before."""
    return ModelStore(_DISKS.setdefault(place, {}))


def open_sqlite(place: Path) -> MemoryStore:
    """The embedded store."""
    return SqliteStore(place.with_suffix(".db"))


REAL: dict[str, OpenStore] = {"sqlite": open_sqlite}
"""The stores that a user can choose."""

STORES: dict[str, OpenStore] = {"model": open_model, **REAL}
"""The laws hold for the model as well: what it gets wrong, the comparison with it could not find."""
