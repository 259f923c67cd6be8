"""The root of a failure, on planted chains whose answer is known."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.cause_graph import SINK, cause_graph
from graphmem.analysis.joint_fix import joint_fix
from graphmem.analysis.paths import MAX_PATHS, on_every_path, paths
from graphmem.analysis.roots import Candidate, rank
from graphmem.analysis.walks import MAX_HOPS, Walk, walk
from graphmem.domain.causation import CauseEdge, Evidence, Grade
from tests.builders import T0, at, refuted

unhurried = settings(deadline=None)

Pairs = Sequence[tuple[str, str]]


def edge(effect: str, cause: str, confidence: float = 0.8, grade: Grade = Grade.ASSERTED) -> CauseEdge:
    """An active edge with one piece of evidence."""
    evidence = Evidence(grade, confidence, "stated", "me", T0)
    return CauseEdge(from_id=effect, to_id=cause, recorded_at=T0, evidence=(evidence,))


def walked(edges: Sequence[CauseEdge], start: str = "end", max_hops: int = MAX_HOPS) -> Walk:
    """The walk to the causes of start."""
    return walk(
        start, lambda ids: [item for item in edges if item.effect_id in ids], max_hops, Grade.INFERRED
    )


def ranked(
    edges: Sequence[CauseEdge], seconds: dict[str, float], start: str = "end", max_hops: int = MAX_HOPS
) -> list[Candidate]:
    """Candidates when every node is a failure that occurred at its second."""
    found = walked(edges, start, max_hops)
    times = {node: at(seconds.get(node, 0)) for node in found.hops}
    return rank(found, cause_graph(found), times, frozenset(found.hops))


def chain(*nodes: str) -> list[CauseEdge]:
    """Edges from each node to the next, effects first."""
    return [edge(*pair) for pair in pairwise(nodes)]


def test_the_source_of_one_chain_comes_first() -> None:
    found = ranked(chain("end", "c", "b", "a"), {"a": 0, "b": 10, "c": 20, "end": 30})
    assert [item.id for item in found] == ["a", "b", "c", "end"]
    assert found[0].on_every_path
    assert found[0].hops == 3


@pytest.mark.parametrize("seed", range(20))
def test_of_three_interleaved_chains_the_one_that_did_not_recover_is_the_root(seed: int) -> None:
    """Two chains recover: nothing failed because of them. Earliest failure alone would name one of those."""
    drawn = random.Random(seed)
    edges: list[CauseEdge] = []
    seconds: dict[str, float] = {"end": 1000}
    for name in ("lost", "well1", "well2"):
        length = drawn.randint(2, 4)
        members = [f"{name}{number}" for number in range(length)]
        edges += chain(*reversed(members))
        starts = 100 if name == "lost" else 0
        seconds |= zip(members, sorted(drawn.sample(range(starts, 900), length)), strict=True)
        if name == "lost":
            edges.append(edge("end", members[-1]))
    assert ranked(edges, seconds)[0].id == "lost0"


def test_of_three_linked_sources_the_one_after_which_nothing_else_went_wrong_is_the_root() -> None:
    edges = [edge("end", name) for name in ("early", "middle", "last")]
    found = ranked(edges, {"early": 0, "middle": 5, "last": 10, "end": 100})
    assert found[0].id == "last"
    assert found[0].unrecovered == pytest.approx(0.9)


def test_in_a_diamond_both_ends_of_it_lie_on_every_path() -> None:
    edges = [*chain("end", "join"), *chain("join", "left", "root"), *chain("join", "right", "root")]
    found = {item.id: item.on_every_path for item in ranked(edges, {})}
    assert found == {"root": True, "join": True, "left": False, "right": False, "end": False}


def test_the_smallest_joint_fix_of_a_diamond_is_one_node() -> None:
    edges = [*chain("join", "left", "root"), *chain("join", "right", "root"), edge("end", "join")]
    found = walked(edges)
    assert joint_fix(found, cause_graph(found)) in {("root",), ("join",)}


def test_two_independent_causes_must_both_be_fixed() -> None:
    found = walked([edge("end", "a"), edge("end", "b"), edge("a", "x"), edge("b", "x"), edge("x", "y")])
    assert len(joint_fix(found, cause_graph(found))) == 1
    apart = walked([edge("end", "a"), edge("end", "b")])
    assert joint_fix(apart, cause_graph(apart)) == ("a", "b")


def test_a_failure_without_causes_has_nothing_else_to_fix() -> None:
    found = walked([])
    graph = cause_graph(found)
    assert joint_fix(found, graph) == ()
    assert paths(found, graph) == []


def test_the_asked_node_itself_is_a_candidate() -> None:
    found = ranked([], {})
    assert [(item.id, item.source, item.grade, item.hops) for item in found] == [("end", 1.0, None, 0)]


def test_of_a_cycle_without_exit_the_member_reached_first_stands_for_the_source() -> None:
    edges = [edge("end", "a"), edge("a", "b"), edge("b", "c"), edge("c", "a")]
    found = ranked(edges, {"end": 9, "a": 3, "b": 2, "c": 1})
    assert [item.id for item in found if item.source] == ["a"]
    assert found[0].id == "a"


def test_a_cycle_with_an_exit_has_no_source_of_its_own() -> None:
    edges = [edge("end", "a"), edge("a", "b"), edge("b", "a"), edge("b", "root")]
    assert [item.id for item in ranked(edges, {}) if item.source] == ["root"]


def test_a_cycle_that_holds_the_asked_node_ends() -> None:
    found = walked([edge("end", "a"), edge("a", "end")])
    assert {item.id for item in ranked([edge("end", "a"), edge("a", "end")], {})} == {"end", "a"}
    assert paths(found, cause_graph(found)) == []


def test_nodes_at_the_cut_are_never_ranked() -> None:
    found = ranked(chain("end", "a", "b", "c", "d"), {}, max_hops=2)
    assert [item.id for item in found] == ["a", "end"]
    assert not any(item.source for item in found)


def test_no_path_to_a_root_is_told_where_the_walk_was_cut() -> None:
    found = walked(chain("end", "a", "b", "c", "d"), max_hops=2)
    assert paths(found, cause_graph(found)) == []


def test_what_cuts_the_ways_that_were_walked_to_their_end_is_no_fix_while_another_way_was_cut() -> None:
    """A short way to a small cause, beside a long one: without the small cause the long way still leads here."""
    edges = [edge("end", "small"), *chain("end", "a", "b", "c", "d", "root")]
    found = walked(edges, max_hops=3)
    graph = cause_graph(found)
    assert on_every_path(found, graph) == ()
    assert set(joint_fix(found, graph)) in [{"small", name} for name in "abc"]
    assert not any(item.on_every_path for item in ranked(edges, {}, max_hops=3))


def test_a_refuted_edge_leads_to_no_root() -> None:
    wrong = CauseEdge(from_id="end", to_id="innocent", recorded_at=T0, verdicts=(refuted(),))
    assert [item.id for item in ranked([wrong, edge("end", "guilty")], {"guilty": -1})] == ["guilty", "end"]


def test_the_grade_of_a_root_is_the_weakest_edge_of_its_best_path() -> None:
    edges = [
        edge("end", "a", grade=Grade.CONFIRMED),
        edge("a", "root", grade=Grade.TRACED),
        edge("end", "b", grade=Grade.INFERRED),
        edge("b", "root", grade=Grade.ASSERTED),
    ]
    grades = {item.id: item.grade for item in ranked(edges, {})}
    assert grades == {
        "end": None,
        "a": Grade.CONFIRMED,
        "b": Grade.INFERRED,
        "root": Grade.TRACED,
    }


def test_paths_are_the_most_probable_first() -> None:
    edges = [edge("end", "a", 0.9), edge("a", "root", 0.9), edge("end", "b", 0.5), edge("b", "root", 1.0)]
    found = walked(edges)
    listed = paths(found, cause_graph(found))
    assert [ids for ids, _ in listed] == [("end", "a", "root"), ("end", "b", "root")]
    assert [probability for _, probability in listed] == pytest.approx([0.81, 0.5])


def test_ties_go_to_the_earlier_one() -> None:
    found = ranked([edge("end", "late"), edge("end", "soon")], {"soon": 1, "late": 1, "end": 1})
    assert [item.id for item in found][:2] == ["late", "soon"]
    found = ranked([edge("end", "late"), edge("end", "soon")], {"soon": 0, "late": 4, "end": 8})
    assert [item.id for item in found][:2] == ["soon", "late"]


def test_a_source_comes_before_what_it_caused_although_it_is_dated_later() -> None:
    """A fact that holds since ever is dated by when it was recorded, after the failures that it caused."""
    found = walked(chain("end", "step", "fact"))
    times = {"end": at(10), "step": at(0), "fact": at(10)}
    order = rank(found, cause_graph(found), times, frozenset({"end"}))
    assert order[0].id == "fact"


names = st.sampled_from([f"n{number}" for number in range(10)])
graphs = st.lists(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1]), max_size=30, unique=True)
clocks = st.dictionaries(names, st.integers(0, 5), max_size=10)


@unhurried
@given(graphs, clocks, st.sets(names), st.integers(1, MAX_HOPS))
def test_on_any_graph_scores_are_shares_and_sources_come_first(
    pairs: Pairs, seconds: dict[str, int], failing: set[str], max_hops: int
) -> None:
    found = walked([edge(*pair) for pair in pairs], "n0", max_hops)
    times: dict[str, datetime] = {node: at(seconds.get(node, 0)) for node in found.hops}
    order = rank(found, cause_graph(found), times, frozenset(failing & found.hops.keys()))
    assert {item.id for item in order} == found.hops.keys() - found.cut
    for item in order:
        assert item.source in (0.0, 1.0)
        assert 0 <= item.unrecovered <= 1
        assert 0 <= item.reach <= 1
        assert 0 < item.confidence <= 1
    assert [item.source for item in order] == sorted((item.source for item in order), reverse=True)


@unhurried
@given(graphs)
def test_on_any_graph_paths_are_simple_and_lead_to_a_source(pairs: Pairs) -> None:
    found = walked([edge(*pair) for pair in pairs], "n0")
    graph = cause_graph(found)
    sources = set(graph.predecessors(SINK)) if SINK in graph else set()
    listed = paths(found, graph)
    assert len(listed) <= MAX_PATHS
    for ids, probability in listed:
        assert ids[0] == "n0"
        assert ids[-1] in sources
        assert len(set(ids)) == len(ids)
        assert 0 < probability <= 1


@unhurried
@given(graphs)
def test_on_any_graph_the_joint_fix_cuts_every_way_to_a_source(pairs: Pairs) -> None:
    found = walked([edge(*pair) for pair in pairs], "n0")
    graph = cause_graph(found)
    fix = joint_fix(found, graph)
    if fix:
        graph.remove_nodes_from(fix)
        assert not nx.has_path(graph, "n0", SINK)


@unhurried
@given(graphs, st.integers(1, 4))
def test_on_any_graph_the_fix_of_a_walk_that_was_cut_still_holds_when_it_goes_on(
    pairs: Pairs, max_hops: int
) -> None:
    """Without circles: one that is seen later may have begun with any of its members."""
    edges = [edge(*pair) for pair in {(min(pair), max(pair)) for pair in pairs}]
    short, whole = walked(edges, "n0", max_hops), walked(edges, "n0")
    graph = cause_graph(short)
    enough = [set(joint_fix(short, graph)), *({name} for name in on_every_path(short, graph))]
    for fix in enough:
        rest = cause_graph(whole)
        rest.remove_nodes_from(fix)
        assert not fix or SINK not in rest or not nx.has_path(rest, "n0", SINK)


def test_thirty_nodes_and_ninety_edges_are_answered_without_listing_every_path() -> None:
    """Public reports tell of gigabytes on such a graph: nothing here may grow with the number of paths."""
    drawn = random.Random(20)
    pairs: set[tuple[str, str]] = set()
    while len(pairs) < 90:
        effect, cause = drawn.sample(range(30), 2)
        pairs.add((f"n{effect}", f"n{cause}"))
    found = walked([edge(*pair) for pair in pairs], "n0")
    graph = cause_graph(found)
    assert len(rank(found, graph, dict.fromkeys(found.hops, T0), frozenset(found.hops))) == 30
    assert len(paths(found, graph)) <= MAX_PATHS
    assert math.isfinite(sum(p for _, p in paths(found, graph)))
