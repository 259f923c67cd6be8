"""Planted chains are what they say they are."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest

from graphmem.domain.memories import Result
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chain_words import FINAL, WORDINGS, Language
from graphmem.tooling.chains import (
    Planted,
    class_driven,
    hidden_confounders,
    interleaved_chains,
    single_chains,
)

PLANTERS = [single_chains, interleaved_chains, class_driven, hidden_confounders]
every = pytest.mark.parametrize("plant", PLANTERS)
Plant = Callable[..., Planted]


@every
def test_equal_seeds_plant_equal_histories_and_others_do_not(plant: Plant) -> None:
    noise = Noise(0.2, 0.2, 0.1, 0.1)
    assert plant(20, 3, noise) == plant(20, 3, noise)
    assert plant(20, 3).memories != plant(20, 4).memories


@every
def test_a_longer_history_begins_with_the_shorter_one(plant: Plant) -> None:
    short, long = plant(5, 1), plant(9, 1)
    assert long.memories[: len(short.memories)] == short.memories


@every
def test_the_path_leads_along_true_edges_to_a_root_without_a_cause(plant: Plant) -> None:
    history = plant(30, 2)
    effects = {effect for effect, _ in history.true_edges}
    for episode in history.episodes:
        assert all(pair in history.true_edges for pair in zip(episode.path, episode.path[1:], strict=False))
        assert episode.root not in effects


@every
def test_without_noise_the_edges_are_the_true_ones_and_causes_come_first(plant: Plant) -> None:
    history = plant(30, 2)
    assert {(item.effect_id, item.cause_id) for item in history.edges} == history.true_edges
    assert all(item.lag_ms >= 0 for item in history.edges)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(history.true_edges))


@every
def test_ids_are_distinct_and_every_task_ends_with_its_own_failure(plant: Plant) -> None:
    history = plant(30, 2)
    by_id = {memory.id: memory for memory in history.memories}
    assert len(by_id) == len(history.memories)
    for episode in history.episodes:
        last = by_id[episode.asked]
        assert (last.error_type, last.result) == (FINAL.error_type, Result.FAILURE)
        own = [memory for memory in history.memories if memory.task_id == episode.task_id]
        assert max(own, key=lambda memory: memory.occurred_at) is last


def test_noise_takes_edges_away_and_adds_wrong_ones() -> None:
    clean, noisy = class_driven(200, 1), class_driven(200, 1, Noise(missing=0.2, spurious=0.2))
    stated = {(item.effect_id, item.cause_id) for item in noisy.edges}
    kept = len(stated & clean.true_edges) / len(clean.true_edges)
    wrong = len(stated - clean.true_edges) / len(clean.true_edges)
    assert 0.76 < kept < 0.84
    assert 0.1 < wrong < 0.22
    assert noisy.true_edges == clean.true_edges


def test_noise_changes_labels_and_times() -> None:
    clean = interleaved_chains(200, 1)
    labels = interleaved_chains(200, 1, Noise(labels=0.1))
    changed = sum(
        one.error_type != other.error_type for one, other in zip(clean.memories, labels.memories, strict=True)
    )
    assert 0.06 < changed / len(clean.memories) < 0.14
    assert any(item.lag_ms < 0 for item in interleaved_chains(200, 1, Noise(order=0.5)).edges)


@pytest.mark.parametrize(
    ("language", "chinese"), [(Language.EN, 0.0), (Language.ZH, 1.0), (Language.MIXED, 0.5)]
)
def test_texts_are_written_in_the_language_asked_for(language: Language, chinese: float) -> None:
    tasks = [
        memory
        for memory in single_chains(20, 1, language=language).memories
        if memory.error_type == "TaskFailed"
    ]
    assert sum(not memory.action.isascii() for memory in tasks) / len(tasks) == chinese


def test_interleaved_chains_hold_three_of_which_two_led_to_nothing() -> None:
    history = interleaved_chains(20, 1)
    graph = nx.DiGraph(history.true_edges)
    assert nx.number_weakly_connected_components(graph) == 20 * 3
    for episode in history.episodes:
        assert 3 <= len(episode.path) <= 5


def test_class_links_name_their_classes_and_probabilities() -> None:
    links = class_driven(1, 5).class_links
    assert 30 < len(links) < 60
    assert all(0.2 <= probability <= 0.8 for probability in links.values())
    assert {name for pair in links for name in pair} <= {wording.error_type for wording in WORDINGS}


def test_hidden_causes_strike_four_classes_that_are_not_linked() -> None:
    history = hidden_confounders(1, 5)
    assert len(history.confounded) == 4
    assert len(history.class_links) == 15
    assert not any(set(pair) <= history.confounded for pair in history.class_links)
