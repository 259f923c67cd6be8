"""How values become columns: times, digests, lists and JSON that a store can hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from graphmem.domain.encoding import shortened
from graphmem.domain.errors import BadInputError
from graphmem.domain.rules import check_time

_T = TypeVar("_T")
_UNREADABLE = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What reading a row raises that a person edited into something else."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_WRAP = 2**64


def micros(field: str, value: datetime) -> int:
    """Microseconds since 1970-01-01 UTC. Raises BadInputError on a time without a zone, naming field."""
    return (check_time(field, value) - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The time in UTC that micros() was made from."""
    return _EPOCH + value * _MICROSECOND


def signed(digest: int) -> int:
    """A 64-bit number without sign, or a sum of such, as the signed one that SQLite holds."""
    wrapped = digest % _WRAP
    return wrapped - _WRAP if wrapped >= _WRAP // 2 else wrapped


def unsigned(column: int) -> int:
    """The number from 0 to 2**64 - 1 that signed() was made from. Raises ValueError for what is no number."""
    if not isinstance(column, int):
        raise ValueError(f"digest is {shortened(column)}")
    return column % _WRAP


def listed(values: Iterable[str]) -> str:
    """Texts as one JSON parameter, read in a statement by json_each()."""
    return json.dumps(list(values))


def readable(read: Callable[[Any], _T], row: Any) -> _T | None:
    """What the row holds; None where a person edited it into something that cannot be read."""
    try:
        return read(row)
    except _UNREADABLE:
        return None


def fault(read: Callable[[Any], object], row: Any) -> str:
    """Why a row cannot be read; '' when it can."""
    try:
        read(row)
    except json.JSONDecodeError as error:
        return f"body is no JSON: {error}"
    except _UNREADABLE as error:
        return str(error) or type(error).__name__
    return ""


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
