"""Group commit: callers of one namespace stand in a line, and who is first may act for those that wait behind.

No thread of its own: who is first leads, and gives to those behind whatever answers it got for them. Whoever has none
when the leader leaves, for whatever reason, comes first itself, in the order of arrival.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Generic, TypeVar

from graphmem.adapters.neo4j.failures import late

Item = TypeVar("Item")
Answer = TypeVar("Answer")

MOST = 16
"""Items in a group, its leader's among them. Readers of the feed count on it: before it grows they must know."""
ROOM = 100
"""Rows in a group: no caller of a small one waits much longer than for a few of its kind."""


@dataclass(eq=False)
class Place(Generic[Item, Answer]):
    """Where one caller stands. size: rows of its item; taken: it was in a group, and is in no other one."""

    item: Item
    size: int
    taken: bool = False
    answer: Answer | None = None
    reached: Event = field(default_factory=Event)


class Line(Generic[Item, Answer]):
    """Callers one behind the other; the first one leads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._first: Place[Item, Answer] | None = None
        self._behind: deque[Place[Item, Answer]] = deque()

    def do(self, item: Item, size: int, deadline: float, lead: Callable[[], Answer]) -> Answer:
        """The answer that a leader has for the item, or what lead() answers, called once this caller is the first.

        Raises UnavailableError at the deadline if it waits still: whether a leader was at it is not known then.
        """
        place: Place[Item, Answer] = Place(item, size)
        try:
            self._join(place)
            place.reached.wait(max(deadline - time.monotonic(), 0.0))
            if place.answer is not None:
                return place.answer
            if place is not self._first:
                raise late()
            return lead()
        finally:
            self._leave(place)

    def followers(self) -> list[Place[Item, Answer]]:
        """Those behind the first one that it acts for too, in order; none if it was in a group itself."""
        with self._lock:
            group: list[Place[Item, Answer]] = []
            if self._first is None or self._first.taken:
                return group
            rows = self._first.size
            for place in self._behind:
                rows += place.size
                if len(group) + 1 == MOST or rows > ROOM:
                    break
                place.taken = True
                group.append(place)
            return group

    def answer(self, place: Place[Item, Answer], answer: Answer) -> None:
        """Send a follower home. One that left already is not told."""
        with self._lock:
            if place in self._behind:
                self._behind.remove(place)
                place.answer = answer
                place.reached.set()

    def _join(self, place: Place[Item, Answer]) -> None:
        with self._lock:
            if self._first is not None:
                self._behind.append(place)
                return
            self._first = place
            place.reached.set()

    def _leave(self, place: Place[Item, Answer]) -> None:
        with self._lock:
            if place in self._behind:
                self._behind.remove(place)
            if place is self._first:
                self._first = self._behind.popleft() if self._behind else None
                if self._first is not None:
                    self._first.reached.set()
