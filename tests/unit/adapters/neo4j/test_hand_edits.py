"""What a person does in Neo4j Browser breaks no answer, and what an agent says is never a statement."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.errors import GraphmemError, NotFoundError
from graphmem.domain.memories import Memory, SearchField, State
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import (
    Cursor,
    Direction,
    EdgeSelection,
    PageRequest,
    RecordSelection,
    Selection,
)
from tests.builders import (
    caused,
    changed,
    evidence,
    fact,
    failure,
    generalizes,
    pattern,
    record,
    request,
    vector,
)
from tests.contract.reading import edges_of, found, graph, one, put, snapshot
from tests.unit.adapters.neo4j.conftest import Say

pytestmark = pytest.mark.neo4j

HOSTILE = (
    "a`b",
    "'}) DETACH DELETE n //",
    "X` SET n.admin=true //",
    '"} RETURN 1 //',
    "$namespace",
    "\\u0027 OR true",
)


@pytest.fixture
def stored(store: Neo4jStore, name: str) -> tuple[Memory, ...]:
    """A failure with its cause and its pattern, and a fact with a vector."""
    effect, cause, lesson = failure(namespace=name), fact(namespace=name), pattern(namespace=name)
    known = fact("known", namespace=name, vectors={SearchField.TEXT: vector(*[0.5] * 8)})
    edges = caused(effect, cause), generalizes(lesson, effect)
    kept = record(RecordKind.SERVED, subject=effect.id)
    return put(
        store, effect, cause, lesson, known, edges=edges, records=(kept,), requests=(request("k", effect),)
    )


def everything(store: Neo4jStore, name: str, ids: list[str]) -> list[Any]:
    """The answer of every way of reading."""
    return [
        store.get(name, ids),
        store.find(name, Selection(), PageRequest()).items,
        store.find(name, Selection(tag="t"), PageRequest()).items,
        store.find(name, Selection(session_id="s"), PageRequest(ascending=True)).items,
        store.changes_since(name, Cursor(), 100).rows,
        store.expand(name, ids, Direction.CAUSES),
        store.expand(name, ids, Direction.EFFECTS),
        store.edges(name, EdgeSelection(), PageRequest()).items,
        store.edges(name, EdgeSelection(from_ids=tuple(ids)), PageRequest()).items,
        store.edges(name, EdgeSelection(to_ids=tuple(ids)), PageRequest()).items,
        store.records(name, RecordKind.SERVED, RecordSelection(), PageRequest()).items,
        store.receipt(name, "k"),
        store.state(name),
        store.namespaces(),
    ]


@pytest.mark.parametrize(
    "edit",
    [
        "SET m.embedding = null",
        "SET m.embedding = []",
        "SET m.embedding = [0.1, 0.2]",
        "SET m.embedding = [i IN range(1, 8) | 0.0 / 0.0]",
        "SET m.embedding = 'no vector'",
        "SET m.state = 'GONE', m.tags = 7, m.metadata = '{', m.version = 'second'",
        "SET m.occurred_at = 'yesterday'",
        "SET m.occurred_at = datetime(), m.recorded_at = localdatetime()",
        "SET m.id = 7",
        "SET m.kind = 'PLAN'",
        "SET m.revision = 'new'",
        "SET m.revision = 10000",
        "SET m = {}",
        "REMOVE m:Memory",
        "SET m.namespace = m.namespace + '!'",
        "DETACH DELETE m",
    ],
)
def test_an_edited_node_breaks_no_answer(
    store: Neo4jStore, stored: tuple[Memory, ...], say: Say, name: str, edit: str
) -> None:
    """Whatever became of one node, every call answers, the others are as they were, and writing goes on."""
    *others, edited = stored
    say(f"MATCH (m:Memory {{namespace: $name, id: $id}}) {edit}", name=name, id=edited.id)
    everything(store, name, [item.id for item in stored])
    assert store.get(name, [item.id for item in others]) == {item.id: item for item in others}
    assert {item.id for item in found(store, name)} >= {item.id for item in others}
    assert graph(store, name).keys() >= {item.id for item in others}
    put(store, fact(namespace=name), update=(changed(others[1], statement="new"),))
    put(store, namespace=name, erase=(edited.id, others[0].id))
    everything(store, name, [item.id for item in stored])


@pytest.mark.parametrize(
    "edit",
    [
        "SET r = {}",
        "SET r.evidence = 'none', r.verdicts = null",
        "SET r.recorded_at = 7",
        "SET r.lag_ms = 'late'",
        "SET r.digest = null",
        "DELETE r",
    ],
)
def test_an_edited_relationship_breaks_no_answer(
    store: Neo4jStore, stored: tuple[Memory, ...], say: Say, name: str, edit: str
) -> None:
    """Whatever became of one edge, every call answers, and writing it again mends it."""
    effect, cause, lesson, _ = stored
    say(f"MATCH (:Memory {{namespace: $name, id: $id}})-[r:CAUSED_BY]->() {edit}", name=name, id=effect.id)
    everything(store, name, [item.id for item in stored])
    (kept,) = edges_of(store, name, kinds=(GeneralizesEdge.kind,))
    assert kept == generalizes(lesson, effect)
    mended = caused(effect, cause, evidence=(evidence(0.9),))
    put(store, namespace=name, edges=(mended,))
    assert mended.evidence[0] in store.expand(name, [effect.id], Direction.CAUSES)[0].evidence


def test_what_a_person_made_is_not_taken_for_ours(store: Neo4jStore, say: Say, name: str) -> None:
    """Nodes and relationships drawn by hand are left out everywhere, and break nothing."""
    (ours,) = put(store, failure(namespace=name))
    say(
        "CREATE (:Memory), (:Memory {namespace: $name}), (:Memory {namespace: $name, id: 'mine', revision: 1})",
        name=name,
    )
    say(
        "MATCH (m:Memory {namespace: $name, id: $id}), (x:Memory {namespace: $name, id: 'mine'}) "
        "CREATE (m)-[:CAUSED_BY]->(x), (x)-[:GENERALIZES]->(m), (m)-[:LIKES]->(x), (m)-[:CAUSED_BY]->(m)",
        name=name,
        id=ours.id,
    )
    everything(store, name, [ours.id, "mine"])
    assert found(store, name) == [ours]
    assert graph(store, name) == {ours.id: (ours, [])}
    with pytest.raises(NotFoundError):
        put(store, namespace=name, edges=(caused(ours, fact(id="mine")),))
    say("MATCH (m:Memory) WHERE m.namespace = $name OR m.namespace IS NULL DETACH DELETE m", name=name)


def test_a_deleted_node_is_gone_at_once(
    store: Neo4jStore, stored: tuple[Memory, ...], say: Say, name: str
) -> None:
    """What a person deleted is in no answer, and its edges neither."""
    effect, cause, *_ = stored
    say("MATCH (m:Memory {namespace: $name, id: $id}) DETACH DELETE m", name=name, id=cause.id)
    assert store.get(name, [cause.id, cause.ref]) == {}
    assert store.expand(name, [effect.id], Direction.CAUSES) == []
    assert cause.id not in graph(store, name)
    with pytest.raises(NotFoundError):
        put(store, namespace=name, update=(changed(cause, statement="back"),))


def test_a_lost_namespace_node_starts_anew(
    store: Neo4jStore, stored: tuple[Memory, ...], say: Say, name: str
) -> None:
    """Without the node that counts, a reader is told to start again, and writing says what is in its way."""
    say("MATCH (n:Namespace {name: $name}) DELETE n", name=name)
    assert store.changes_since(name, Cursor(1, "x"), 10).reset
    with pytest.raises(GraphmemError):
        put(store, fact(namespace=name))
    assert store.get(name, [stored[0].id]) == {stored[0].id: stored[0]}


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_never_a_statement(store: Neo4jStore, say: Say, name: str, text: str) -> None:
    """Whatever stands in texts, tags, keys, ids or names is stored and found as it is, and does nothing else."""
    (bystander,) = put(store, fact(namespace=name))
    before = snapshot(store, name)[:-1]
    space = f"{name} {text}"
    written = failure(
        text,
        id=text,
        namespace=space,
        tags=(text,),
        session_id=text,
        task_id=text,
        tool=text,
        error_type=text,
        metadata={text: text},
    )
    cause = fact(text, namespace=space)
    kept = record(id=text, subject=text, body={text: text})
    (stored, _) = put(
        store,
        written,
        cause,
        edges=(caused(written, cause),),
        records=(kept,),
        requests=(request(text, text),),
    )
    assert one(store, written) == stored
    assert found(store, space, tag=text, session_id=text, task_id=text, tool=text, error_type=text) == [
        stored
    ]
    assert store.receipt(space, text) is not None
    put(store, namespace=space, update=(changed(stored, state=State.RETRACTED),))
    assert snapshot(store, name)[:-1] == before
    assert say("MATCH (n) WHERE n.admin IS NOT NULL RETURN n") == []
    put(store, namespace=space, erase=(text,))
    assert store.get(name, [bystander.id]) == {bystander.id: bystander}


def test_a_person_sees_the_graph(store: Neo4jStore, stored: tuple[Memory, ...], say: Say, name: str) -> None:
    """Labels by kind, Failure for failures, and the relation with its support: what Neo4j Browser draws."""
    effect = stored[0]
    (row,) = say(
        "MATCH (m:Failure {namespace: $name})-[r:CAUSED_BY]->(c:Fact) "
        "RETURN labels(m) AS labels, m.ref AS ref, r.confidence AS confidence, r.grade AS grade, c.statement AS cause",
        name=name,
    )
    assert set(row["labels"]) == {"Memory", "Experience", "Failure"}
    assert (row["ref"], row["confidence"], row["grade"]) == (effect.ref, 0.75, "ASSERTED")
    (service,) = say(
        "MATCH (n) WHERE n.namespace = $name AND NOT n:Memory RETURN collect(DISTINCT labels(n)[0]) AS labels",
        name=name,
    )
    assert set(service["labels"]) == {"Record", "Request"}
