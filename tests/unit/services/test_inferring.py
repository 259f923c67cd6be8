"""What habits add to an explanation: inferred edges, said as such, never stored, absent where they are not wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from graphmem.analysis.edge_repair import METHOD, PROPOSED
from graphmem.analysis.walks import MAX_HOPS
from graphmem.domain.causation import CauseEdge, Grade, VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview
from graphmem.domain.explanations import Explanation
from graphmem.index.index_set import IndexSet
from graphmem.ports.changes import Changes
from graphmem.ports.queries import Direction
from graphmem.services import inferring
from graphmem.services.cause_view import CauseView
from graphmem.services.habits import HabitsOf
from graphmem.services.inferring import NOTHING, infer
from graphmem.services.sources import Sources
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.planted import holding, planted
from tests.services import state


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A memory with habits; nothing in this file may write to it."""
    with holding(tmp_path_factory.mktemp("told"), planted()) as services:
        yield services


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A memory with habits to write to."""
    with holding(tmp_path_factory.mktemp("own"), planted()) as services:
        yield services


def explained(services: Services, number: int, grade: Grade = Grade.INFERRED) -> Explanation:
    """Why one of the planted tasks failed."""
    return services.explain.explain(NS, planted().episodes[number].asked, MAX_HOPS, min_grade=grade)


def guessed(found: Explanation) -> list[CauseEdge]:
    """The inferred edges of an answer."""
    return [edge for edge in found.edges if edge.grade is Grade.INFERRED]


def with_guesses(services: Services) -> tuple[int, Explanation]:
    """The first task in whose answer something is inferred."""
    for number in range(len(planted().episodes)):
        found = explained(services, number)
        if guessed(found):
            return number, found
    raise AssertionError("nothing was inferred")


def test_an_inferred_edge_says_what_it_is(told: Services) -> None:
    _, found = with_guesses(told)
    for edge in guessed(found):
        (reason,) = edge.evidence
        assert (reason.grade, reason.method, reason.by) == (Grade.INFERRED, METHOD, "graphmem")
        assert PROPOSED <= edge.confidence == reason.confidence <= 1


def test_inferred_edges_join_failures_that_nobody_joined(told: Services) -> None:
    failures = {memory.id for memory in planted().memories if memory.result == "FAILURE"}
    stated = {(edge.effect_id, edge.cause_id) for edge in planted().edges}
    for number in range(40):
        pairs = {(edge.effect_id, edge.cause_id) for edge in guessed(explained(told, number))}
        assert not pairs & stated
        assert {end for pair in pairs for end in pair} <= failures


def test_roots_are_ranked_by_where_the_failure_began(told: Services) -> None:
    """More planted roots are found than on the stated edges alone, and what these say is told beside."""
    hits = stated_hits = 0
    for number, episode in enumerate(planted().episodes):
        found = explained(told, number)
        hits += found.root_causes[0].memory.id == episode.root
        stated_hits += found.stated_root == episode.root
        parts = {part.name: part.value for part in found.root_causes[0].parts}
        assert 0 <= parts["origin"] <= 1
        assert "source" not in parts
    assert hits > stated_hits + 10


def test_what_vanishes_without_inferred_edges_is_said(told: Services) -> None:
    number, _ = next(
        (number, found)
        for number in range(len(planted().episodes))
        if (found := explained(told, number)).only_inferred
    )
    whole, stated = explained(told, number), explained(told, number, Grade.TRACED)
    assert set(whole.only_inferred) == {node.id for node in whole.nodes} - {node.id for node in stated.nodes}
    assert whole.stated_root == stated.root_causes[0].memory.id


@pytest.mark.parametrize("grade", [Grade.TRACED, Grade.ASSERTED, Grade.CONFIRMED])
def test_nothing_is_inferred_above_the_grade(told: Services, grade: Grade) -> None:
    number, _ = with_guesses(told)
    found = explained(told, number, grade)
    assert (guessed(found), found.only_inferred) == ([], ())
    assert {part.name for part in found.root_causes[0].parts} == {
        "source",
        "unrecovered",
        "reach",
        "confidence",
    }


def test_nothing_inferred_is_stored(told: Services) -> None:
    before = state(told)
    _, found = with_guesses(told)
    effects = [edge.effect_id for edge in guessed(found)]
    assert state(told) == before
    stored = told.store.expand(NS, effects, Direction.CAUSES)
    assert all(edge.grade is not Grade.INFERRED for edge in stored)


def test_a_refuted_cause_is_not_inferred_again(own: Services) -> None:
    number, found = with_guesses(own)
    edge = guessed(found)[0]
    own.link.link(NS, CauseLink(effect=edge.effect_id, cause=CauseRef(id=edge.cause_id)))
    own.link.review(NS, CauseReview(effect=edge.effect_id, cause=edge.cause_id, verdict=VerdictKind.REFUTE))
    again = explained(own, number)
    assert (edge.effect_id, edge.cause_id) not in {(item.effect_id, item.cause_id) for item in again.edges}


def test_what_is_confirmed_leaves_nothing_to_infer(own: Services) -> None:
    number, found = with_guesses(own)
    edge = guessed(found)[0]
    own.link.link(NS, CauseLink(effect=edge.effect_id, cause=CauseRef(id=edge.cause_id)))
    own.link.review(NS, CauseReview(effect=edge.effect_id, cause=edge.cause_id, verdict=VerdictKind.CONFIRM))
    assert [item for item in guessed(explained(own, number)) if item.effect_id == edge.effect_id] == []


def test_a_stored_inferred_edge_stays_as_it_is(own: Services) -> None:
    """Somebody may import one: it is walked, not proposed beside itself."""
    number, found = with_guesses(own)
    edge = guessed(found)[0]
    imported = replace(edge, evidence=(replace(edge.evidence[0], method="another tool", confidence=0.4),))
    own.store.apply(Changes(namespace=NS, at=at(), edges=(imported,)))
    pairs = [(item.effect_id, item.cause_id) for item in explained(own, number).edges]
    assert pairs.count((edge.effect_id, edge.cause_id)) == 1
    (kept,) = [item for item in explained(own, number).edges if item == imported]
    assert kept.evidence[0].method == "another tool"


def test_episodes_that_are_too_long_are_left_alone(told: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    number, _ = with_guesses(told)
    monkeypatch.setattr(inferring, "MAX_EVENTS", 3)
    found = explained(told, number)
    assert (guessed(found), found.not_inferred) == ([], True)


def test_only_an_experience_in_use_is_asked_about(told: Services) -> None:
    sources = Sources(told.store, IndexSet(told.store, lambda _: None))
    habits = HabitsOf(sources)(NS)
    assert habits is not None
    with sources.of(NS) as source:
        assert infer(habits, CauseView(source), "no-such-id", ["no-such-episode"], at()) is NOTHING
