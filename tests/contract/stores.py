"""How each store is opened at a place: what a further store adds itself to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from graphmem.ports.store import MemoryStore
from tests.contract.model_action import Space
from tests.contract.model_store import ModelStore

OpenStore = Callable[[Path], MemoryStore]

_DISKS: dict[Path, dict[str, Space]] = {}


def open_model(place: Path) -> MemoryStore:
    """The model, with what was written at that place before."""
    return ModelStore(_DISKS.setdefault(place, {}))


REAL: dict[str, OpenStore] = {}
"""The stores that a user can choose."""
try:
    from graphmem.adapters.sqlite.store import SqliteStore

    REAL["sqlite"] = lambda place: SqliteStore(place.with_suffix(".db"))
except ImportError:
    pass

STORES: dict[str, OpenStore] = {"model": open_model, **REAL}
"""The laws hold for the model as well: what it gets wrong, the comparison with it could not find."""
