"""Walks over cause edges end, whatever the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis import walks
from graphmem.analysis.walks import MAX_HOPS, Walk, walk
from graphmem.domain.causation import CauseEdge, Evidence, Grade
from tests.builders import T0, confirmed, refuted

unhurried = settings(deadline=None)

Pairs = Sequence[tuple[str, str]]

nodes = st.sampled_from([f"n{number}" for number in range(12)])
graphs = st.lists(st.tuples(nodes, nodes).filter(lambda pair: pair[0] != pair[1]), max_size=40, unique=True)
hops = st.integers(1, MAX_HOPS)


def edge(effect: str, cause: str, grade: Grade = Grade.ASSERTED) -> CauseEdge:
    """An active edge with one piece of evidence."""
    return CauseEdge(
        from_id=effect, to_id=cause, recorded_at=T0, evidence=(Evidence(grade, 0.8, "stated", "me", T0),)
    )


def along(edges: Sequence[CauseEdge]) -> Callable[[Sequence[str]], list[CauseEdge]]:
    """One hop along the arrows of these edges."""
    return lambda frontier: [item for item in edges if item.effect_id in frontier]


def against(edges: Sequence[CauseEdge]) -> Callable[[Sequence[str]], list[CauseEdge]]:
    """One hop against the arrows of these edges."""
    return lambda frontier: [item for item in edges if item.cause_id in frontier]


def walked(pairs: Pairs, start: str = "n0", max_hops: int = MAX_HOPS) -> Walk:
    """A walk to the causes along edges given as (effect, cause)."""
    return walk(start, along([edge(*pair) for pair in pairs]), max_hops, Grade.INFERRED)


@unhurried
@given(graphs, hops)
def test_it_reaches_every_cause_by_its_shortest_way(pairs: Pairs, max_hops: int) -> None:
    graph = nx.DiGraph(pairs)
    graph.add_node("n0")
    assert walked(pairs, max_hops=max_hops).hops == nx.single_source_shortest_path_length(
        graph, "n0", cutoff=max_hops
    )


@unhurried
@given(graphs, hops)
def test_its_edges_join_nodes_that_it_reached_once_each(pairs: Pairs, max_hops: int) -> None:
    found = walked(pairs, max_hops=max_hops)
    joined = [(item.effect_id, item.cause_id) for item in found.edges]
    assert len(joined) == len(set(joined))
    assert {end for pair in joined for end in pair} <= found.hops.keys()


@unhurried
@given(graphs, hops)
def test_a_node_is_cut_exactly_when_one_of_its_causes_is_missing(pairs: Pairs, max_hops: int) -> None:
    found = walked(pairs, max_hops=max_hops)
    lacking = {effect for effect, cause in pairs if effect in found.hops and cause not in found.hops}
    assert found.cut == lacking
    assert found.truncated == bool(lacking)


@unhurried
@given(graphs, st.randoms(use_true_random=False))
def test_the_order_of_the_edges_does_not_matter(pairs: Pairs, random: object) -> None:
    mixed = list(pairs)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert walked(mixed) == walked(pairs)


@unhurried
@given(graphs)
def test_against_the_arrows_it_finds_the_effects(pairs: Pairs) -> None:
    edges = [edge(*pair) for pair in pairs]
    found = walk("n0", against(edges), MAX_HOPS, Grade.INFERRED, towards_causes=False)
    turned = walked([(cause, effect) for effect, cause in pairs])
    assert found.hops == turned.hops


def test_a_cycle_ends_by_itself() -> None:
    found = walked([("n0", "n1"), ("n1", "n2"), ("n2", "n0")])
    assert found.hops == {"n0": 0, "n1": 1, "n2": 2}
    assert len(found.edges) == 3
    assert not found.truncated


def test_an_unknown_start_is_a_walk_of_one() -> None:
    assert walked([], "nobody") == Walk("nobody", {"nobody": 0}, (), frozenset())


def test_refuted_edges_are_not_walked() -> None:
    edges = [edge("n0", "n1"), CauseEdge(from_id="n0", to_id="n2", recorded_at=T0, verdicts=(refuted(),))]
    assert walk("n0", along(edges), 6, Grade.INFERRED).hops.keys() == {"n0", "n1"}


def test_an_edge_confirmed_after_it_was_refuted_is_walked() -> None:
    back = CauseEdge(from_id="n0", to_id="n1", recorded_at=T0, verdicts=(refuted(1), confirmed(2)))
    assert walk("n0", along([back]), 6, Grade.CONFIRMED).hops.keys() == {"n0", "n1"}


@pytest.mark.parametrize("least", list(Grade))
def test_only_edges_of_the_wanted_grade_are_walked(least: Grade) -> None:
    edges = [edge("n0", grade.name, grade) for grade in (Grade.INFERRED, Grade.TRACED, Grade.ASSERTED)]
    found = walk("n0", along(edges), 6, least)
    assert len(found.hops) == 1 + sum(grade >= least for grade in (1, 2, 3))


def test_at_the_last_hop_it_sees_that_more_would_follow() -> None:
    found = walked([(f"n{number}", f"n{number + 1}") for number in range(5)], max_hops=3)
    assert found.hops == {"n0": 0, "n1": 1, "n2": 2, "n3": 3}
    assert found.cut == {"n3"}


def test_a_chain_that_ends_at_the_last_hop_is_not_cut() -> None:
    assert not walked([(f"n{number}", f"n{number + 1}") for number in range(3)], max_hops=3).truncated


def test_it_stops_at_the_greatest_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "MAX_NODES", 10)
    found = walked([("n0", f"m{number}") for number in range(30)])
    assert len(found.hops) == 10
    assert found.cut == {"n0"}


def test_it_asks_for_one_frontier_at_a_time() -> None:
    asked: list[list[str]] = []
    edges = [edge("n0", "n1"), edge("n0", "n2"), edge("n1", "n3"), edge("n2", "n3")]

    def expand(frontier: Sequence[str]) -> list[CauseEdge]:
        asked.append(sorted(frontier))
        return along(edges)(frontier)

    walk("n0", expand, 6, Grade.INFERRED)
    assert asked == [["n0"], ["n1", "n2"], ["n3"]]
