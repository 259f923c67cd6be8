"""graphmem: a causal memory for AI agents.

import graphmem

with graphmem.open() as memory:
    memory.record("parse the price column", "FAILURE", context="input ''", error_type="ValueError")
    print(memory.prompt("parse the price column, input ''"))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from graphmem._version import __version__

if TYPE_CHECKING:
    from graphmem.entrypoints.library import GraphMemory
    from graphmem.entrypoints.library import open_memory as open

__all__ = ["GraphMemory", "__version__", "open"]

_DOOR = "graphmem.entrypoints.library"
_PUBLIC = {"GraphMemory": "GraphMemory", "open": "open_memory"}


def __getattr__(name: str) -> Any:
    """Public names load the library when they are first used: importing graphmem alone costs nothing."""
    if name in _PUBLIC:
        return getattr(importlib.import_module(_DOOR), _PUBLIC[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
