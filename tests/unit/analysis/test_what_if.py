"""What removing causes would have done, against exact answers of small graphs."""

from __future__ import annotations

import random
from itertools import product

import pytest

from graphmem.analysis.what_if import what_if
from graphmem.domain.causation import CauseEdge
from tests.builders import T0, refuted
from tests.unit.analysis.causal import edge, edges
from tests.work import calls


def exact(found: list[CauseEdge], failure: str, removed: set[str]) -> float:
    """P(still happens without removed | happened), by listing every world."""
    nodes = {node for item in found for node in (item.effect_id, item.cause_id)}
    roots = nodes - {item.effect_id for item in found}
    before = after = 0.0
    for passes in product([True, False], repeat=len(found)):
        chance = 1.0
        for item, passed in zip(found, passes, strict=True):
            chance *= item.confidence if passed else 1 - item.confidence
        live = [(item.effect_id, item.cause_id) for item, ok in zip(found, passes, strict=True) if ok]
        if failure in spread(roots, live):
            before += chance
            kept = [pair for pair in live if not removed & set(pair)]
            after += chance * (failure in spread(roots - removed, kept))
    return after / before


def spread(start: set[str], live: list[tuple[str, str]]) -> set[str]:
    """What happens, given what began and which edges pass it on."""
    happened = set(start)
    while fresh := {effect for effect, cause in live if cause in happened} - happened:
        happened |= fresh
    return happened


def test_a_failure_with_one_chain_of_causes_is_prevented_by_any_link_of_it() -> None:
    found = edges(("end", "a"), ("a", "root"))
    for link in ("a", "root"):
        answer = what_if(found, {"end"}, [link])
        assert answer.prevented == ("end",)
        assert (answer.still["end"].value, answer.still["end"].high) == (0.0, 0.0)
        assert answer.avoided == 1.0


def test_with_another_cause_left_it_is_not_prevented_but_less_likely() -> None:
    found = [edge("end", "a", 0.9), edge("end", "b", 0.3)]
    answer = what_if(found, {"end"}, ["a"])
    assert answer.prevented == ()
    assert answer.still["end"].low < 0.3 / (1 - 0.1 * 0.7) < answer.still["end"].high


@pytest.mark.parametrize("seed", range(40))
def test_the_interval_holds_the_exact_probability(seed: int) -> None:
    chance = random.Random(seed)
    names = ["end", "a", "b", "c", "d"]
    pairs = [(names[i], names[j]) for i in range(5) for j in range(i + 1, 5) if chance.random() < 0.6]
    found = [
        edge("end", "d", 0.5),
        *(edge(*pair, chance.uniform(0.2, 0.9)) for pair in pairs if pair != ("end", "d")),
    ]
    truth = exact(found, "end", {"c"})
    answer = what_if(found, {"end"}, ["c"], draws=4_000).still["end"]
    wide = 0.5 * (answer.high - answer.low)  # twice the 95 % interval: forty of forty must hold
    assert answer.low - wide <= truth <= answer.high + wide


def test_nothing_removed_changes_nothing() -> None:
    answer = what_if(edges(("end", "a")), {"end"}, [])
    assert (answer.prevented, answer.still["end"].value, answer.avoided) == ((), 1.0, 0.0)


def test_a_removed_failure_is_prevented_itself_and_strangers_are_not() -> None:
    answer = what_if(edges(("end", "a"), ("other", "b")), {"end", "a", "other", "alone"}, ["a"])
    assert answer.prevented == ("a", "end")
    assert answer.avoided == pytest.approx(2.0)


def test_a_cycle_ends_and_began_with_any_of_its_members() -> None:
    found = edges(("end", "a"), ("a", "b"), ("b", "a"), ("a", "a"))
    assert what_if(found, {"end"}, ["b"]).prevented == ()
    assert what_if(found, {"end"}, ["a"]).prevented == ("end",)


def test_a_cycle_passes_on_what_came_into_it() -> None:
    found = edges(("end", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "root"))
    assert what_if(found, {"end"}, ["root"]).prevented == ("end",)


def test_refuted_edges_pass_nothing_on() -> None:
    wrong = CauseEdge(from_id="end", to_id="a", recorded_at=T0, verdicts=(refuted(),))
    assert what_if([wrong, edge("end", "b")], {"end"}, ["b"]).prevented == ("end",)


def test_equal_seeds_give_equal_answers_and_others_do_not_differ_much() -> None:
    found = [edge("end", "a", 0.5), edge("end", "b", 0.5), edge("b", "a", 0.5)]
    one, again, other = (what_if(found, {"end"}, ["b"], seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.still["end"].value == pytest.approx(other.still["end"].value, abs=0.06)


def test_a_failure_that_no_world_reaches_is_unknown() -> None:
    found = [edge("end", "a", 0.0001), edge("a", "b", 0.0001)]
    answer = what_if([*found, edge("a", "c", 0.0001)], {"end"}, ["c"], draws=10).still["end"]
    assert (answer.n, answer.low, answer.high) == (0, 0.0, 1.0)


def test_the_work_grows_with_the_edges_not_with_the_paths() -> None:
    def ladder(rungs: int) -> int:
        found = [edge(f"n{i}", f"n{j}") for i in range(rungs) for j in (i + 1, i + 2)]
        return calls(lambda: what_if(found, {"n0"}, [f"n{rungs}"], draws=64))

    assert ladder(200) < 3 * ladder(100)
