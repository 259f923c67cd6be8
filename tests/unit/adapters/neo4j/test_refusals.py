"""What cannot be stored is refused before it does harm, and what the driver says reaches nobody as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConstraintError,
    CypherSyntaxError,
    DatabaseError,
    IncompleteCommit,
    ServiceUnavailable,
    TransientError,
)

from graphmem.adapters.neo4j.failures import as_ours, may_pass
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import BadInputError, ConflictError, UnavailableError
from graphmem.ports.changes import Changes, RestoreBatch
from graphmem.ports.queries import PageRequest, Selection
from tests.builders import changes, fact, job, record, request
from tests.contract.reading import at_once, snapshot

HALF = "a\ud800b"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (AuthError("wrong password"), UnavailableError),
        (ServiceUnavailable("down"), UnavailableError),
        (IncompleteCommit("lost"), UnavailableError),
        (TransientError("deadlock"), UnavailableError),
        (DatabaseError("disk full"), UnavailableError),
        (ClientError("no such database"), UnavailableError),
        (ConstraintError("E-7 is there"), ConflictError),
        (OverflowError("too wide"), BadInputError),
        (UnicodeEncodeError("utf-8", HALF, 1, 2, "surrogates"), BadInputError),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_what_the_driver_says_becomes_ours(error: Exception, expected: type[Exception]) -> None:
    with pytest.raises(expected) as raised, as_ours():
        raise error
    assert raised.type is expected
    assert raised.value.__cause__ is error


def test_a_mistake_in_a_statement_is_no_outage() -> None:
    error = CypherSyntaxError("MATCH what?")
    error._neo4j_code = "Neo.ClientError.Statement.SyntaxError"
    with pytest.raises(CypherSyntaxError), as_ours():
        raise error


def test_only_what_did_nothing_is_tried_again() -> None:
    assert may_pass(TransientError("deadlock"))
    assert may_pass(ServiceUnavailable("down"))
    assert not may_pass(IncompleteCommit("perhaps"))
    assert not may_pass(DatabaseError("disk full"))
    assert not may_pass(ConstraintError("taken"))


@pytest.mark.neo4j
@pytest.mark.parametrize(
    "bad",
    [
        lambda name: changes(fact(HALF, namespace=name)),
        lambda name: changes(fact(session_id=HALF, namespace=name)),
        lambda name: changes(fact(tags=(HALF,), namespace=name)),
        lambda name: changes(fact(metadata={"deep": [{"x": HALF}]}, namespace=name)),
        lambda name: changes(fact(id=HALF, namespace=name)),
        lambda name: changes(fact(namespace=name), requests=(request(HALF),)),
        lambda name: changes(namespace=name, records=(record(body={"x": HALF}),)),
        lambda name: changes(namespace=name, records=(record(id=HALF),)),
        lambda name: changes(namespace=name, jobs=(job(body={"x": HALF}),)),
        lambda name: changes(fact(metadata={"x": float("nan")}, namespace=name)),
        lambda name: changes(fact(metadata={"x": {1, 2}}, namespace=name)),
        lambda name: changes(fact(metadata={"x": object()}, namespace=name)),
        lambda name: changes(
            fact(namespace=name, version=1, occurred_at=fact().occurred_at.replace(tzinfo=None))
        ),
        lambda name: changes(fact(namespace=name), requests=(request("k"), request("k"))),
    ],
)
def test_what_cannot_be_stored_is_refused_whole(
    store: Neo4jStore, name: str, bad: Callable[[str], Changes]
) -> None:
    """The refusal names what is wrong, nothing of the action stays, and the connection is still good."""
    store.apply(changes(fact(namespace=name)))
    before = snapshot(store, name)[:-1]
    for _ in range(3):
        with pytest.raises(BadInputError):
            store.apply(bad(name))
    assert snapshot(store, name)[:-1] == before
    assert at_once(lambda _: store.state(name).revision, 8) == [1] * 8


@pytest.mark.neo4j
def test_what_cannot_be_sent_is_asked_in_vain(store: Neo4jStore, name: str) -> None:
    for read in (
        lambda: store.receipt(name, HALF),
        lambda: store.find(name, Selection(session_id=HALF), PageRequest()),
        lambda: store.state(HALF),
    ):
        with pytest.raises(BadInputError):
            read()
    assert store.get(name, [HALF]) == {}


@pytest.mark.neo4j
def test_a_ref_of_another_memory_is_a_conflict(store: Neo4jStore, name: str) -> None:
    """A batch of another history whose refs are taken is refused whole."""
    store.apply(changes(fact(namespace=name)))
    with pytest.raises(ConflictError) as refusal:
        store.restore(RestoreBatch(namespace=name, memories=(fact(ref="F-1", namespace=name),)))
    assert "empty namespace" in refusal.value.remedy
    assert store.state(name).revision == 1
