"""Tables say what the services answered, and count what the data are like."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import graphmem
from graphmem import GraphMemory
from graphmem.domain.proof import Effect, Rate
from graphmem.entrypoints.lab import scenes
from graphmem.entrypoints.lab.curves import coverage_curves, priorities
from graphmem.entrypoints.lab.scoring import hits, without_edges
from graphmem.entrypoints.lab.tables import difference, quality, rates, roots, side_by_side
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chains import Language, class_driven, single_chains

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[GraphMemory]:
    with graphmem.open(f"sqlite:///{tmp_path / 'memory.db'}", namespace="lab", embedder="none") as opened:
        yield opened


def failed(memory: GraphMemory, minute: int, error_type: str = "ValueError") -> str:
    at = AT + timedelta(minutes=minute)
    return memory.record(f"step {minute}", "FAILURE", error_type=error_type, occurred_at=at).memory.ref


def test_roots_stand_as_they_were_ranked(memory: GraphMemory) -> None:
    first, second = failed(memory, 1), failed(memory, 2)
    memory.link(second, first, confidence=0.7)
    table = roots(memory.explain(second))
    assert table["ref"].iloc[0] == first
    assert table["score"].is_monotonic_decreasing
    assert table.loc[memory.show(first).id, "grade"] == "ASSERTED"
    assert table.loc[memory.show(first).id, "hops"] == 1


def test_a_rate_of_no_trial_is_left_out() -> None:
    known = Rate(count=3, n=10, value=0.3, low=0.1, high=0.6)
    unknown = Rate(count=0, n=0, value=None, low=None, high=None)
    assert list(rates({"shown": known, "withheld": unknown}).index) == ["shown"]
    assert list(rates({"withheld": unknown}).columns) == ["value", "low", "high", "n"]


def test_a_difference_without_an_arm_is_empty() -> None:
    none = Effect(difference=None, low=None, high=None, p=None, lift=None, harm=False)
    some = Effect(difference=-0.2, low=-0.3, high=-0.1, p=0.01, lift=0.5, harm=False)
    assert difference(none).empty
    assert difference(some).loc["difference"].to_dict() == {"value": -0.2, "low": -0.3, "high": -0.1}


def test_quality_counts_what_statistics_cannot_use(memory: GraphMemory) -> None:
    first, second, third = failed(memory, 1), failed(memory, 1), failed(memory, 1, error_type="")
    memory.record("fine", "SUCCESS")
    memory.link(second, first)
    memory.link(third, second)
    memory.link(first, third)
    memory.review(third, second, "REFUTE")
    found = quality(memory)
    counted = dict(found["count"])
    assert counted["experiences"] == 4
    assert counted["failures"] == 3
    assert counted["failures without a class"] == 1
    assert counted["failures without a cause"] == 1
    assert counted["edges"] == 3
    assert counted["edges refuted"] == 1
    assert found.loc["failures without a cause", "share"] == pytest.approx(1 / 3)


def test_quality_sees_cycles(memory: GraphMemory) -> None:
    first, second = failed(memory, 1), failed(memory, 1)
    memory.link(second, first)
    memory.link(first, second)
    assert quality(memory).loc["memories in a cycle", "count"] == 2


def test_quality_of_nothing_is_zero(memory: GraphMemory) -> None:
    assert (quality(memory)[["count", "share"]] == 0).all(axis=None)


def test_a_clean_chain_is_always_found_and_chance_is_not() -> None:
    history = single_chains(30, seed=4, language=Language.EN)
    scene = scenes.replanted(history)
    try:
        shares = hits(scene.memory, history.episodes)
    finally:
        scene.memory.close()
    assert shares.loc["graphmem", "value"] == 1.0
    assert shares.loc["by chance", "value"] < 1.0
    assert (shares["n"] == 30).all()
    both = side_by_side({"a": shares, "b": shares})
    assert list(both.index) == ["a", "b"]
    assert both.loc["a", "value"] == 1.0


def test_a_share_of_the_edges_goes_and_nothing_else() -> None:
    history = single_chains(60, seed=4)
    poorer = without_edges(history, share=0.2)
    assert set(poorer.edges) < set(history.edges)
    assert 0.7 < len(poorer.edges) / len(history.edges) < 0.9
    assert poorer.memories == history.memories
    assert without_edges(history, share=0.0) == history
    assert without_edges(history, share=1.0).edges == ()


def test_our_order_covers_at_least_what_chance_does() -> None:
    history = class_driven(40, seed=3, noise=Noise(0.2, 0.2, 0.1))
    scene = scenes.replanted(history)
    try:
        curves = coverage_curves(scene.memory, causes=5)
        table = priorities(scene.memory.priorities(limit=5))
    finally:
        scene.memory.close()
    assert list(curves.index) == [1, 2, 3, 4, 5]
    assert (curves["graphmem"] >= curves["by chance"]).all()
    assert curves["graphmem"].iloc[0] >= curves["most frequent class"].iloc[0]
    assert list(curves["graphmem"]) == list(table["covered"])
    assert table["ref"].str.match(r"[EF]-\d+$").all()
    assert (curves.diff().dropna() >= 0).all(axis=None)


def test_a_fact_is_a_cause_in_every_order(memory: GraphMemory) -> None:
    """It holds no failure itself, so no class is more frequent than it is rare: the curve still has its place."""
    fact = memory.remember("prices are in cents").memory.ref
    memory.link(failed(memory, 1, "UnitError"), fact)
    failed(memory, 2, "KeyError")
    curves = coverage_curves(memory, causes=6)
    assert list(curves.index) == [1, 2]
    assert (curves.iloc[-1] == 1).all()
