"""Habits learned from planted histories repair edges, and never feed on what they inferred."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from benchmarks.planted_ways import seen as occurrences
from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.edge_repair import (
    MIN_EPISODES,
    Habits,
    Parent,
    doubtful_edges,
    inferred,
    learn,
    missing_edges,
    origins,
    parents,
)
from graphmem.analysis.history import Occurrence, by_episode
from graphmem.analysis.roots import rank
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chains import Planted, class_driven
from tests.builders import T0, refuted
from tests.unit.analysis.causal import edge, edges, happened, walked

SEED = 7


@cache
def planted(missing: float = 0.0) -> Planted:
    """300 class-driven tasks; 20 % spurious edges where some are missing."""
    return class_driven(300, SEED, Noise(missing, 0.2, 0.1) if missing else Noise())


@cache
def learned(missing: float = 0.0) -> Habits:
    """What the history teaches."""
    history = planted(missing)
    return learn(occurrences(history.memories), history.edges)


def asked(history: Planted, number: int) -> tuple[list[Occurrence], list[CauseEdge]]:
    """One task's occurrences in order of time, and its edges."""
    members = by_episode(occurrences(history.memories))[history.episodes[number].task_id]
    own = {event.id for event in members}
    return members, [item for item in history.edges if item.effect_id in own]


def test_on_clean_edges_the_root_is_the_planted_one() -> None:
    history = planted()
    for number in range(60):
        found = origins(history.episodes[number].asked, parents(learned(), *asked(history, number)))
        assert max(found, key=lambda node: found[node]) == history.episodes[number].root


def test_with_a_fifth_of_the_edges_missing_most_roots_are_found_and_more_than_the_edges_tell() -> None:
    history, habits = planted(0.2), learned(0.2)
    ours = stated = 0
    for number, episode in enumerate(history.episodes):
        members, own = asked(history, number)
        found = origins(episode.asked, parents(habits, members, own))
        ours += max(found, key=lambda node: found[node]) == episode.root
        causes = {item.effect_id: item.cause_id for item in own}
        at, seen = episode.asked, set()
        while at in causes and at not in seen:
            seen.add(at)
            at = causes[at]
        stated += at == episode.root
    assert ours > 0.65 * len(history.episodes)
    assert ours > 1.15 * stated


def test_it_learns_how_many_edges_are_missing_and_that_clean_ones_are_clean() -> None:
    assert learned().missing < 0.02
    assert learned().spurious < 0.01
    assert 0.1 < learned(0.2).missing < 0.25


def test_probabilities_of_every_event_and_of_the_origins_sum_to_one() -> None:
    history = planted(0.2)
    possible = parents(learned(0.2), *asked(history, 3))
    for options in possible.values():
        assert sum(option.probability for option in options) == pytest.approx(1)
    assert sum(origins(history.episodes[3].asked, possible).values()) == pytest.approx(1)


def test_proposed_edges_are_mostly_true_and_doubted_ones_mostly_wrong() -> None:
    history, habits = planted(0.2), learned(0.2)
    proposed, doubted = [], []
    for number in range(len(history.episodes)):
        possible = parents(habits, *asked(history, number))
        proposed += missing_edges(possible, least=0.5)
        doubted += doubtful_edges(possible, most=0.2)
    right = sum((item.effect_id, item.cause_id) in history.true_edges for item in proposed)
    wrong = sum((item.effect_id, item.cause_id) not in history.true_edges for item in doubted)
    assert right > 0.5 * len(proposed) > 20
    assert wrong > 0.8 * len(doubted) > 20


def test_inferred_edges_change_nothing_that_is_learned() -> None:
    history = planted(0.2)
    events = occurrences(history.memories)
    added = [edge(effect, cause, grade=Grade.INFERRED) for effect, cause in sorted(history.true_edges)]
    before, after = learn(events, history.edges), learn(events, [*history.edges, *added])
    assert (before.triggers == after.triggers).all()
    assert before.missing == after.missing


def test_few_episodes_are_not_enough() -> None:
    few = class_driven(MIN_EPISODES - 1, 1)
    assert not learn(occurrences(few.memories), few.edges).enough
    assert learned().enough


def test_a_stated_cause_outside_the_episode_is_the_origin() -> None:
    habits = learned()
    members = [happened("a", 0, "indexerror"), happened("b", 1, "zerodivisionerror")]
    found = origins("b", parents(habits, members, edges(("b", "a"), ("a", "fact"))))
    assert max(found, key=lambda node: found[node]) == "fact"


def test_a_refuted_cause_is_neither_proposed_nor_walked() -> None:
    history = planted()
    members, own = asked(history, 0)
    true = next(item for item in own if item.effect_id == history.episodes[0].asked)
    wrong = replace(true, verdicts=(refuted(),))
    for given in (own, [wrong if item is true else item for item in own]):
        possible = parents(learned(), members, given)
        share = {option.cause_id: option.probability for option in possible[true.effect_id]}
        assert share.get(true.cause_id, 0.0) == pytest.approx(float(given is own), abs=0.05)
    assert (true.effect_id, true.cause_id) not in {
        (item.effect_id, item.cause_id) for item in missing_edges(possible, least=0.0)
    }


def test_a_confirmed_cause_is_certain_and_never_doubted() -> None:
    history, habits = planted(0.2), learned(0.2)
    doubts = 0
    for number in range(60):
        members, own = asked(history, number)
        doubted = doubtful_edges(parents(habits, members, own), most=0.9)
        doubts += len(doubted)
        confirmed = {(item.effect_id, item.cause_id) for item in doubted}
        told = [
            edge(item.effect_id, item.cause_id, grade=Grade.CONFIRMED)
            if (item.effect_id, item.cause_id) in confirmed
            else item
            for item in own
        ]
        possible = parents(habits, members, told)
        still = {(item.effect_id, item.cause_id) for item in doubtful_edges(possible, most=0.9)}
        assert not confirmed & still
        for effect in {effect for effect, _ in confirmed}:
            assert all(
                (effect, option.cause_id) in confirmed for option in possible[effect] if option.probability
            )
    assert doubts > 10


def test_of_two_stated_causes_neither_is_doubted_for_the_other() -> None:
    """A failure may have needed both; a doubt rests on what nobody stated."""
    options = (
        Parent("usual", 0.97, stated=True),
        Parent("rare", 0.02, stated=True),
        Parent(None, 0.01, stated=False),
    )
    assert doubtful_edges({"effect": options}) == []
    (doubt,) = doubtful_edges(
        {"effect": (Parent("unsaid", 0.95, stated=False), Parent("rare", 0.05, stated=True))}
    )
    assert (doubt.cause_id, doubt.instead, doubt.probability) == ("rare", "unsaid", pytest.approx(0.05))


def test_a_stated_cause_outside_the_episode_is_not_doubted() -> None:
    options = (Parent("unsaid", 0.99, stated=False), Parent("fact", 0.01, stated=True, judged=False))
    assert doubtful_edges({"effect": options}) == []
    members = [happened("a", 0, "indexerror"), happened("b", 1, "zerodivisionerror")]
    possible = parents(learned(), members, edges(("b", "fact")))
    assert [option.judged for option in possible["b"] if option.cause_id == "fact"] == [False]


def test_a_stated_cause_of_the_same_time_counts_whatever_its_id() -> None:
    history = planted()
    for number in range(20):
        members, own = asked(history, number)
        at_once = [replace(event, at=members[0].at) for event in members]
        found = origins(history.episodes[number].asked, parents(learned(), at_once, own))
        assert max(found, key=lambda node: found[node]) == history.episodes[number].root


def test_a_chain_is_followed_into_another_episode() -> None:
    events = [
        happened("root", 0, "indexerror", "first task"),
        happened("stale", 1, "keyerror", "first task"),
        happened("early", 2, "typeerror", "second task"),
        happened("end", 3, "valueerror", "second task"),
    ]
    told = [
        edge("stale", "root", grade=Grade.CONFIRMED),
        edge("early", "stale", grade=Grade.CONFIRMED),
        edge("end", "early", grade=Grade.CONFIRMED),
    ]
    possible = parents(learned(), events, told)
    assert list(possible) == ["root", "stale", "early", "end"]
    assert origins("end", possible) == pytest.approx({"root": 1.0})


def test_episodes_that_caused_each_other_in_a_circle_still_share_out_everything() -> None:
    events = [happened("a", 0, "keyerror", "one"), happened("b", 1, "keyerror", "two")]
    possible = parents(learned(), events, [edge("a", "b"), edge("b", "a")])
    assert sum(origins("b", possible).values()) == pytest.approx(1)


def test_walked_with_its_inferred_edges_the_root_is_the_likeliest_origin() -> None:
    history, habits = planted(0.2), learned(0.2)
    reached = 0
    for number in range(60):
        members, own = asked(history, number)
        possible = parents(habits, members, own)
        added = inferred(missing_edges(possible), T0)
        assert all(item.grade is Grade.INFERRED and 0.1 <= item.confidence <= 1 for item in added)
        end = history.episodes[number].asked
        found = walked([*own, *added], end)
        began = origins(end, possible)
        times = {event.id: event.at for event in members}
        first = rank(found, cause_graph(found), times, frozenset(found.hops), began)[0]
        likeliest = max(began, key=lambda node: began[node])
        reached += first.id == likeliest
        assert first.source == max(began.get(node, 0.0) for node in found.hops)
    assert reached >= 59


def test_chains_share_out_the_probability_of_the_origin() -> None:
    possible = {
        "a": (Parent(None, 1.0, False),),
        "b": (Parent("a", 0.5, True), Parent(None, 0.5, False)),
        "c": (Parent("b", 0.8, True), Parent("a", 0.2, False)),
    }
    assert origins("c", possible) == pytest.approx({"a": 0.6, "b": 0.4})


def test_an_unknown_class_and_an_empty_episode_are_answered() -> None:
    assert parents(learned(), [], []) == {}
    alone = parents(learned(), [happened("a", 0, "neverseen")], [])
    assert [(option.cause_id, option.probability) for option in alone["a"]] == [(None, 1.0)]


def test_without_a_history_nothing_is_learned() -> None:
    habits = learn([], [])
    assert not habits.enough
    assert habits.episodes == 0


def test_the_order_in_which_a_history_is_given_does_not_matter() -> None:
    history = planted()
    events = occurrences(history.memories)[:400]
    one, other = learn(events, history.edges), learn(events[::-1], history.edges[::-1])
    assert one.triggers == pytest.approx(other.triggers)
    assert replace(one, triggers=other.triggers).episodes == other.episodes
