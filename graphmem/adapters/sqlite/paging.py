"""Opaque places in an ordered list: what `next` holds and `after` brings back."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
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


def cut(items: Sequence[_T], page: PageRequest, of: str, place: Callable[[_T], Place]) -> Page[_T]:
    """A page of items of which one more than asked for was read, where there is one more."""
    shown = tuple(items[: page.first])
    return Page(items=shown, next=_cursor(of, place(shown[-1])) if len(items) > page.first else "")


def _is_place(place: Sequence[object], ids: int) -> bool:
    if len(place) != ids + 1 or not all(isinstance(id, str) for id in place[1:]):
        return False
    at = place[0]
    return type(at) is int and BEFORE_ALL <= at < 2**63


def _cursor(of: str, place: Place) -> str:
    return urlsafe_b64encode(canonical([of, *place]).encode()).decode()
