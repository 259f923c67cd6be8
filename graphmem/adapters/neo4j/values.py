"""How values become properties: times, digests, JSON, vectors; and back, with what a person edited by hand."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from graphmem.domain.errors import BadInputError
from graphmem.domain.rules import check_time

UNREADABLE = (AttributeError, KeyError, OverflowError, TypeError, ValueError, struct.error)
"""What reading a property raises when it is missing or was edited into something else."""
EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

_WRAP = 2**64


def signed(digest: int) -> int:
    """A 64-bit number without sign, or a sum of such, as the signed one that Neo4j holds."""
    wrapped = digest % _WRAP
    return wrapped - _WRAP if wrapped >= _WRAP // 2 else wrapped


def unsigned(number: int) -> int:
    """The number from 0 to 2**64 - 1 that signed() was made from."""
    return number % _WRAP


def instant(field: str, value: datetime) -> datetime:
    """The time as it is stored: zoned, in UTC, so that order in an index is order in time.

    Raises BadInputError on a time without a zone, naming field.
    """
    return check_time(field, value)


def moment(value: Any) -> datetime:
    """The time that a zoned DATETIME holds, in UTC, or that the text says which Cypher makes of one.

    What is read is read as text: the driver takes a hundred times as long for a DATETIME. Raises one of UNREADABLE for
    anything else.
    """
    if isinstance(value, str):
        native = datetime.fromisoformat(value.partition("[")[0])  # a named zone follows its offset
    else:
        native = value if isinstance(value, datetime) else value.to_native()
    if native.tzinfo is None:
        raise ValueError("a time without a zone")
    return datetime.astimezone(native, UTC)


def numbers(vector: bytes) -> list[float]:
    """A little-endian float32 vector as LIST<FLOAT>; float64 holds every float32 exactly."""
    if len(vector) % 4:
        raise BadInputError("is no list of float32 numbers", field="vectors", remedy="send 4 bytes a number")
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


def vector(values: Any) -> bytes:
    """The vector that numbers() was made from; NaN and other lengths pass, for the index to report."""
    return struct.pack(f"<{len(values)}f", *values)


def parsed(text: Any) -> Any:
    """The data of a JSON property. Raises one of UNREADABLE for anything else."""
    return json.loads(text)


@contextmanager
def storable(field: str) -> Iterator[None]:
    """Refuse, as BadInputError naming field, what JSON or UTF-8 cannot hold."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise BadInputError(
            "contains half a surrogate pair", field=field, remedy="send valid Unicode"
        ) from error
    except (TypeError, ValueError) as error:
        raise BadInputError(f"is not JSON: {error}", field=field, remedy="send JSON data") from error
