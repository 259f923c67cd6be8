"""DateTime and JSON: no time without a zone, no number that changes on its way."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NewType

import strawberry
from graphql import (
    BooleanValueNode,
    FloatValueNode,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    StringValueNode,
    ValueNode,
    VariableNode,
)
from strawberry.types.scalar import ScalarDefinition

from graphmem.domain.errors import BadInputError
from graphmem.domain.rules import check_time

Json = NewType("Json", object)
"""Any JSON value."""


def read_time(value: Any) -> datetime:
    """An ISO 8601 time in UTC. Raises BadInputError without a zone: nobody can guess whose morning it is."""
    try:
        parsed = datetime.fromisoformat(value)
    except (ValueError, TypeError) as error:
        raise BadInputError("is no ISO 8601 time", remedy="e.g. 2026-03-01T10:00:00Z") from error
    return check_time("", parsed)


def write_time(value: datetime) -> str:
    """The instant with all its microseconds, in UTC, marked Z."""
    return value.isoformat().replace("+00:00", "Z")


def read_literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    """A JSON value written in the document itself; integers keep every digit."""
    match node:
        case StringValueNode() | BooleanValueNode():
            return node.value
        case IntValueNode():
            return int(node.value)
        case FloatValueNode():
            return float(node.value)
        case NullValueNode():
            return None
        case ListValueNode():
            return [read_literal(item, variables) for item in node.values]
        case ObjectValueNode():
            return {item.name.value: read_literal(item.value, variables) for item in node.fields}
        case VariableNode():
            return (variables or {}).get(node.name.value)
    raise BadInputError("is no JSON value", remedy="send enum names as strings")


def _same(value: Any) -> Any:
    return value


SCALARS: dict[object, ScalarDefinition] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description="An instant in ISO 8601 with a zone, such as 2026-03-01T10:00:00Z. Answers are in UTC.",
        serialize=write_time,
        parse_value=read_time,
    ),
    Json: strawberry.scalar(
        name="JSON",
        description="A JSON value. Integers of 64 bits are kept exactly.",
        serialize=_same,
        parse_value=_same,
        parse_literal=read_literal,
    ),
}
