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
    from graphmem.domain.drafts import CauseRef, Period
    from graphmem.domain.errors import (
        BadInputError,
        ConflictError,
        GraphmemError,
        NotFoundError,
        TooLargeError,
        UnavailableError,
    )
    from graphmem.domain.memories import RootCause, Writer
    from graphmem.entrypoints.library import GraphMemory
    from graphmem.entrypoints.library import open_memory as open

__all__ = [
    "BadInputError",
    "CauseRef",
    "ConflictError",
    "GraphMemory",
    "GraphmemError",
    "NotFoundError",
    "Period",
    "RootCause",
    "TooLargeError",
    "UnavailableError",
    "Writer",
    "__version__",
    "open",
]

_DOOR = "graphmem.entrypoints.library"
_ERRORS = (
    "BadInputError",
    "ConflictError",
    "GraphmemError",
    "NotFoundError",
    "TooLargeError",
    "UnavailableError",
)
_PUBLIC = {
    "CauseRef": "graphmem.domain.drafts",
    "GraphMemory": _DOOR,
    "Period": "graphmem.domain.drafts",
    "RootCause": "graphmem.domain.memories",
    "Writer": "graphmem.domain.memories",
    "open": _DOOR,
    **dict.fromkeys(_ERRORS, "graphmem.domain.errors"),
}


def __getattr__(name: str) -> Any:
    """Public names load the library when they are first used: importing graphmem alone costs nothing."""
    if name in _PUBLIC:
        own = "open_memory" if name == "open" else name
        return getattr(importlib.import_module(_PUBLIC[name]), own)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
