"""A write that only creates is one statement; whatever is in its way sends it the long way, with the same outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from neo4j.exceptions import ServiceUnavailable

from graphmem.adapters.neo4j.books import Books
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import (
    BadInputError,
    ConflictError,
    ForgottenError,
    GraphmemError,
    NotFoundError,
    StaleError,
    UnavailableError,
)
from graphmem.ports.ledger import Ledger
from graphmem.tooling.neo4j import RunningServer
from tests.builders import caused, changes, fact, failure, job, pattern, request
from tests.contract.reading import Reader, at_once, edges_of, found, one, put
from tests.neo4j_faults import CREATES, Neo4jFaults, neo4j_faults
from tests.unit.adapters.neo4j.conftest import Say
from tests.unit.adapters.neo4j.test_saving import OPEN, SAVE, Statements, statements

__all__ = ["statements"]
pytestmark = pytest.mark.neo4j

Action = Callable[[Neo4jStore, str], object]


def cause_of_no_kind(store: Neo4jStore, name: str) -> object:
    """A pattern causes nothing."""
    (lesson,) = put(store, pattern(namespace=name))
    new = failure(namespace=name)
    return changes(new, edges=(caused(new, lesson),))


def forgotten_key(store: Neo4jStore, name: str) -> object:
    """A key whose memory was erased."""
    old = fact(namespace=name)
    put(store, old, requests=(request("gone", old),))
    store.apply(changes(erase=(old.id,), namespace=name))
    return changes(fact(namespace=name), requests=(request("gone"),))


def used_key(store: Neo4jStore, name: str) -> object:
    """A key with another payload."""
    put(store, fact(namespace=name), requests=(request("used"),))
    return changes(fact(namespace=name), requests=(request("used", payload="another"),))


def used_id(store: Neo4jStore, name: str) -> object:
    """An id that names a memory."""
    (old,) = put(store, fact(namespace=name))
    return changes(fact(id=old.id, namespace=name))


def cause_of_nowhere(_: Neo4jStore, name: str) -> object:
    """A cause that is not there."""
    new = failure(namespace=name)
    return changes(new, edges=(caused(new, fact(namespace=name)),))


def other_parameters(_: Neo4jStore, name: str) -> object:
    """Vectors of another embedder."""
    return changes(fact(namespace=name), expected_parameters_version=7)


REFUSED: dict[type[GraphmemError], tuple[Action, ...]] = {
    BadInputError: (cause_of_no_kind, used_id),
    ForgottenError: (forgotten_key,),
    ConflictError: (used_key,),
    NotFoundError: (cause_of_nowhere,),
    StaleError: (other_parameters,),
}


@pytest.mark.parametrize(
    ("error", "make"),
    [(error, make) for error, makes in REFUSED.items() for make in makes],
    ids=lambda value: value.__name__,
)
def test_what_is_in_its_way_is_told_as_ever(
    store: Neo4jStore, name: str, error: type[GraphmemError], make: Action
) -> None:
    put(store, fact(namespace=name))
    action = make(store, name)
    before = store.state(name)
    with pytest.raises(error):
        store.apply(action)  # type: ignore[arg-type]
    assert store.state(name) == before
    assert store.apply(changes(fact(namespace=name))).revision == before.revision + 1


def test_an_id_that_was_erased_is_used_again(store: Neo4jStore, name: str, statements: Statements) -> None:
    (old,) = put(store, fact(namespace=name))
    store.apply(changes(erase=(old.id,), namespace=name))
    assert statements(changes(fact(id=old.id, namespace=name))) == [CREATES, OPEN, SAVE]
    reader = Reader(store, name).catch_up()
    assert reader.digest == store.state(name).graph_digest


def test_a_job_that_waits_is_written_over(store: Neo4jStore, name: str, statements: Statements) -> None:
    waiting = job(subject="x")
    put(store, fact(namespace=name), jobs=(waiting,))
    assert statements(changes(fact(namespace=name), jobs=(waiting,))) == [CREATES, OPEN, SAVE]
    assert store.state(name).pending_jobs + store.state(name).pending_analyses == 1


def test_causes_may_be_created_with_their_effects(
    store: Neo4jStore, name: str, statements: Statements
) -> None:
    put(store, fact(namespace=name))
    first, second = failure(namespace=name), failure(namespace=name)
    twice = (caused(second, first), caused(second, first))
    assert statements(changes(second, first, edges=twice)) == [CREATES]
    assert [(edge.from_id, edge.to_id) for edge in edges_of(store, name)] == [(second.id, first.id)]
    assert Reader(store, name).catch_up().digest == store.state(name).graph_digest


def test_two_processes_do_not_guess_in_vain(
    neo4j_server: RunningServer, store: Neo4jStore, name: str, statements: Statements
) -> None:
    """Who finds that another one wrote reads before it writes, until it is alone again."""
    with closing(Neo4jStore(neo4j_server.bolt_uri)) as other:
        put(store, fact(namespace=name))
        put(other, fact(namespace=name))
        assert statements(changes(fact(namespace=name))) == [CREATES, OPEN, SAVE]
        put(other, fact(namespace=name))
        assert statements(changes(fact(namespace=name))) == [OPEN, SAVE]
        assert statements(changes(fact(namespace=name))) == [OPEN, SAVE]
        assert statements(changes(fact(namespace=name))) == [CREATES]
    assert store.state(name).revision == 7
    assert sorted(memory.revision for memory in found(store, name)) == list(range(1, 8))


def test_a_ledger_that_a_person_edited_is_read_again(
    store: Neo4jStore, name: str, statements: Statements, say: Say
) -> None:
    put(store, fact(namespace=name))
    say("MATCH (n:Namespace {name: $name}) SET n.refs = '{\"F\":41}'", name=name)
    new = fact(namespace=name)
    assert statements(changes(new)) == [CREATES, OPEN, SAVE]
    assert one(store, new).ref == "F-42"


def test_writers_of_two_processes_count_exactly(
    neo4j_server: RunningServer, store: Neo4jStore, name: str
) -> None:
    with closing(Neo4jStore(neo4j_server.bolt_uri)) as other:
        put(store, fact(namespace=name))
        at_once(lambda n: (store, other)[n % 2].apply(changes(fact(namespace=name))), 40, threads=8)
    memories = found(store, name)
    assert sorted(memory.revision for memory in memories) == list(range(1, 42))
    assert {memory.ref for memory in memories} == {f"F-{number}" for number in range(1, 42)}
    assert Reader(store, name).catch_up().digest == store.state(name).graph_digest


@pytest.fixture
def faults(neo4j_server: RunningServer) -> Iterator[Neo4jFaults]:
    """A store whose answers can be lost."""
    with neo4j_faults(Neo4jStore(neo4j_server.bolt_uri)) as breaking:
        breaking.error = lambda: ServiceUnavailable("the connection is gone")  # type: ignore[assignment,return-value]
        yield breaking


@pytest.mark.parametrize("after", [False, True], ids=["not done", "done"])
def test_a_lost_answer_is_found_again(faults: Neo4jFaults, name: str, after: bool) -> None:
    """The statement is sent again, finds whether it was done, and the caller gets the answer that was lost."""
    put(faults.store, fact(namespace=name))
    new = fact(namespace=name)
    faults.arm(1, after=after)
    receipt = faults.store.apply(changes(new, requests=(request("k", new),)))
    assert faults.fired
    assert (receipt.created, receipt.revision, receipt.memories) == (True, 2, (one(faults.store, new),))
    assert len(found(faults.store, name)) == faults.store.state(name).revision == 2


def test_a_lost_answer_after_which_another_wrote_is_told(
    faults: Neo4jFaults, neo4j_server: RunningServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a key the first outcome is found; without one the caller is told, and nothing is written twice."""
    with closing(Neo4jStore(neo4j_server.bolt_uri)) as other:
        put(faults.store, fact(namespace=name))

        def gone() -> ServiceUnavailable:
            put(other, fact(namespace=name))
            return ServiceUnavailable("the connection is gone")

        faults.error = gone  # type: ignore[assignment]
        faults.arm(1, after=True)
        with pytest.raises(UnavailableError, match="lost"):
            faults.store.apply(changes(fact(namespace=name)))
        put(faults.store, fact(namespace=name))
        put(faults.store, fact(namespace=name))
        new = fact(namespace=name)
        faults.arm(1, after=True)
        receipt = faults.store.apply(changes(new, requests=(request("k", new),)))
    assert (receipt.created, receipt.receipts[0].memory_id) == (False, new.id)
    assert len(found(faults.store, name)) == faults.store.state(name).revision


def test_books_forget_namespaces_that_nobody_writes_to() -> None:
    books = Books()
    first = books.of("0")
    first.turn(Ledger("0"), Ledger("0", revision=1))
    assert books.of("0").ledger == Ledger("0", revision=1)
    for number in range(1, 300):
        books.of(str(number))
    assert books.of("0").ledger is None
