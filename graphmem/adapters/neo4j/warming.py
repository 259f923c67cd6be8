"""The first writes after a server's start: planning them takes seconds, so it is done before anybody waits for it.

When a store is opened, and again in the background when a server was away and may have been started anew.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from threading import Event, Lock, Thread, current_thread
from typing import Any

from graphmem.adapters.neo4j import applying, creating
from graphmem.adapters.neo4j.books import Book, Guess
from graphmem.adapters.neo4j.server import Server, Session
from graphmem.domain.causation import CauseEdge, Edge, Evidence, GeneralizesEdge, Grade
from graphmem.domain.errors import GraphmemError, UnavailableError
from graphmem.domain.memories import Experience, Fact, Pattern, Result, SearchField
from graphmem.domain.records import Record, RecordKind
from graphmem.ports.changes import Changes, Request, Update

_MOST_S = 60
"""How long a server that answers may take to plan the first actions."""
_NAME = "graphmem warms up"
"""What namespaces begin with that are never committed."""
_AWAY_S = 120
"""How long a server is waited for that was away."""
_PAUSE_S, _LONGEST_S = 1.0, 15.0
"""The first pause between two looks, and the longest: each is twice the one before."""


def warm_up(server: Server) -> None:
    """Write and take back an action of every kind. Raises UnavailableError when that takes too long.

    That is waited for longer than a call may take: whoever writes first would wait for it in vain.
    """
    until = time.monotonic() + _MOST_S
    for actions in _actions(f"{_NAME} {secrets.token_hex(4)}"):
        server.write(
            lambda session, actions=actions: _apply(session, actions),  # type: ignore[misc]
            commit=False,
            deadline=until,
        )


def _apply(session: Session, actions: Iterable[Changes]) -> None:
    book = Book()
    for changes in actions:
        guess = Guess(changes, book)
        if not (creating.only_creates(changes) and any(creating.create(session, [guess]))):
            applying.apply(session, guess)


def _actions(namespace: str) -> tuple[tuple[Changes, ...], ...]:
    """Actions that belong into one transaction each: with every statement of a write, short and long."""
    at = datetime(2000, 1, 1, tzinfo=UTC)
    common: dict[str, Any] = {"namespace": namespace, "occurred_at": at, "recorded_at": at}
    fact = Fact(id="1", statement=_NAME, vectors={SearchField.TEXT: bytes(4)}, **common)
    failure = Experience(id="2", action=_NAME, result=Result.FAILURE, **common)
    lesson = Pattern(id="3", lesson=_NAME, **common)
    cause, general = _edges(at)
    key = Request(key=_NAME, payload_hash=_NAME, memory_id=fact.id)
    audit = Record(kind=RecordKind.AUDIT, id=_NAME, at=at)
    create = Changes(namespace=namespace, at=at, create=(fact,), requests=(key,))
    again = Changes(namespace=namespace, at=at, create=(failure,), edges=(cause,))
    join = Changes(
        namespace=namespace, at=at, create=(failure, lesson), edges=(cause, general), records=(audit,)
    )
    update = Changes(namespace=namespace, at=at, update=(Update(memory=fact, expected_version=1),))
    return (create, again), (create, join), (create, update)


def _edges(at: datetime) -> tuple[Edge, Edge]:
    evidence = Evidence(Grade.ASSERTED, 0.5, _NAME, _NAME, at)
    return (
        CauseEdge(from_id="2", to_id="1", recorded_at=at, evidence=(evidence,)),
        GeneralizesEdge(from_id="3", to_id="2", recorded_at=at),
    )


class Returning:
    """Warms a server up in the background when it comes back, each time that a connection broke.

    It asks after 1, 2, 4, 8, then every 15 seconds, and at once when somebody else's call got through.
    """

    def __init__(self, server: Server, wait: Callable[[float], object] | None = None) -> None:
        """wait: sleeps so many seconds, by default until somebody's call got through at most."""
        self._server = server
        self._lock, self._ended, self._woken = Lock(), Event(), Event()
        self._pause = wait or self._woken.wait
        self._thread: Thread | None = None

    def begin(self) -> None:
        """A connection broke: wait for the server, unless that is done already."""
        with self._lock:
            if self._thread is None and not self._ended.is_set():
                self._woken.clear()
                self._thread = Thread(target=self._wait, name="graphmem-neo4j-warm-up", daemon=True)
                self._thread.start()

    def answered(self) -> None:
        """The server answered a call: if it is waited for, it is back."""
        if self._thread not in (None, current_thread()):
            self._woken.set()

    def end(self) -> None:
        """Wait no more."""
        self._ended.set()
        self._woken.set()

    def _wait(self) -> None:
        until, pause_s = time.monotonic() + _AWAY_S, _PAUSE_S
        try:
            while not self._ended.is_set() and time.monotonic() < until and not self._warm():
                self._pause(pause_s)
                self._woken.clear()
                pause_s = min(2 * pause_s, _LONGEST_S)
        finally:
            with self._lock:
                self._thread = None

    def _warm(self) -> bool:
        """Whether there is nothing more to wait for."""
        try:
            warm_up(self._server)
        except UnavailableError:
            return False
        except GraphmemError as error:
            logging.getLogger(__name__).info("the server is not warmed up: %s", error)
        return True
