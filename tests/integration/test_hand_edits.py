"""What a person does in Neo4j Browser, seen through the services: said, mended where it can be, and in nobody's way.

Cases 02, 10, 14 and 23 of the public bug reports (tests/acceptance/test_bug_cases.py has the others, embedded).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any
from uuid import uuid4

import pytest
from neo4j import GraphDatabase
from starlette.testclient import TestClient

from graphmem.config import Settings
from graphmem.domain.answers import RecallMode
from graphmem.domain.drafts import CauseRef, FactDraft
from graphmem.domain.memories import Pattern
from graphmem.entrypoints.graphql.app import create_app
from graphmem.tooling.neo4j import RunningServer
from graphmem.wiring import Services, build
from tests.contract.reading import at_once
from tests.neo4j_fixture import patient_store
from tests.services import FlakyEmbedder, asked, because, failed, recorded, refused, remembered, texts
from tests.unit.entrypoints.graphql.door import Door

pytestmark = pytest.mark.neo4j

Edit = Callable[..., None]
SPOILT = {
    "NaN": "[i IN range(1, 384) | 0.0 / 0.0]",
    "nothing": "[]",
    "too short": "[0.5, 0.5]",
    "infinite": "[i IN range(1, 384) | 1.0 / 0.0]",
    "zero": "[i IN range(1, 384) | 0.0]",
    "no list": "'no vector'",
    "removed": "null",
}


@contextmanager
def opened(server: RunningServer, **given: Any) -> Iterator[Services]:
    """The services as another process would have them: nothing of the index is kept."""
    store = patient_store(server.bolt_uri)
    with closing(build(Settings(store=server.bolt_uri, embedder="hash"), store=store, **given)) as services:
        yield services


@pytest.fixture
def services(neo4j_server: RunningServer) -> Iterator[Services]:
    """Services on the shared server."""
    with opened(neo4j_server) as made:
        yield made


@pytest.fixture
def ns() -> str:
    """A namespace that no other test knows."""
    return f"edited {uuid4()}"


@pytest.fixture
def edit(neo4j_server: RunningServer, ns: str) -> Iterator[Edit]:
    """Do something to one memory, by its ref, as a person does."""
    with GraphDatabase.driver(neo4j_server.bolt_uri, notifications_min_severity="OFF") as driver:

        def run(ref: str, what: str) -> None:
            text = f"MATCH (m:Memory {{namespace: $ns, ref: $ref}}) {what} RETURN 1"
            assert driver.execute_query(text, ns=ns, ref=ref).records  # type: ignore[arg-type]

        yield run


def wrong(services: Services, ns: str) -> list[str]:
    """What the doctor finds out of order; each finding says what to do."""
    findings = [item for item in services.inspect.doctor(ns, None, services.recall) if not item.ok]
    assert all(item.remedy for item in findings)
    return [item.what for item in findings]


def repair(services: Services, ns: str) -> None:
    """What graphmem doctor --repair does."""
    services.repair.embed(ns, services.repair.unusable(ns))
    services.repair.balance(ns)


def test_02_vectors_that_were_spoilt_by_hand(
    neo4j_server: RunningServer, services: Services, edit: Edit, ns: str
) -> None:
    """The others rank as ever, the spoilt ones are found by words; they are counted, and made again."""
    for number in range(10):
        remembered(services, f"disk number {number}", ns)
    before = {hit.memory.ref: hit for hit in asked(services, "disk", ns, limit=20).facts}
    for place, values in enumerate(SPOILT.values(), start=1):
        edit(f"F-{place}", f"SET m.embedding = {values}")
    with opened(neo4j_server) as restarted:
        found = {hit.memory.ref: hit for hit in asked(restarted, "disk", ns, limit=20).facts}
        assert found.keys() == before.keys()
        assert {ref for ref, hit in found.items() if hit.similarity is None} == {
            f"F-{place}" for place in range(1, len(SPOILT) + 1)
        }
        for ref in ("F-8", "F-9", "F-10"):
            assert found[ref].similarity == before[ref].similarity
            assert found[ref].lexical_score == before[ref].lexical_score
        (said,) = wrong(restarted, ns)
        assert f": {len(SPOILT)} memories without a usable vector" in said
        repair(restarted, ns)
        assert wrong(restarted, ns) == []
    mended = {hit.memory.ref: hit.similarity for hit in asked(services, "disk", ns, limit=20).facts}
    assert mended == {ref: hit.similarity for ref, hit in before.items()}
    assert services.store.state(ns).counts["FACT"] == 10


def test_02_another_model_is_never_compared(neo4j_server: RunningServer, services: Services, ns: str) -> None:
    """Words only, and said; the vectors of the first model are left as they are."""
    remembered(services, "the disk is full", ns)
    with opened(neo4j_server, embedder=FlakyEmbedder(model="m2")) as other:
        found = asked(other, "disk", ns)
        assert (found.mode, found.facts[0].similarity) == (RecallMode.LEXICAL, None)
        assert "words only" in wrong(other, ns)[0]
        repair(other, ns)
    assert asked(services, "the disk is full", ns).facts[0].similarity == pytest.approx(1.0, abs=1e-5)


def test_10_many_captures_of_one_cause_at_once(
    neo4j_server: RunningServer, services: Services, ns: str
) -> None:
    """Through two processes' worth of services: counts exact, and no deadlock reaches a caller."""
    cause = remembered(services, "the config is stale", ns)
    with opened(neo4j_server) as other:
        both = services, other
        written = at_once(
            lambda number: failed(both[number % 2], f"deploy {number}", ns, caused_by=because(cause)), 50
        )
        assert len({each.revision for each in written}) == len({each.memory.ref for each in written}) == 50
        for each in both:
            impact = each.explain.impact(ns, cause.memory.id)
            assert (impact.failures, len(impact.edges)) == (50, 50)
            assert each.inspect.status(ns).digest_matches
    assert services.store.state(ns).counts["CAUSED_BY"] == 50


def test_14_a_node_that_was_deleted_by_hand(
    neo4j_server: RunningServer, services: Services, edit: Edit, ns: str
) -> None:
    """It is gone at once from every answer, of the running process too; the doctor says so and mends the counts."""
    remembered(services, "the zebra disk", ns)
    remembered(services, "the zebra network", ns)
    failed(services, "copy", ns, caused_by=(CauseRef(id="F-1"), CauseRef(id="F-2")))
    assert len(asked(services, "zebra", ns).facts) == 2
    edit("F-1", "DETACH DELETE m")
    with opened(neo4j_server) as restarted:
        for each in (services, restarted):
            assert texts(asked(each, "zebra", ns).facts) == ["the zebra network"]
            assert [item.ref for item in each.explain.explain(ns, "E-1").nodes] == ["E-1", "F-2"]
            assert refused(each, each.browse.memory, ns, "F-1") == "NOT_FOUND id"
            assert wrong(each, ns) == ["the store counts 3 memories, and holds 2: edited by hand"]
        repair(restarted, ns)
        for each in (services, restarted):
            assert wrong(each, ns) == []
            state = each.store.state(ns)
            assert (state.counts["FACT"], state.counts["CAUSED_BY"]) == (1, 1)
        assert failed(services, "copy again", ns, caused_by=(CauseRef(id="F-2"),)).memory.ref == "E-2"
        assert len(restarted.explain.impact(ns, "F-2").edges) == 2


def test_14_the_newest_node_deleted_by_hand(
    neo4j_server: RunningServer, services: Services, edit: Edit, ns: str
) -> None:
    """No revision is left that nobody ever reaches."""
    remembered(services, "the zebra disk", ns)
    written = remembered(services, "the zebra network", ns)
    edit("F-2", "DETACH DELETE m")
    with opened(neo4j_server) as restarted:
        for each in (services, restarted):
            found = asked(each, "zebra", ns, min_revision=written.revision)
            assert texts(found.facts) == ["the zebra disk"]
            assert wrong(each, ns) == ["the store counts 2 memories, and holds 1: edited by hand"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("SET m.kind = 'PLAN'", ["F-1 cannot be read: kind is 'PLAN'"]),
        ("SET m = {}", []),
        ("REMOVE m:Memory", []),
        (
            "SET m.state = 'GONE', m.tags = 7, m.occurred_at = 'yesterday'",
            ["F-1 cannot be read: occurred_at is 'yesterday'"],
        ),
        ("SET m.state = 'GONE', m.tags = 7", ["F-1 is read in part: tags is 7; state is 'GONE'"]),
        ("SET m.statement = 7", ["F-1 cannot be read: statement is 7"]),
        (
            "REMOVE m.statement, m.recorded_at",
            ["F-1 cannot be read: recorded_at is missing; statement is missing"],
        ),
        ("SET m.id = 7", ["F-1 cannot be read: id is 7"]),
        ("REMOVE m.id, m.ref", ["a node without ref and id cannot be read: id is missing"]),
        ("SET m.revision = 'new'", ["F-1 cannot be read: revision is 'new'"]),
        ("SET m.digest = null", ["F-1 cannot be read: digest is missing"]),
        (
            "WITH m MATCH (m)<-[r:CAUSED_BY]-() SET r.lag_ms = 'late'",
            ["E-1 CAUSED_BY F-1 cannot be read: invalid literal for int() with base 10: 'late'"],
        ),
        (
            "WITH m MATCH (m)<-[r:CAUSED_BY]-() SET r.recorded_at = null",
            ["E-1 CAUSED_BY F-1 cannot be read: recorded_at is missing"],
        ),
    ],
)
def test_a_node_that_became_something_else_is_named_and_in_nobody_s_way(
    neo4j_server: RunningServer, services: Services, edit: Edit, ns: str, what: str, said: list[str]
) -> None:
    """Recall, explain, listing and doctor answer for the rest, in the running process and in a new one."""
    remembered(services, "the zebra disk", ns)
    remembered(services, "the zebra network", ns)
    failed(services, "copy", ns, caused_by=(CauseRef(id="F-1"), CauseRef(id="F-2")))
    recorded(services, "watch the zebra", ns)
    edit("F-1", what)
    with opened(neo4j_server) as restarted:
        for each in (services, restarted):
            assert "the zebra network" in texts(asked(each, "zebra", ns).facts)
            assert {"E-1", "F-2"} <= {item.ref for item in each.explain.explain(ns, "E-1").nodes}
            assert len(each.explain.impact(ns, "F-2").edges) == 1
            each.inspect.doctor(ns, None, each.recall)
        repair(restarted, ns)
        assert wrong(restarted, ns) == said
        assert remembered(services, "the zebra printer", ns).memory.ref == "F-3"
        assert "the zebra printer" in texts(asked(restarted, "zebra printer", ns).facts)


def test_23_services_come_and_go_in_one_process(neo4j_server: RunningServer, ns: str) -> None:
    """Each in a loop of its own; none leaves an error or a fact behind."""
    for number in range(5):
        with (
            opened(neo4j_server) as services,
            TestClient(create_app(services), base_url="http://127.0.0.1:8000") as client,
        ):
            services.remember.fact(ns, FactDraft(statement=f"disk {number}"))
            assert (
                len(Door(services, client).run("recall", ns, situation="disk", limit=20)["facts"])
                == number + 1
            )


def test_a_member_whose_time_was_edited_stops_no_learning(
    neo4j_server: RunningServer, services: Services, edit: Edit, ns: str
) -> None:
    """The pattern is counted without what is no memory any more, and goes on with the next failure."""

    def again(task: str) -> None:
        said = {"manifestation": "an empty list has no first row", "error_type": "IndexError"}
        failed(services, "clean the rows", ns, task_id=task, **said)
        services.assign.pending(ns)

    for task in ("march", "april", "may"):
        again(task)
    edit("E-2", "SET m.occurred_at = 'yesterday'")
    for task in ("june", "july"):
        again(task)
    with opened(neo4j_server) as restarted:
        pattern = restarted.browse.memory(ns, "P-1")
        assert isinstance(pattern, Pattern)
        assert (pattern.frequency, pattern.episodes) == (4, 4)
        assert pattern.first_seen < pattern.last_seen
