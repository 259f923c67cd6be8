"""Opaque places in an ordered list: what `next` holds and `after` brings back."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import TypeVar

from graphmem.domain.encoding import canonical
from graphmem.domain.errors import BadInputError
from graphmem.ports.queries import Page, PageRequest

_T = TypeVar("_T")

Place = tuple[int | str, ...]
"""Microseconds, then the ids that part equal times."""

BEFORE_ALL = -(2**63)


def start(page: PageRequest, of: str, ids: int) -> Place | None:
    """The place after which the page begins, None for the first page.

    Raises BadInputError for a size below 1 and for a cursor that this list did not give.
    """
    if page.first < 1:
        raise BadInputError("must be at least 1", field="first", remedy="e.g. 100")
    if not page.after:
        return None
    try:
        listed, *place = json.loads(b64decode(page.after, altchars=b"-_", validate=True))
        genuine = listed == of and _is_place(place, ids) and _cursor(of, tuple(place)) == page.after
    except (ValueError, TypeError, RecursionError):
        genuine = False
    if not genuine:
        raise BadInputError("is no cursor of this list", field="after", remedy="send the `next` of a page")
    return tuple(place)


def cut(rows: Sequence[tuple[Place, _T | None]], page: PageRequest, of: str) -> Page[_T]:
    """A page of rows of which one more than asked for was read, where there is one more.

    None: a row that cannot be read as what it should be; it is left out, and the next page begins after it.
    """
    shown = rows[: page.first]
    items = tuple(item for _, item in shown if item is not None)
    return Page(items=items, next=_cursor(of, shown[-1][0]) if len(rows) > page.first else "")


def _is_place(place: Sequence[object], ids: int) -> bool:
    if len(place) != ids + 1 or not all(isinstance(id, str) for id in place[1:]):
        return False
    at = place[0]
    return type(at) is int and BEFORE_ALL <= at < 2**63


def _cursor(of: str, place: Place) -> str:
    return urlsafe_b64encode(canonical([of, *place]).encode()).decode()
