"""A planted history stands in a store as it was drawn, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.config import Settings
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.errors import ConflictError
from graphmem.domain.memories import Result
from graphmem.ports.queries import EdgeSelection, PageRequest
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chains import Planted, class_driven
from graphmem.tooling.planting import plant
from graphmem.wiring import Services, build

HISTORY = class_driven(60, seed=5, noise=Noise(0.2, 0.2, 0.1))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    opened = build(Settings(store=f"sqlite:///{tmp_path / 'memory.db'}", embedder="none"))
    yield opened
    opened.close()


def test_every_memory_and_edge_is_there_under_its_own_id(services: Services) -> None:
    plant(services.store, "demo-x", HISTORY)
    state = services.store.state("demo-x")
    assert state.counts["EXPERIENCE"] == len(HISTORY.memories) > 500
    assert state.counts["CAUSED_BY"] == len(HISTORY.edges) > 0
    drawn = HISTORY.memories[7]
    kept = services.store.get("demo-x", ["E-8"])["E-8"]
    assert kept.id == drawn.id
    assert (kept.title, kept.occurred_at, kept.task_id) == (drawn.title, drawn.occurred_at, drawn.task_id)
    effect = HISTORY.edges[0].effect_id
    found = services.store.edges("demo-x", EdgeSelection(from_ids=(effect,)), PageRequest(first=50)).items
    assert {(edge.from_id, edge.to_id) for edge in found} == {
        (edge.effect_id, edge.cause_id) for edge in HISTORY.edges if edge.effect_id == effect
    }


def test_planting_again_changes_nothing(services: Services) -> None:
    plant(services.store, "demo-x", HISTORY)
    before = services.store.state("demo-x")
    plant(services.store, "demo-x", HISTORY)
    assert services.store.state("demo-x") == before


def test_the_next_memory_gets_the_next_ref(services: Services) -> None:
    plant(services.store, "demo-x", HISTORY)
    written = services.remember.experience("demo-x", ExperienceDraft(action="go on", result=Result.SUCCESS))
    assert written.memory.ref == f"E-{len(HISTORY.memories) + 1}"


def test_a_namespace_that_holds_something_else_is_left_alone(services: Services) -> None:
    plant(services.store, "demo-x", HISTORY)
    other = class_driven(60, seed=6)
    before = services.store.state("demo-x")
    with pytest.raises(ConflictError):
        plant(services.store, "demo-x", other)
    assert services.store.state("demo-x") == before


def test_nothing_is_planted_of_nothing(services: Services) -> None:
    plant(services.store, "demo-x", Planted(memories=(), edges=(), episodes=(), true_edges=frozenset()))
    assert not any(services.store.state("demo-x").counts.values())
