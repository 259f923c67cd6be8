"""Habits of a namespace: learned once per revision, from a bounded past, the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from graphmem.analysis.edge_repair import MIN_EPISODES
from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseReview, FactDraft
from graphmem.index.index_set import IndexSet
from graphmem.services import habits
from graphmem.services.habits import HabitsOf
from graphmem.services.sources import Sources
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.planted import EPISODES, holding, planted
from tests.services import failed


@pytest.fixture
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A memory with enough episodes."""
    with holding(tmp_path_factory.mktemp("told"), planted()) as services:
        yield services


@pytest.fixture
def lessons(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events each learning was from."""
    seen: list[int] = []
    learn = habits.learn

    def counted(events: Any, edges: Any) -> Any:
        seen.append(len(events))
        return learn(events, edges)

    monkeypatch.setattr(habits, "learn", counted)
    return seen


def habits_of(services: Services) -> HabitsOf:
    """Habits as another process would learn them."""
    return HabitsOf(Sources(services.store, IndexSet(services.store, lambda _: None)))


def test_they_are_learned_once_until_something_is_written(told: Services, lessons: list[int]) -> None:
    own = habits_of(told)
    first = own(NS)
    assert own(NS) is first
    assert len(lessons) == 1
    failed(told, "one more", occurred_at=at(5))
    assert own(NS) is not first
    assert lessons[1] == lessons[0] + 1


def test_what_changes_nothing_of_the_past_teaches_nothing_new(told: Services, lessons: list[int]) -> None:
    own = habits_of(told)
    first = own(NS)
    told.remember.fact(NS, FactDraft(statement="the port is 80"))
    assert own(NS) is first
    assert len(lessons) == 1
    edge = planted().edges[0]
    told.link.review(
        NS, CauseReview(effect=edge.effect_id, cause=edge.cause_id, verdict=VerdictKind.REFUTE, by="me")
    )
    assert own(NS) is not first
    assert len(lessons) == 2


def test_two_processes_learn_the_same(told: Services) -> None:
    one, other = habits_of(told)(NS), habits_of(told)(NS)
    assert one is not None
    assert other is not None
    assert (one.triggers == other.triggers).all()
    assert one.classes == other.classes


def test_few_episodes_teach_nothing_and_cost_nothing(
    tmp_path_factory: pytest.TempPathFactory, lessons: list[int]
) -> None:
    with holding(tmp_path_factory.mktemp("few"), planted(MIN_EPISODES - 1)) as services:
        assert habits_of(services)(NS) is None
        assert services.explain.explain(NS, planted().episodes[0].asked).only_inferred == ()
    assert lessons == []


def test_a_namespace_learns_from_itself_alone(told: Services) -> None:
    failed(told, "elsewhere", "other")
    assert habits_of(told)("other") is None
    assert habits_of(told)("never written to") is None


def test_the_past_is_bounded(told: Services, lessons: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(habits, "LEARNED_FROM", 1_300)
    found = habits_of(told)(NS)
    assert lessons == [1_300]
    assert found is not None
    assert MIN_EPISODES <= found.episodes < EPISODES


def test_the_latest_experiences_count(told: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(habits, "LEARNED_FROM", 1)
    monkeypatch.setattr(habits, "MIN_EPISODES", 1)
    late = failed(told, "the last", occurred_at=at(80_000), error_type="LateError")
    found = habits_of(told)(NS)
    assert found is not None
    assert list(found.classes) == ["lateerror"]
    assert late.memory.recorded_at


def test_rare_classes_are_one(told: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is learned is a square of the classes: names without end would fill the memory."""
    monkeypatch.setattr(habits, "MAX_CLASSES", 5)
    found = habits_of(told)(NS)
    assert found is not None
    assert len(found.classes) <= 6
    assert "" in found.classes
