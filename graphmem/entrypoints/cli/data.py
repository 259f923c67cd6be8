"""Domain values as JSON data for scripts: every field by its name, none left out but vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum, IntEnum
from typing import Any

from graphmem.domain.causation import CauseEdge, Edge
from graphmem.domain.memories import Memory

_LEFT_OUT = frozenset({"vectors"})


def as_data(value: object) -> Any:
    """What json.dumps takes. A memory also tells kind and text; a cause edge also grade and confidence."""
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): as_data(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [as_data(item) for item in value]
    if is_dataclass(value):
        return {**_derived(value), **_own(value)}
    return value


def _own(value: Any) -> dict[str, Any]:
    names = [item.name for item in fields(value) if item.name not in _LEFT_OUT]
    return {name: as_data(getattr(value, name)) for name in names}


def _derived(value: object) -> dict[str, Any]:
    if isinstance(value, Memory):
        return {"kind": value.kind.value, "ref": value.ref, "text": value.text}
    if isinstance(value, CauseEdge):
        return {
            "kind": value.kind.value,
            "grade": as_data(value.grade),
            "confidence": value.confidence,
            "active": value.active,
        }
    return {"kind": value.kind.value} if isinstance(value, Edge) else {}
