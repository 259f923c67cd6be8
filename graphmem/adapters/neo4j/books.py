"""Where this process left each namespace that it writes to, so that its next action need not read that first.

What is remembered is a guess: the server compares it with what it holds, under the namespace's lock, and a wrong one
costs a round trip. Where another process writes too, none is made until two actions of this process follow each other.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import NamedTuple

from graphmem.adapters.neo4j.grouping import Line, Place
from graphmem.adapters.neo4j.ledger import as_saved
from graphmem.ports.changes import Changes, Receipt
from graphmem.ports.ledger import Ledger

_MOST = 256
"""Namespaces that are remembered; those not written to for the longest time are forgotten."""


class Book:
    """What is known of one namespace. line: actions that guess wait in it for each other."""

    def __init__(self) -> None:
        self.line: Line[Guess, Receipt] = Line()
        self._last: Ledger | None = None
        self._alone = False

    @property
    def ledger(self) -> Ledger | None:
        """A copy of the ledger as this process left it, None where it must be read."""
        last = self._last
        if last is None or not self._alone:
            return None
        return copied(last)

    def followers(self) -> list[Place[Guess, Receipt]]:
        """Actions that are guessed together with the one that is first; none where nothing is known."""
        return self.line.followers() if self._alone else []

    def turn(self, found: Ledger, left: Ledger) -> None:
        """An action that found one ledger, as saved, leaves another one if it is committed."""
        self._alone = self._last in (None, found)
        self._last = as_saved(left)


def copied(ledger: Ledger) -> Ledger:
    """A ledger that can be moved on without the other one."""
    return replace(ledger, counts=dict(ledger.counts), refs=dict(ledger.refs))


class Sent(NamedTuple):
    """The ledger that a statement leaves behind, and what it leads to for one of its actions, if it was done."""

    ledger: Ledger
    receipt: Receipt


@dataclass
class Guess:
    """One action, and what it takes for granted. sent: a statement with it whose answer may be lost."""

    changes: Changes
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
