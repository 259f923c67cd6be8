"""Layers of a cause graph: every cause below what it led to, long edges through every layer, cycles end."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from graphmem.entrypoints.cli.pictures.layers import Layers, layers


def depths(found: Layers) -> dict[str, int]:
    """The layer of every node, bends aside."""
    return {place: row for row, places in enumerate(found.rows) for place in places if "\n" not in place}


def arranged(top: str, text: str) -> Layers:
    """Layers of edges given as 'effect-cause effect-cause'."""
    edges = [(pair.split("-")[0], pair.split("-")[1]) for pair in text.split()]
    nodes = list(dict.fromkeys([top, *(end for pair in edges for end in pair)]))
    return layers(top, nodes, edges)


def test_one_node_is_one_layer() -> None:
    assert layers("a", ["a"], []).rows == (("a",),)


def test_causes_stand_below_what_they_led_to() -> None:
    found = arranged("a", "a-b b-c a-c")
    assert depths(found) == {"a": 0, "b": 1, "c": 2}
    assert found.bends["a", "c"] == ("a", "a\nc\n1", "c")
    assert found.upwards == frozenset()


def test_an_edge_that_closes_a_cycle_is_set_apart() -> None:
    found = arranged("a", "a-b b-c c-a")
    assert depths(found) == {"a": 0, "b": 1, "c": 2}
    assert found.upwards == {("c", "a")}
    assert ("c", "a") not in found.bends


def test_edges_that_need_not_cross_do_not() -> None:
    found = arranged("a", "a-x a-y x-right y-left x-right2 y-left2")
    upper, lower = found.rows[1], found.rows[2]
    order = [upper.index({"r": "x", "l": "y"}[name[0]]) for name in lower]
    assert order == sorted(order)


@pytest.mark.parametrize("seed", range(20))
def test_every_edge_goes_down_or_is_set_apart(seed: int) -> None:
    """Random graphs, cycles and loose ends included: nothing is lost, nothing drawn twice."""
    chance = random.Random(seed)
    nodes = [f"n{number}" for number in range(12)]
    edges = {tuple(chance.sample(nodes, 2)) for _ in range(25)}
    found = layers("n0", nodes, sorted(edges))  # type: ignore[arg-type]
    row = depths(found)
    assert sorted(row) == sorted(nodes)
    assert found.bends.keys() | found.upwards == edges
    assert not found.bends.keys() & found.upwards
    for (effect, cause), places in found.bends.items():
        assert row[effect] < row[cause]
        assert len(places) == row[cause] - row[effect] + 1


def test_a_chain_of_thousands_is_no_recursion() -> None:
    nodes = [f"n{number}" for number in range(3_000)]
    found = layers("n0", nodes, list(pairwise(nodes)))
    assert len(found.rows) == 3_000
