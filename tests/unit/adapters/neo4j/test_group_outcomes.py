"""What callers of a group are told when its answer is lost, its leader fails, or the store is closed meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from threading import Event, Thread
from typing import Any

import pytest
from neo4j.exceptions import ServiceUnavailable

from graphmem.adapters.neo4j import creating
from graphmem.adapters.neo4j.grouping import MOST
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import UnavailableError
from graphmem.ports.changes import Changes, Receipt
from graphmem.tooling.neo4j import RunningServer
from tests.builders import changes, fact, request
from tests.contract.reading import put
from tests.neo4j_faults import Neo4jFaults, neo4j_faults
from tests.neo4j_fixture import PATIENCE_S, patient_store
from tests.unit.adapters.neo4j.together import check_whole, revisions, together, told_as_stored

pytestmark = pytest.mark.neo4j


@pytest.fixture
def faults(neo4j_server: RunningServer) -> Iterator[Neo4jFaults]:
    """A store whose answers can be lost, and nothing is sent in the background."""
    opened = patient_store(neo4j_server.bolt_uri)
    opened._server.when_broken = lambda: None
    with neo4j_faults(opened) as breaking:
        breaking.error = lambda: ServiceUnavailable("the connection is gone")  # type: ignore[assignment,return-value]
        yield breaking


def with_and_without_keys(name: str) -> list[Changes]:
    """Four actions, every other one with a key."""
    new = [fact(namespace=name) for _ in range(4)]
    return [
        changes(each, requests=(request(f"k{number}", each),) if number % 2 else ())
        for number, each in enumerate(new)
    ]


@pytest.mark.parametrize("after", [False, True], ids=["not done", "done"])
def test_a_lost_answer_of_a_group_is_found_again(faults: Neo4jFaults, name: str, after: bool) -> None:
    put(faults.store, fact(namespace=name))
    faults.arm(1, after=after)
    told = together(faults.store, *with_and_without_keys(name))
    assert faults.fired
    assert sorted(revisions(told)) == [2, 3, 4, 5]  # type: ignore[type-var]
    assert all(told_as_stored(faults.store, each) for each in told)
    check_whole(faults.store, name)


@pytest.mark.parametrize("after", [False, True], ids=["not done", "done"])
def test_a_leader_that_loses_the_server_leaves_each_to_find_out(
    faults: Neo4jFaults, name: str, after: bool
) -> None:
    """The server answers nobody until the leader gave up: it is told so, and the others learn what happened."""
    put(faults.store, fact(namespace=name))
    times = 0

    def gone() -> ServiceUnavailable:
        nonlocal times
        times += 1
        if times < 3:
            faults.arm(1, after=False)
        return ServiceUnavailable("the connection is gone")

    faults.error = gone  # type: ignore[assignment]
    faults.arm(1, after=after)
    actions = with_and_without_keys(name)
    told = together(faults.store, *actions)
    assert isinstance(told[0], UnavailableError)
    assert revisions(told)[1:] == ([3, 4, 5] if after else [2, 3, 4])
    assert all(told_as_stored(faults.store, each) for each in told[1:])
    assert bool(faults.store.get(name, [actions[0].create[0].id])) is after
    check_whole(faults.store, name)


def test_after_a_lost_answer_another_process_wrote(
    faults: Neo4jFaults, neo4j_server: RunningServer, name: str
) -> None:
    """Whoever has a key is told the first outcome, who has none that it is lost; nothing is written twice."""
    put(faults.store, fact(namespace=name))
    with closing(patient_store(neo4j_server.bolt_uri)) as other:

        def gone() -> ServiceUnavailable:
            put(other, fact(namespace=name))
            return ServiceUnavailable("the connection is gone")

        faults.error = gone  # type: ignore[assignment]
        faults.arm(1, after=True)
        told = together(faults.store, *with_and_without_keys(name))
    for number, each in enumerate(told):
        if number % 2:
            assert isinstance(each, Receipt)
            assert (each.created, each.receipts[0].revision) == (False, number + 2)
        else:
            assert isinstance(each, UnavailableError)
            assert "lost" in str(each)
    check_whole(faults.store, name)


def test_a_leader_that_is_interrupted_leaves_each_to_find_out(
    store: Neo4jStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, fact(namespace=name))
    create = creating.create

    def interrupted(*values: Any, **named: Any) -> Any:
        create(*values, **named)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(creating, "create", interrupted)
    told = together(store, *with_and_without_keys(name))
    assert revisions(told) == [KeyboardInterrupt, 3, 4, 5]
    assert all(told_as_stored(store, each) for each in told[1:])
    check_whole(store, name)


def test_a_group_that_is_under_way_is_ended_before_the_store_closes(
    neo4j_server: RunningServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its members are told; who waits behind them is refused."""
    store = patient_store(neo4j_server.bolt_uri)
    store.migrate()
    put(store, fact(namespace=name))
    run, closer = Session.run, Thread(target=store.close)

    def held(self: Session, statement: str, **parameters: Any) -> Any:
        closer.start()
        give_up = time.monotonic() + PATIENCE_S
        while not store._server._closed and time.monotonic() < give_up:
            Event().wait(0.001)
        return run(self, statement, **parameters)

    monkeypatch.setattr(Session, "run", held)
    told = together(store, *(changes(fact(namespace=name)) for _ in range(MOST + 2)))
    closer.join()
    monkeypatch.undo()
    assert revisions(told) == [*range(2, MOST + 2), UnavailableError, UnavailableError]
    with closing(patient_store(neo4j_server.bolt_uri)) as again:
        assert all(told_as_stored(again, each) for each in told[:MOST])
        check_whole(again, name)
