"""A Neo4j store whose statements can be made to fail one by one, between the adapter and the driver."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from neo4j import AsyncSession, AsyncTransaction
from neo4j.exceptions import DatabaseError, Neo4jError

from graphmem.adapters.neo4j.statements import statement
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.ports.store import MemoryStore

CREATES = "write/create-action"
"""A statement that the server commits by itself."""


class Neo4jFaults:
    """Counts what is sent: the begin of a transaction, each statement, the commit."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.error: Callable[[], Neo4jError] = lambda: DatabaseError("the disk is full")
        self.fired = self.committed = self._after = False
        self._left = 0

    def arm(self, nth: int, *, after: bool) -> None:
        """Let the nth statement from now on fail, before it does anything or after it has done it."""
        self.fired = self.committed = False
        self._left, self._after = nth, after

    async def run(self, what: str, send: Callable[[], Awaitable[Any]]) -> Any:
        """Send a statement, unless it is the one that fails."""
        self._left -= 1
        here = self._left == 0
        self.fired |= here
        if here and not self._after:
            raise self.error()
        answer = await send()
        self.committed |= what == "commit" or (what == CREATES and await answer.peek() is not None)
        if here:
            raise self.error()
        return answer


@contextmanager
def neo4j_faults(store: Neo4jStore) -> Iterator[Neo4jFaults]:
    """The store, with the driver's methods asking before each statement; it is closed in the end."""
    faults = Neo4jFaults(store)
    store.migrate()
    with ExitStack() as patches:
        for cls, name in (
            (AsyncSession, "begin_transaction"),
            (AsyncSession, "run"),
            (AsyncTransaction, "run"),
            (AsyncTransaction, "commit"),
        ):
            patches.enter_context(mock.patch.object(cls, name, _breakable(faults, cls, name)))
        yield faults
    store.close()


def _breakable(faults: Neo4jFaults, cls: type[Any], name: str) -> Callable[..., Awaitable[Any]]:
    original = getattr(cls, name)

    async def method(self: Any, *values: Any, **options: Any) -> Any:
        alone = cls is AsyncSession and name == "run"
        what = CREATES if alone and values[0].text == statement(CREATES) else name
        return await faults.run(what, lambda: original(self, *values, **options))

    return method
