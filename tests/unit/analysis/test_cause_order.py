"""Counting over the whole cause graph is exact, whatever its shape, and its work grows with its edges."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis import cause_order
from graphmem.analysis.blast_radius import blast_radii
from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.choke_points import choke_points
from graphmem.analysis.priorities import priorities
from tests.unit.analysis.causal import Pairs
from tests.work import calls

unhurried = settings(deadline=None)
names = st.sampled_from([f"n{number}" for number in range(9)])
graphs = st.lists(st.tuples(names, names), max_size=25, unique=True)


def chain(length: int) -> list[tuple[str, str]]:
    """n0 caused by n1 caused by n2 and so on."""
    return [(f"n{place}", f"n{place + 1}") for place in range(length - 1)]


def effects_of(pairs: Pairs, node: str) -> set[str]:
    """Every node that this one led to, by search."""
    graph = nx.DiGraph(pairs)
    return nx.ancestors(graph, node) if node in graph else set()


@unhurried
@given(graphs, st.sets(names), st.integers(1, 40))
def test_blast_radii_equal_a_search_from_every_node(pairs: Pairs, failing: set[str], bits: int) -> None:
    before, cause_order.BITS = cause_order.BITS, bits
    try:
        found = blast_radii(CauseOrder(failing, pairs), failing)
    finally:
        cause_order.BITS = before
    for node, count in found.items():
        assert count == len((effects_of(pairs, node) & failing) - {node})


@unhurried
@given(graphs)
def test_causes_come_before_effects_and_cycles_are_one_group(pairs: Pairs) -> None:
    order = CauseOrder([], pairs)
    place = {group: number for number, group in enumerate(order.sequence)}
    assert sorted(place) == list(range(len(order.members)))
    for effect, cause in pairs:
        if order.group_of[effect] != order.group_of[cause] and effect != cause:
            assert place[order.group_of[cause]] < place[order.group_of[effect]]
    graph = nx.DiGraph(pair for pair in pairs if pair[0] != pair[1])
    cycles = {frozenset(found) for found in nx.strongly_connected_components(graph) if len(found) > 1}
    assert {frozenset(found) for found in order.members if len(found) > 1} == cycles


@unhurried
@given(graphs, st.sets(names, min_size=1))
def test_choke_points_count_pairs_of_root_and_failure_joined_through_a_node(
    pairs: Pairs, failing: set[str]
) -> None:
    order = CauseOrder(failing, pairs)
    graph = nx.DiGraph()
    graph.add_nodes_from(order.group_of)
    graph.add_edges_from(pairs)
    sources = [order.members[group] for group in order.sources()]
    for point in choke_points(order, failing, limit=100):
        behind = nx.descendants(graph, point.id)
        roots = [source for source in sources if set(source) & behind]
        failures = (nx.ancestors(graph, point.id) & failing) - {point.id}
        assert (point.roots, point.failures) == (len(roots), len(failures))
        assert point.chains == len(roots) * len(failures)
        assert not any(point.id in source for source in sources)


@unhurried
@given(graphs, st.sets(names, min_size=1))
def test_priorities_cover_everything_in_the_end_and_each_adds_least_last(
    pairs: Pairs, failing: set[str]
) -> None:
    found = priorities(CauseOrder(failing, pairs), failing, limit=100)
    covered: set[str] = set()
    for item in found:
        led_to = set(item.ids).union(*(effects_of(pairs, node) for node in item.ids)) & failing
        assert item.failures == len(led_to)
        assert item.gained == len(led_to - covered)
        covered |= led_to
        assert item.covered == pytest.approx(len(covered) / len(failing))
    assert covered == failing
    assert [item.gained for item in found] == sorted((item.gained for item in found), reverse=True)


@unhurried
@given(graphs, st.sets(names, min_size=1))
def test_the_first_priority_is_the_best_single_root(pairs: Pairs, failing: set[str]) -> None:
    order = CauseOrder(failing, pairs)
    best = max(
        len(set(source).union(*(effects_of(pairs, node) for node in source)) & failing)
        for source in (order.members[group] for group in order.sources())
    )
    assert priorities(order, failing, limit=1)[0].gained == best


def test_causes_of_one_name_count_as_one() -> None:
    pairs = [("a1", "x1"), ("a2", "x2"), ("b1", "y"), ("b2", "y")]
    order = CauseOrder([], pairs)
    failing = {"a1", "a2", "b1"}
    found = priorities(order, failing, names={"x1": "stale copy", "x2": "stale copy"})
    assert [(item.name, item.ids, item.gained) for item in found] == [
        ("stale copy", ("x1", "x2"), 2),
        ("y", ("y",), 1),
    ]


def test_without_failures_there_is_nothing_to_do() -> None:
    order = CauseOrder([], [("a", "b")])
    assert priorities(order, set()) == []
    assert choke_points(order, set()) == []


def test_a_self_loop_says_nothing() -> None:
    order = CauseOrder(["a"], [("a", "a")])
    assert (order.members, order.sources()) == ([("a",)], [0])
    assert blast_radii(order, {"a"}) == {"a": 0}


def test_a_chain_of_ten_thousand_is_counted_from_its_end() -> None:
    pairs = chain(10_000)
    order = CauseOrder([], pairs)
    failing = set(order.group_of)
    assert blast_radii(order, failing)["n9999"] == 9_999
    first = priorities(order, failing)[0]
    assert (first.ids, first.failures, first.covered) == (("n9999",), 10_000, 1.0)
    assert choke_points(order, failing, limit=1)[0].id == "n9998"


def test_a_star_of_a_hundred_thousand_has_one_cause() -> None:
    pairs = [(f"n{place}", "hub") for place in range(100_000)]
    order = CauseOrder([], pairs)
    failing = {effect for effect, _ in pairs}
    assert blast_radii(order, failing)["hub"] == 100_000
    assert [(item.name, item.covered) for item in priorities(order, failing)] == [("hub", 1.0)]


def test_a_graph_in_pieces_is_counted_piece_by_piece() -> None:
    order = CauseOrder(["alone"], [*chain(3), ("m0", "m1")])
    assert blast_radii(order, {"n0", "m0", "alone"}) == {
        "alone": 0,
        "n0": 0,
        "n1": 1,
        "n2": 1,
        "m0": 0,
        "m1": 1,
    }


def test_a_set_is_held_until_it_was_read_for_the_last_time() -> None:
    pairs = [
        pair for number in range(50) for pair in ((f"a{number}", f"b{number}"), (f"b{number}", f"c{number}"))
    ]
    order = CauseOrder([], pairs)
    for onward, backward, sequence in (
        (order.effects, order.causes, order.sequence[::-1]),
        (order.causes, order.effects, order.sequence),
    ):
        assert cause_order._width(sequence, onward, backward) == 2


def test_the_work_grows_with_the_edges() -> None:
    def work(length: int) -> int:
        pairs = chain(length)
        failing = {node for pair in pairs for node in pair}
        return calls(lambda: blast_radii(CauseOrder([], pairs), failing))

    assert work(4_000) < 4.5 * work(1_000)
