"""Many writers at once: counts are exact, and no deadlock or transient error reaches a caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest
from neo4j.exceptions import DatabaseError, Neo4jError, ServiceUnavailable, SessionExpired, TransientError

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.causation import EdgeKind
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Level
from graphmem.domain.records import RecordKind
from graphmem.tooling.neo4j import RunningServer
from tests.builders import at, caused, changes, fact, failure, generalizes, job, pattern, record, request
from tests.contract.reading import Reader, at_once, counts, edges_of, one, put, records_of
from tests.neo4j_faults import neo4j_faults
from tests.neo4j_fixture import patient_store

pytestmark = pytest.mark.neo4j

CAPTURES = 50
ROUNDS = 2
"""100 rounds were run by hand."""


def capture(store: Neo4jStore, name: str, shared: tuple[str, str], number: int) -> None:
    """One failure of the same root cause: a node, an edge to the cause, its pattern, key, job and audit."""
    cause, lesson = shared
    new = failure("same", namespace=name, occurred_at=at(number), task_id=f"task {number}")
    store.apply(
        changes(
            new,
            edges=(
                caused(new, fact(id=cause)),
                generalizes(pattern(id=lesson), new),
            ),
            requests=(request(f"key {number}", new),),
            records=(record(RecordKind.AUDIT, subject=new.id),),
            jobs=(job(subject=new.id),),
            tight={lesson: True},
        )
    )


@pytest.fixture
def patient(neo4j_server: RunningServer) -> Iterator[Neo4jStore]:
    """A store whose callers wait for a minute: fifty that wait for each other need long on a busy machine."""
    with closing(Neo4jStore(neo4j_server.bolt_uri, deadline_s=60)) as opened:
        opened.migrate()
        yield opened


def test_concurrent_captures_of_one_root_cause_count_exactly(patient: Neo4jStore, name: str) -> None:
    """Fifty failures of one cause at once: fifty edges, frequency fifty, each level reached once."""
    store = patient
    for number in range(ROUNDS):
        space = f"{name} {number}"
        cause, lesson = put(store, fact("the root", namespace=space), pattern(namespace=space))
        at_once(lambda n: capture(store, space, (cause.id, lesson.id), n), CAPTURES, threads=CAPTURES)  # noqa: B023
        stored = one(store, lesson)
        assert (stored.frequency, stored.episodes, stored.level) == (CAPTURES, CAPTURES, Level.HIGH)
        assert len(edges_of(store, space, kinds=(EdgeKind.CAUSED_BY,), to_ids=(cause.id,))) == CAPTURES
        levels = Counter(item.body["to"] for item in records_of(store, RecordKind.TRANSITION, space))
        assert levels == {"MEDIUM": 1, "HIGH": 1}
        assert counts(store, space)["FAILURE"] == CAPTURES
        assert store.state(space).revision == CAPTURES + 1
        assert Reader(store, space).catch_up().digest == store.state(space).graph_digest


def test_namespaces_do_not_wait_for_each_other_in_a_circle(store: Neo4jStore, name: str) -> None:
    """Writers of several namespaces at once, each new: one node a namespace, all revisions without gap."""
    spaces = [f"{name} {number}" for number in range(4)]

    def write(number: int) -> tuple[str, int]:
        space = spaces[number % 4]
        return space, store.apply(changes(fact(namespace=space))).revision

    told = at_once(write, 40, threads=16)
    assert sorted(told) == sorted((space, revision) for space in spaces for revision in range(1, 11))
    assert set(spaces) <= set(store.namespaces())


def deadlock() -> Neo4jError:
    """What the server says of two transactions that wait for each other."""
    return TransientError("a deadlock")


def test_transient_errors_are_tried_again(neo4j_server: RunningServer, name: str) -> None:
    """Whichever statement of an action meets a deadlock: the action is done, once, and nobody is told."""
    with neo4j_faults(patient_store(neo4j_server.bolt_uri)) as faults:
        faults.error = deadlock
        for nth in range(1, 100):
            new = failure(namespace=name)
            audit = record(RecordKind.AUDIT, subject=new.id)
            key = request(f"key {nth}", new)
            action = changes(new, fact(namespace=name), requests=(key,), records=(audit,))
            faults.arm(nth, after=False)
            assert faults.store.apply(action).created
            assert faults.store.state(name).revision == nth
            if not faults.fired:
                break
        assert 4 < nth < 100


@pytest.mark.parametrize("error", [ServiceUnavailable, SessionExpired])
def test_a_broken_connection_is_tried_again(
    neo4j_server: RunningServer, name: str, error: type[Exception]
) -> None:
    """What lay in the pool when the server was restarted is no reason to refuse a call."""
    with neo4j_faults(patient_store(neo4j_server.bolt_uri)) as faults:
        faults.error = lambda: error("the connection is gone")  # type: ignore[assignment,return-value]
        for nth in (1, 2, 3):
            faults.arm(nth, after=False)
            audit = record(RecordKind.AUDIT, subject="x")
            faults.store.apply(changes(fact(namespace=name), records=(audit,)))
            assert faults.fired
        faults.arm(1, after=False)
        assert faults.store.state(name).revision == 3


def test_a_lost_answer_to_a_commit_is_told_and_its_key_resolves_it(
    neo4j_server: RunningServer, name: str
) -> None:
    """A commit is never repeated without being asked: it may have been done."""
    with neo4j_faults(patient_store(neo4j_server.bolt_uri)) as faults:
        faults.error = lambda: ServiceUnavailable("the connection is gone")  # type: ignore[assignment,return-value]
        new = fact(namespace=name)
        action = changes(new, requests=(request("k", new),))
        faults.arm(4, after=True)
        with pytest.raises(UnavailableError, match="retry with the same key"):
            faults.store.apply(action)
        assert faults.committed
        assert not faults.store.apply(action).created
        assert faults.store.state(name).revision == 1


def test_what_the_server_cannot_do_is_told(neo4j_server: RunningServer, name: str) -> None:
    with neo4j_faults(patient_store(neo4j_server.bolt_uri)) as faults:
        faults.error = lambda: DatabaseError("the disk is full")
        faults.arm(1, after=False)
        with pytest.raises(UnavailableError, match="the disk is full"):
            faults.store.state(name)


def test_another_database_than_there_is_is_told(neo4j_server: RunningServer) -> None:
    with (
        closing(patient_store(neo4j_server.bolt_uri, database="no-such")) as store,
        pytest.raises(UnavailableError, match="no-such"),
    ):
        store.migrate()
