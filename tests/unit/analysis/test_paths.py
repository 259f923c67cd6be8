"""Paths, dominators and the smallest joint fix equal what trying everything finds."""

from __future__ import annotations

import math
import random
from itertools import combinations, islice, pairwise

import networkx as nx
import pytest

from graphmem.analysis.cause_graph import SINK, cause_graph, sources_of
from graphmem.analysis.joint_fix import joint_fix
from graphmem.analysis.paths import on_every_path, paths
from graphmem.domain.causation import CauseEdge
from tests.unit.analysis.causal import edge, edges, walked


def drawn(seed: int) -> list[CauseEdge]:
    """A random graph of at most eight nodes; cycles occur, self-loops too."""
    chance = random.Random(seed)
    names = ["end", *(f"n{number}" for number in range(chance.randint(2, 7)))]
    pairs = {tuple(chance.choices(names, k=2)) for _ in range(chance.randint(2, 14))}
    return [edge(effect, cause, chance.choice([0.3, 0.5, 0.7, 0.9])) for effect, cause in sorted(pairs)]


def every_path(graph: nx.DiGraph) -> list[tuple[str, ...]]:
    """All simple paths from the end to the virtual source, by exhaustive search."""
    return [tuple(path[:-1]) for path in nx.all_simple_paths(graph, "end", SINK)] if SINK in graph else []


@pytest.mark.parametrize("block", range(10))
def test_on_a_thousand_graphs_dominators_and_joint_fix_equal_brute_force(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        found = walked(drawn(seed))
        graph = cause_graph(found)
        ways = every_path(graph)
        always = set.intersection(*(set(way) for way in ways)) - {"end"} if ways else set()
        assert set(on_every_path(found, graph)) == always, seed
        fix = set(joint_fix(found, graph))
        if not ways or ("end",) in ways:
            assert not fix, seed
            continue
        assert all(fix & set(way) for way in ways), seed
        inner = sorted({node for way in ways for node in way} - {"end"})
        smaller = (set(chosen) for chosen in combinations(inner, len(fix) - 1))
        assert not any(all(chosen & set(way) for way in ways) for chosen in smaller), seed


@pytest.mark.parametrize("block", range(3))
def test_the_paths_are_the_most_probable_of_all(block: int) -> None:
    for seed in range(block * 50, block * 50 + 50):
        found = walked(drawn(seed))
        graph = cause_graph(found)
        chances = {(item.effect_id, item.cause_id): item.confidence for item in found.edges}
        ways = [way for way in every_path(graph) if len(way) > 1]
        expected = sorted(
            (math.prod(chances[pair] for pair in pairwise(way)) for way in ways),
            reverse=True,
        )
        got = paths(found, graph, limit=4)
        assert [chance for _, chance in got] == pytest.approx(list(islice(expected, len(got)))), seed
        assert len(got) >= min(3, len(expected)), seed


def test_dominators_are_given_nearest_first() -> None:
    found = walked(edges(("end", "a"), ("a", "b"), ("b", "root")))
    assert on_every_path(found, cause_graph(found)) == ("a", "b", "root")


def test_a_cause_of_itself_changes_nothing() -> None:
    found = walked([*edges(("end", "a"), ("a", "a"), ("a", "root"))])
    graph = cause_graph(found)
    assert on_every_path(found, graph) == ("a", "root")
    assert joint_fix(found, graph) in {("a",), ("root",)}


def test_a_chain_of_ten_thousand_is_cut_at_fifty_hops() -> None:
    """Its root is not known then, and none is named; whatever it is, every cause on the one way is on its way."""
    links = {f"n{place}": edge(f"n{place}", f"n{place + 1}") for place in range(10_000)}
    found = walked(list(links.values())[:200], "n0")
    graph = cause_graph(found)
    assert (found.truncated, len(found.hops)) == (True, 51)
    assert sources_of(graph) == set()
    assert on_every_path(found, graph) == tuple(f"n{place}" for place in range(1, 51))
    assert len(joint_fix(found, graph)) == 1


def test_two_equal_smallest_fixes_give_one_of_them_every_time() -> None:
    found = walked(edges(("end", "a"), ("a", "root")))
    graph = cause_graph(found)
    assert len({joint_fix(found, graph) for _ in range(5)}) == 1
