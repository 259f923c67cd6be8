"""The server behind the store: an asynchronous driver on one background loop, and a deadline on every call.

A server that stands still answers nothing on a connection of the pool, for ever, whatever the driver is told;
only giving up from outside helps. So each wait for the driver is a wait on the loop with a time limit.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from threading import Condition, Thread
from typing import Any, LiteralString, TypeVar

from neo4j import AsyncSession, AsyncTransaction, Query, Record
from neo4j.exceptions import ConfigurationError, DriverError, Neo4jError

from graphmem.adapters.neo4j.addresses import check_address, no_address
from graphmem.adapters.neo4j.driver import open_driver
from graphmem.adapters.neo4j.failures import (
    BROKEN,
    WHEN_AWAY,
    as_ours,
    closed,
    late,
    may_pass,
    unknown_outcome,
)
from graphmem.adapters.neo4j.statements import statement
from graphmem.domain.errors import UnavailableError

_T = TypeVar("_T")

_MARGIN_S = 1.5
"""How long before the deadline a call is given up, so that the caller is told within it: many calls that waited for one
server are given up at once, and share a processor."""
_CLEAN_UP_S = 1.0
_PAUSES_S = (0.02, 0.1, 0.3)
"""Waits between attempts; the last one repeats."""
_RECONNECTIONS = 2
"""Attempts after a broken connection: one is used up by what lay in the pool when the server went away."""


class Session:
    """Runs the statements of one call: each on its own, or all in one transaction when writes is True.

    The transaction begins with the first statement. The server ends it when the deadline is over.
    """

    def __init__(self, server: Server, deadline: float, *, writes: bool) -> None:
        self._server, self._deadline, self._writes = server, deadline, writes
        self._session: AsyncSession | None = None
        self._transaction: AsyncTransaction | None = None

    def run(self, name: str, **parameters: Any) -> list[Record]:
        """All rows of queries/<name>.cypher."""
        work = self._run if self._writes else self._run_alone
        return self._server.wait(work(statement(name), parameters), self._deadline)

    def rows(self, name: str, **parameters: Any) -> list[Any]:
        """The list `rows` that queries/<name>.cypher answers in one row: what many things are read by.

        The driver takes longer to receive a row than to unpack a memory, and a list is one.
        """
        (answer,) = self.run(name, **parameters)
        return list(answer["rows"])

    async def _run(self, text: LiteralString, parameters: dict[str, Any]) -> list[Record]:
        if self._transaction is None:
            self._session = self._open()
            self._transaction = await self._session.begin_transaction(timeout=self._left())
        result = await self._transaction.run(text, parameters)
        return [record async for record in result]

    async def _run_alone(self, text: LiteralString, parameters: dict[str, Any]) -> list[Record]:
        session = self._open()
        try:
            async with session:
                result = await session.run(Query(text, timeout=self._left()), parameters)
                return [record async for record in result]
        finally:
            await _closed_for_good(session)

    def _open(self) -> AsyncSession:
        return self._server.driver.session(database=self._server.database, fetch_size=-1)

    def _left(self) -> float:
        return max(self._deadline - time.monotonic(), 0.001)

    def commit(self) -> None:
        """Commit. UnavailableError when the answer is lost: then the outcome is unknown."""
        try:
            self._server.wait(self._commit(), self._deadline)
        except DriverError as error:
            raise unknown_outcome(error) from error

    async def _commit(self) -> None:
        if self._transaction is not None and self._session is not None:
            await self._transaction.commit()
            session, self._session = self._session, None
            try:
                with suppress(DriverError, Neo4jError):  # it is committed all the same
                    await session.close()
            finally:
                await _closed_for_good(session)

    def end(self) -> None:
        """Roll back what was not committed and give the connection back, or drop it when that fails."""
        if self._session is None:
            return
        try:
            self._server.wait(self._end(self._session), time.monotonic() + 2 * _CLEAN_UP_S)
        except (UnavailableError, DriverError, Neo4jError):
            return

    async def _end(self, session: AsyncSession) -> None:
        try:
            async with asyncio.timeout(_CLEAN_UP_S):
                if self._transaction is not None:
                    await self._transaction.close()
                await session.close()
        finally:
            await _closed_for_good(session)


async def _closed_for_good(session: AsyncSession) -> None:
    """A close that failed leaves a session half open, with its connection: drop that, and there is nothing to ask."""
    session.cancel()
    await session.close()


class Server:
    """A Neo4j server. deadline_s: how long a call may take before it raises UnavailableError; when_away: the remedy
    that this names when the server cannot be reached; when_broken: called when a connection broke or could not be made,
    when_answered when a call came to its end.

    Raises BadInputError for an address that is none. The server is asked at the first call only.
    """

    def __init__(
        self,
        uri: str,
        auth: tuple[str, str] | None,
        database: str,
        deadline_s: float,
        when_away: str = WHEN_AWAY,
    ) -> None:
        check_address(uri)
        self._uri, self._when_away = uri, when_away
        self.database = database
        self.when_broken: Callable[[], None] = lambda: None
        self.when_answered: Callable[[], None] = lambda: None
        self._patience = max(deadline_s - _MARGIN_S, deadline_s / 2)
        self._calls = Condition()
        self._running, self._closed = 0, False
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="graphmem-neo4j", daemon=True)
        self._thread.start()
        try:
            self.driver = self.wait(open_driver(uri, auth), time.monotonic() + self._patience)
        except (ConfigurationError, ValueError) as error:
            self._stop_loop()
            raise no_address(uri) from error

    def deadline(self) -> float:
        """When a call that begins now must end, for calls that read or write several times."""
        return time.monotonic() + self._patience

    def read(self, work: Callable[[Session], _T], *, deadline: float | None = None) -> _T:
        """What the work answers; its statements see what was committed before each of them."""
        return self._attempts(lambda until: work(Session(self, until, writes=False)), deadline)

    def write_alone(self, work: Callable[[Session], _T], *, deadline: float) -> _T:
        """What the work answers, whose one statement the server commits by itself. It may be sent several times."""
        return self.read(work, deadline=deadline)

    def write(
        self, work: Callable[[Session], _T], *, commit: bool = True, deadline: float | None = None
    ) -> _T:
        """Commit all that the work writes, or nothing when it raises. It may be done several times.

        commit: False takes everything back in the end, as for a lock that is only waited for.
        """

        def in_transaction(session: Session) -> _T:
            answer = work(session)
            if commit:
                session.commit()
            return answer

        return self._attempts(lambda until: self._once(in_transaction, until), deadline)

    def _once(self, work: Callable[[Session], _T], deadline: float) -> _T:
        session = Session(self, deadline, writes=True)
        try:
            return work(session)
        finally:
            session.end()

    def _attempts(self, attempt: Callable[[float], _T], until: float | None) -> _T:
        deadline, broken, number = until or self.deadline(), 0, 0
        with self._call(), as_ours(self._uri, self._when_away):
            while True:
                try:
                    answer = attempt(deadline)
                except (DriverError, Neo4jError) as error:
                    pause = _PAUSES_S[min(number, len(_PAUSES_S) - 1)]
                    if isinstance(error, BROKEN):
                        broken += 1
                        self.when_broken()
                    over = broken > _RECONNECTIONS or time.monotonic() + pause >= deadline
                    if over or not may_pass(error):
                        raise
                    number += 1
                    time.sleep(pause)
                else:
                    self.when_answered()
                    return answer

    @contextmanager
    def _call(self) -> Iterator[None]:
        with self._calls:
            if self._closed:
                raise closed()
            self._running += 1
        try:
            yield
        finally:
            with self._calls:
                self._running -= 1
                self._calls.notify_all()

    def wait(self, work: Coroutine[Any, Any, _T], deadline: float) -> _T:
        """What the coroutine answers on the loop. Raises UnavailableError at the deadline."""
        left = deadline - time.monotonic()
        if left <= 0:
            work.close()
            raise late()
        limited = _within(work, left)
        try:
            future = asyncio.run_coroutine_threadsafe(limited, self._loop)
        except RuntimeError as error:
            limited.close()
            work.close()
            raise closed() from error
        try:
            return future.result(left + _CLEAN_UP_S)
        except TimeoutError as error:
            future.cancel()
            raise late() from error
        except CancelledError as error:
            raise closed() from error

    def close(self) -> None:
        """Refuse new calls, let running ones end, then close all connections."""
        with self._calls:
            if self._closed:
                return
            self._closed = True
            if not self._calls.wait_for(self._idle, self._patience + _CLEAN_UP_S):
                self._loop.call_soon_threadsafe(self._break_off)
                self._calls.wait_for(self._idle, 2 * _CLEAN_UP_S)
        try:
            self.wait(self.driver.close(), time.monotonic() + _CLEAN_UP_S)
        except (UnavailableError, DriverError, Neo4jError, OSError) as error:
            logging.getLogger(__name__).info("the driver did not close in order: %s", error)
        self._stop_loop()

    def _idle(self) -> bool:
        return not self._running

    def _break_off(self) -> None:
        """What is cut off gives its connection back while the loop still runs."""
        for task in asyncio.all_tasks(self._loop):
            task.cancel()

    def _stop_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLEAN_UP_S)
        if not self._loop.is_running():
            self._loop.close()


async def _within(work: Coroutine[Any, Any, _T], seconds: float) -> _T:
    async with asyncio.timeout(seconds):
        return await work
