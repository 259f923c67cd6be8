"""How many statements an action is: each one more costs every writer of the namespace a round trip under its lock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.memories import Pattern
from graphmem.domain.records import RecordKind
from graphmem.ports.changes import Changes
from tests.builders import (
    caused,
    changes,
    fact,
    failure,
    generalizes,
    job,
    pattern,
    record,
    request,
    supersedes,
)
from tests.contract.reading import edges_of, one

pytestmark = pytest.mark.neo4j

OPEN, SAVE, CREATE = "write/open-action", "write/save-action", "write/create-action"
Statements = Callable[[Changes], list[str]]


@pytest.fixture
def statements(store: Neo4jStore, sent: list[str]) -> Statements:
    """Applies an action; the statements that it was."""

    def apply(action: Changes) -> list[str]:
        sent.clear()
        store.apply(action)
        return list(sent)

    return apply


def test_an_ordinary_write_is_one_statement(store: Neo4jStore, statements: Statements, name: str) -> None:
    """Memories with causes, keys and jobs, once this process knows where the namespace stands."""
    cause = fact(namespace=name)
    assert statements(changes(cause, namespace=name)) == [OPEN, SAVE]
    for number in range(2, 5):
        new = failure(namespace=name)
        action = changes(
            new,
            edges=(caused(new, cause),),
            requests=(request(f"k{number}", new),),
            jobs=(job(subject=new.id),),
            namespace=name,
        )
        assert statements(action) == [CREATE]
        assert store.state(name).revision == number
        assert statements(action) == [CREATE, OPEN]
    assert len(edges_of(store, name)) == 3


def test_the_first_write_is_two_statements(store: Neo4jStore, statements: Statements, name: str) -> None:
    """Memories with edges of two kinds, keys and jobs: one statement that locks and reads, one that writes."""
    new, cause, older = failure(namespace=name), fact(namespace=name), fact(namespace=name)
    edges = caused(new, cause), supersedes(cause, older)
    action = changes(
        new,
        cause,
        older,
        edges=edges,
        requests=(request("k", new),),
        jobs=(job(subject=new.id),),
        namespace=name,
    )
    assert statements(action) == [OPEN, SAVE]
    assert {edge.kind for edge in edges_of(store, name)} == {"CAUSED_BY", "SUPERSEDES"}
    assert store.state(name).revision == 1


def test_records_are_one_more(statements: Statements, name: str) -> None:
    audit = record(RecordKind.AUDIT, subject="x")
    assert statements(changes(fact(namespace=name), records=(audit,), namespace=name)) == [
        OPEN,
        "write/put-records",
        SAVE,
    ]


def test_patterns_are_counted_from_what_was_sent_before(
    store: Neo4jStore, statements: Statements, name: str
) -> None:
    """What the action itself writes counts too, so it is sent first."""
    lesson = pattern(namespace=name)
    members = [failure(namespace=name, task_id=f"task {number}") for number in range(2)]
    edges = tuple(generalizes(lesson, member) for member in members)
    action = changes(lesson, *members, edges=edges, namespace=name)
    assert statements(action) == [OPEN, SAVE, "write/count-members", SAVE]
    stored = one(store, lesson)
    assert isinstance(stored, Pattern)
    assert (stored.frequency, stored.episodes, stored.revision) == (2, 2, 1)


def test_a_known_key_writes_nothing(statements: Statements, name: str) -> None:
    new = fact(namespace=name)
    action = changes(new, requests=(request("k", new),), namespace=name)
    assert statements(action) == [OPEN, SAVE]
    assert statements(action) == [CREATE, OPEN]
