"""A server that is down, stands still or says nothing: every call ends in time, and says what to do."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TypeVar

import pytest
from neo4j import AsyncSession
from neo4j.exceptions import SessionExpired

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.config import server_home
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.ports.store import Capability
from graphmem.tooling.neo4j import RunningServer
from graphmem.tooling.neo4j.records import Record, write_record
from tests.builders import changes, fact, request
from tests.contract.reading import at_once
from tests.contract.test_failures import CALLS
from tests.neo4j_fixture import patient_store

DEADLINE_S = 2.0
T = TypeVar("T")


@contextmanager
def unavailable_within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    with pytest.raises(UnavailableError) as refusal:
        yield
    assert time.monotonic() - began <= seconds
    assert refusal.value.remedy


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture
def half_open() -> Iterator[str]:
    """The address of something that accepts connections and never answers."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=50)) as listener:
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def no_server() -> Iterator[str]:
    """The address of something that answers, in another language."""

    def answer(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with closing(connection):
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        Thread(target=answer, args=(listener,), daemon=True).start()
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("call", CALLS)
def test_a_server_that_is_down_is_told_at_once(call: str) -> None:
    with closing(Neo4jStore(f"bolt://127.0.0.1:{free_port()}")) as store, unavailable_within(3):
        CALLS[call](store)


@pytest.mark.parametrize("call", CALLS)
def test_a_server_that_says_nothing_is_given_up_in_time(half_open: str, call: str) -> None:
    with closing(Neo4jStore(half_open, deadline_s=1.0)) as store, unavailable_within(1.0):
        CALLS[call](store)


def test_many_calls_are_given_up_in_time(half_open: str) -> None:
    with closing(Neo4jStore(half_open, deadline_s=1.0)) as store:

        def call(_: int) -> None:
            with unavailable_within(1.5):
                store.state("x")

        at_once(call, 16, threads=16)


def test_what_is_no_neo4j_is_told(no_server: str) -> None:
    with closing(Neo4jStore(no_server, deadline_s=DEADLINE_S)) as store, unavailable_within(DEADLINE_S):
        store.state("x")


@pytest.mark.parametrize("uri", ["", "bolt", "http://127.0.0.1", "sqlite:///x", "bolt://127.0.0.1:port"])
def test_an_address_that_is_none_is_refused(uri: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        Neo4jStore(uri)
    assert refusal.value.field == "store"


def test_it_says_what_it_is_able_to_do_without_a_server() -> None:
    with closing(Neo4jStore("bolt://127.0.0.1:1")) as store:
        assert store.capabilities == {Capability.SERVER}


def test_closing_needs_no_server() -> None:
    store = Neo4jStore(f"bolt://127.0.0.1:{free_port()}")
    store.close()
    store.close()
    with pytest.raises(UnavailableError, match="closed"):
        store.state("x")


def test_the_driver_speaks_of_errors_only() -> None:
    with closing(Neo4jStore("bolt://127.0.0.1:1")):
        assert logging.getLogger("neo4j").getEffectiveLevel() == logging.ERROR


def status_of(store: str, data: Path) -> str:
    """What a process says on its terminal whose store does not answer."""
    done = subprocess.run(
        [sys.executable, "-m", "graphmem", "--store", store, "status"],
        cwd=Path(__file__).parents[4],
        env=os.environ | {"XDG_DATA_HOME": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
def test_a_process_says_once_that_the_server_is_down(tmp_path: Path, scheme: str) -> None:
    """What the driver would log stays off a person's terminal."""
    store = f"{scheme}://127.0.0.1:{free_port()}"
    (said,) = status_of(store, tmp_path).splitlines()
    assert f"the server at {store} cannot be reached" in said
    assert "retry" in said
    assert "graphmem neo4j start" not in said


def test_it_says_how_to_start_the_server_of_this_machine(tmp_path: Path) -> None:
    port, home = free_port(), server_home({"XDG_DATA_HOME": str(tmp_path)})
    home.mkdir(parents=True)
    write_record(home, Record(version="5.26.29", bolt_port=port, http_port=port + 1))
    (said,) = status_of(f"bolt://127.0.0.1:{port}", tmp_path).splitlines()
    assert "graphmem neo4j start" in said


@contextmanager
def standing_still(server: RunningServer) -> Iterator[None]:
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


@pytest.mark.neo4j
@pytest.mark.parametrize("pooled", [True, False], ids=["pooled", "new"])
def test_a_server_that_stands_still_is_given_up_in_time(
    neo4j_server: RunningServer, name: str, pooled: bool
) -> None:
    """Nothing hangs, nothing is half done, and the store works again when the server does, without a restart."""
    with closing(patient_store(neo4j_server.bolt_uri)) as patient:
        patient.migrate()
        patient.apply(changes(fact(namespace=name)))
        new = fact(namespace=name)
        action = changes(new, requests=(request("k", new),))
        with closing(Neo4jStore(neo4j_server.bolt_uri, deadline_s=DEADLINE_S)) as store:
            if pooled:
                _until_it_works(lambda: at_once(lambda _: store.state(name), 8))
            with standing_still(neo4j_server):
                for call in (lambda: store.state(name), lambda: store.apply(action), store.migrate):
                    with unavailable_within(DEADLINE_S):
                        call()
            _until_it_works(lambda: patient.apply(action))
            assert _until_it_works(lambda: store.state(name)).revision == 2
            assert not _until_it_works(lambda: store.apply(action)).created


@pytest.mark.neo4j
def test_a_session_that_fails_to_end_is_not_left_open(
    neo4j_server: RunningServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the driver warns of it when it is collected, which fails this test."""
    ended, failed = AsyncSession._disconnect, 0

    async def cut(session: AsyncSession, sync: bool = False) -> None:
        nonlocal failed
        await ended(session, sync)
        failed += 1
        if failed == 1:
            raise SessionExpired("cut off while it was given back")

    with closing(patient_store(neo4j_server.bolt_uri)) as store:
        store.migrate()
        monkeypatch.setattr(AsyncSession, "_disconnect", cut)
        assert store.state(name).revision == 0
        failed = 0
        with suppress(UnavailableError):  # the answer to the commit may be what was cut off
            store.apply(changes(fact(namespace=name)))
        assert store.state(name).revision == 1
    gc.collect()


def _until_it_works(call: Callable[[], T]) -> T:
    """What the call answers in the end: a server that was stopped, or is cold, needs more than the short deadline."""
    for _ in range(30):
        with suppress(UnavailableError):
            return call()
        time.sleep(0.2)
    pytest.fail("the store did not come back")


@pytest.mark.neo4j
def test_stores_come_and_go_in_one_process(neo4j_server: RunningServer, name: str) -> None:
    """Each store has its loop, whoever else runs one; none is left behind."""
    for number in range(5):
        with closing(patient_store(neo4j_server.bolt_uri)) as store:
            assert store.migrate().applied == () if number else True
            assert store.apply(changes(fact(namespace=name))).revision == number + 1


@pytest.mark.neo4j
def test_closing_while_others_work_loses_nothing_acknowledged(neo4j_server: RunningServer, name: str) -> None:
    acknowledged: list[str] = []
    store = patient_store(neo4j_server.bolt_uri)
    store.migrate()

    def work(number: int) -> None:
        if number == 0:
            while len(acknowledged) < 10:
                time.sleep(0.001)
            store.close()
            return
        try:
            for _ in range(200):
                made = fact(namespace=name)
                store.apply(changes(made))
                acknowledged.append(made.id)
        except UnavailableError:
            return

    at_once(work, 5, threads=5)
    with closing(patient_store(neo4j_server.bolt_uri)) as again:
        assert len(again.get(name, acknowledged)) == len(acknowledged) >= 10
