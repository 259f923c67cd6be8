"""Where this process left each namespace that it writes to, so that its next action need not read that first.

What is remembered is a guess: the server compares it with what it holds, under the namespace's lock, and a wrong one
costs a round trip. Where another process writes too, none is made until two actions of this process follow each other.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import NamedTuple

from graphmem.adapters.neo4j.failures import late
from graphmem.adapters.neo4j.ledger import as_saved
from graphmem.ports.changes import Receipt
from graphmem.ports.ledger import Ledger

_MOST = 256
"""Namespaces that are remembered; those not written to for the longest time are forgotten."""


class Queue:
    """A lock that goes to who waits longest."""

    def __init__(self) -> None:
        self._lock, self._taken = Lock(), False
        self._waiting: deque[Lock] = deque()

    @contextmanager
    def turn(self, deadline: float) -> Iterator[None]:
        """Have the lock. Raises UnavailableError when it is not given before the deadline."""
        self._take(deadline)
        try:
            yield
        finally:
            with self._lock:
                self._pass_on()

    def _take(self, deadline: float) -> None:
        gate = Lock()
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            gate.acquire()
            self._waiting.append(gate)
        if gate.acquire(timeout=max(deadline - time.monotonic(), 0.0)):
            return
        with self._lock:
            if gate in self._waiting:
                self._waiting.remove(gate)
            else:
                self._pass_on()
        raise late()

    def _pass_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().release()
        else:
            self._taken = False


class Book:
    """What is known of one namespace. queue: actions that guess wait in it for each other."""

    def __init__(self) -> None:
        self.queue = Queue()
        self._last: Ledger | None = None
        self._alone = False

    @property
    def ledger(self) -> Ledger | None:
        """A copy of the ledger as this process left it, None where it must be read."""
        last = self._last
        if last is None or not self._alone:
            return None
        return replace(last, counts=dict(last.counts), refs=dict(last.refs))

    def turn(self, found: Ledger, left: Ledger) -> None:
        """An action that found one ledger, as saved, leaves another one if it is committed."""
        self._alone = self._last in (None, found)
        self._last = as_saved(left)


class Sent(NamedTuple):
    """What a statement leaves behind and leads to, if it was done."""

    ledger: Ledger
    receipt: Receipt


@dataclass
class Guess:
    """What one action takes for granted. sent: a statement of it whose answer may be lost."""

    book: Book
    sent: Sent | None = None


class Books:
    """The books of all namespaces."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._books: OrderedDict[str, Book] = OrderedDict()

    def of(self, namespace: str) -> Book:
        """The book of a namespace, an empty one for one that was not written to lately."""
        with self._lock:
            book = self._books.setdefault(namespace, Book())
            self._books.move_to_end(namespace)
            while len(self._books) > _MOST:
                self._books.popitem(last=False)
            return book
