"""Opaque places in an ordered list: what `next` holds and `after` brings back."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from graphmem.adapters.neo4j.values import moment
from graphmem.domain.encoding import canonical, encode
from graphmem.domain.errors import BadInputError
from graphmem.ports.queries import Page, PageRequest

_T = TypeVar("_T")

Place = tuple[Any, ...]
"""A time in UTC, then the ids that part equal times."""


def place(at: Any, *ids: str) -> Place:
    """The place of a row, from its time as the driver gives it."""
    return moment(at), *ids


def start(page: PageRequest, of: str, ids: int) -> Place | None:
    """The place after which the page begins, None for the first page.

    Raises BadInputError for a size below 1 and for a cursor that this list did not give.
    """
    if page.first < 1:
        raise BadInputError("must be at least 1", field="first", remedy="e.g. 100")
    if not page.after:
        return None
    try:
        named, at, *rest = json.loads(b64decode(page.after, altchars=b"-_", validate=True))
        found = datetime.fromisoformat(at).astimezone(UTC), *rest
        genuine = named == of and len(rest) == ids and all(isinstance(id, str) for id in rest)
        genuine = genuine and _cursor(of, found) == page.after
    except (ValueError, TypeError, OverflowError, RecursionError):
        genuine = False
    if not genuine:
        raise BadInputError("is no cursor of this list", field="after", remedy="send the `next` of a page")
    return found


def cut(rows: Sequence[tuple[Place, _T | None]], page: PageRequest, of: str) -> Page[_T]:
    """A page of rows of which one more than asked for was read, where there is one more.

    None: a row that cannot be read as what it should be; it is left out, and the next page begins after it.
    """
    shown = rows[: page.first]
    items = tuple(item for _, item in shown if item is not None)
    return Page(items=items, next=_cursor(of, shown[-1][0]) if len(rows) > page.first else "")


def _cursor(of: str, place: Place) -> str:
    return urlsafe_b64encode(canonical(encode([of, *place])).encode()).decode()
