"""Actions that wait for one namespace are one statement; each caller is told what it would be told alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from graphmem.adapters.neo4j.grouping import MOST
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import (
    BadInputError,
    ConflictError,
    GraphmemError,
    NotFoundError,
    StaleError,
)
from graphmem.ports.changes import Changes, Receipt
from graphmem.tooling.neo4j import RunningServer
from tests.builders import caused, changes, fact, failure, job, request
from tests.contract.reading import edges_of, found, one, put
from tests.neo4j_faults import CREATES
from tests.neo4j_fixture import patient_store
from tests.unit.adapters.neo4j.test_saving import OPEN, SAVE
from tests.unit.adapters.neo4j.together import check_whole, revisions, together, told_as_stored

pytestmark = pytest.mark.neo4j


def test_actions_that_wait_are_one_statement(store: Neo4jStore, name: str, sent: list[str]) -> None:
    """With their causes, keys and jobs; revisions and references in the order in which they came."""
    (cause,) = put(store, fact(namespace=name))
    new = [failure(namespace=name) for _ in range(8)]
    actions = [
        changes(
            each,
            edges=(caused(each, cause),),
            requests=(request(f"k{number}", each),),
            jobs=(job(subject=each.id),),
        )
        for number, each in enumerate(new)
    ]
    sent.clear()
    told = together(store, *actions)
    assert sent == [CREATES]
    assert revisions(told) == list(range(2, 10))
    assert [one(store, each).ref for each in new] == [f"E-{number}" for number in range(1, 9)]
    assert all(told_as_stored(store, each) for each in told)
    assert len(edges_of(store, name, to_ids=(cause.id,))) == 8
    state = store.state(name)
    assert state.pending_jobs + state.pending_analyses == 8
    check_whole(store, name)
    for action, first in zip(actions, told, strict=True):
        again = store.apply(action)
        assert isinstance(first, Receipt)
        assert (again.created, again.receipts) == (False, first.receipts)


def test_more_than_a_group_are_several(store: Neo4jStore, name: str, sent: list[str]) -> None:
    put(store, fact(namespace=name))
    sent.clear()
    told = together(store, *(changes(fact(namespace=name)) for _ in range(MOST + 2)))
    assert sent == [CREATES, CREATES]
    assert revisions(told) == list(range(2, MOST + 4))
    check_whole(store, name)


def test_where_nothing_is_known_the_first_one_reads(store: Neo4jStore, name: str, sent: list[str]) -> None:
    told = together(store, *(changes(fact(namespace=name)) for _ in range(3)))
    assert sent[-3:] == [OPEN, SAVE, CREATES]
    assert revisions(told) == [1, 2, 3]
    check_whole(store, name)


@pytest.mark.parametrize("payload", ["p", "another"])
def test_a_key_twice_in_a_group_is_written_once(
    store: Neo4jStore, name: str, sent: list[str], payload: str
) -> None:
    """Whoever comes second is told what it would be told later."""
    put(store, fact(namespace=name))
    first, second = fact(namespace=name), fact(namespace=name)
    sent.clear()
    told = together(
        store,
        changes(first, requests=(request("k", first, payload="p"),)),
        changes(second, requests=(request("k", second, payload=payload),)),
        changes(fact(namespace=name)),
    )
    assert sent == [CREATES, CREATES, OPEN]
    if payload == "p":
        assert isinstance(told[1], Receipt)
        assert (told[1].created, told[1].receipts[0].memory_id) == (False, first.id)
    else:
        assert isinstance(told[1], ConflictError)
    assert (revisions(told)[0], revisions(told)[2], len(found(store, name))) == (2, 3, 3)
    check_whole(store, name)


def test_an_id_twice_in_a_group_is_written_once(store: Neo4jStore, name: str, sent: list[str]) -> None:
    put(store, fact(namespace=name))
    first = fact(namespace=name)
    sent.clear()
    told = together(store, changes(first), changes(fact(id=first.id, namespace=name)))
    assert revisions(told) == [2, BadInputError]
    assert sent == [CREATES, CREATES, OPEN]
    check_whole(store, name)


def test_a_job_twice_in_a_group_is_written_over(store: Neo4jStore, name: str) -> None:
    put(store, fact(namespace=name))
    waiting = job(subject="x")
    told = together(store, *(changes(fact(namespace=name), jobs=(waiting,)) for _ in range(2)))
    assert revisions(told) == [2, 3]
    assert store.state(name).pending_jobs + store.state(name).pending_analyses == 1
    check_whole(store, name)


def test_a_cause_in_the_same_group_comes_before_its_effect(
    store: Neo4jStore, name: str, sent: list[str]
) -> None:
    put(store, fact(namespace=name))
    cause, effect = failure(namespace=name), failure(namespace=name)
    sent.clear()
    told = together(
        store, changes(cause), changes(effect, edges=(caused(effect, cause),)), changes(fact(namespace=name))
    )
    assert sent == [CREATES, CREATES]
    assert revisions(told) == [2, 4, 3]
    assert [(edge.from_id, edge.to_id) for edge in edges_of(store, name)] == [(effect.id, cause.id)]
    check_whole(store, name)


def stale(name: str) -> Changes:
    """Refused before it is sent."""
    return changes(fact(namespace=name), expected_parameters_version=7)


def without_cause(name: str) -> Changes:
    """Refused by the server."""
    new = failure(namespace=name)
    return changes(new, edges=(caused(new, fact(namespace=name)),))


def unsendable(name: str) -> Changes:
    """Refused by the driver."""
    return changes(fact(namespace=name), jobs=(job(subject="x", attempt=2**70),))


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize(
    ("make", "error", "statements"),
    [(stale, StaleError, 1), (without_cause, NotFoundError, 4), (unsendable, BadInputError, 4)],
    ids=["stale", "without cause", "unsendable"],
)
def test_a_bad_action_spoils_nobody_elses(
    store: Neo4jStore,
    name: str,
    sent: list[str],
    make: Callable[[str], Changes],
    error: type[GraphmemError],
    statements: int,
    place: int,
) -> None:
    """Whether it leads or follows: the others are written, and it is told what is wrong with it."""
    put(store, fact(namespace=name))
    actions = [changes(fact(namespace=name)) for _ in range(3)]
    actions.insert(place, make(name))
    sent.clear()
    told = together(store, *actions)
    assert isinstance(told.pop(place), error)
    assert sorted(revisions(told)) == [2, 3, 4]  # type: ignore[type-var]
    assert all(told_as_stored(store, each) for each in told)
    assert sent.count(CREATES) >= statements
    check_whole(store, name)


def test_where_another_process_wrote_each_goes_on_alone(
    neo4j_server: RunningServer, store: Neo4jStore, name: str, sent: list[str]
) -> None:
    with closing(patient_store(neo4j_server.bolt_uri)) as other:
        put(store, fact(namespace=name))
        put(other, fact(namespace=name))
    sent.clear()
    told = together(store, *(changes(fact(namespace=name)) for _ in range(4)))
    assert revisions(told) == [3, 4, 5, 6]
    assert sent == [CREATES, CREATES, OPEN, SAVE, OPEN, SAVE, CREATES, CREATES]
    check_whole(store, name)
