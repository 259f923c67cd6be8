"""Cause trees: every memory once, cycles end, the root is marked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphmem.domain.answers import Impact
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.explanations import Explanation, RankedCause, ScorePart
from graphmem.domain.memories import Memory
from graphmem.entrypoints.cli.terminal import Terminal
from graphmem.entrypoints.cli.trees import Branch, draw, explanation_tree, impact_tree
from tests.builders import caused, evidence, fact, failure
from tests.unit.entrypoints.cli.pictures import explained

PLAIN = Terminal()


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in English."""
    monkeypatch.setenv("LANG", "en_US.UTF-8")


def drawn(start: str, steps: Mapping[str, str]) -> list[str]:
    """The tree of steps given as {node: "child child"}."""
    names = set(steps) | {child for children in steps.values() for child in children.split()} | {start}
    branches = {node: [Branch("-", child) for child in children.split()] for node, children in steps.items()}
    return draw(start, branches, {name: (name, f"^{name}") for name in names})


def test_a_single_node_is_its_label() -> None:
    assert drawn("a", {}) == ["a"]


def test_a_chain_goes_down() -> None:
    assert drawn("a", {"a": "b", "b": "c"}) == ["a", "└─ -  b", "   └─ -  c"]


def test_siblings_are_joined_by_a_line() -> None:
    assert drawn("a", {"a": "b c", "b": "d"}) == ["a", "├─ -  b", "│  └─ -  d", "└─ -  c"]


def test_a_shared_node_is_drawn_once() -> None:
    assert drawn("a", {"a": "b c", "b": "d", "c": "d", "d": "e"}) == [
        "a",
        "├─ -  b",
        "│  └─ -  d",
        "│     └─ -  e",
        "└─ -  c",
        "   └─ -  ^d",
    ]


def test_a_cycle_ends_where_it_began() -> None:
    assert drawn("a", {"a": "b", "b": "a"}) == ["a", "└─ -  b", "   └─ -  ^a"]


def chain() -> tuple[list[Memory], list[CauseEdge]]:
    """A report that was wrong because of an index, because of an input, because of a fact."""
    report = failure("write the report", ref="E-3", error_type="WrongReport")
    index = failure("take the first", ref="E-2", manifestation="索引越界")
    start = failure("load", ref="E-1", context="rows = []", error_type="UnhandledInput")
    belief = fact("there is always a row", ref="F-1")
    edges = [
        caused(report, index),
        caused(index, start, evidence=(evidence(0.9, grade=Grade.TRACED),)),
        caused(start, belief),
    ]
    return [report, index, start, belief], edges


def explanation(nodes: list[Memory], edges: list[CauseEdge], root: Memory) -> Explanation:
    """An answer with one root."""
    parts = (ScorePart(name="source", value=1.0),)
    ranked = RankedCause(memory=root, score=1.0, parts=parts, grade=Grade.TRACED, hops=3, on_every_path=True)
    return Explanation(of=nodes[0], root_causes=(ranked,), paths=(), nodes=tuple(nodes), edges=tuple(edges))


def test_causes_hang_below_their_effect_and_the_root_is_marked() -> None:
    nodes, edges = chain()
    assert explanation_tree(explanation(nodes, edges, nodes[-1]), PLAIN) == [
        "E-3 ✗ write the report → WrongReport",
        "└─ asserted 0.75  E-2 ✗ take the first → 索引越界",
        "   └─ traced 0.90  E-1 ✗ load · rows = [] → UnhandledInput",
        "      └─ asserted 0.75  F-1 there is always a row  ◀ root",
    ]


def test_the_asked_memory_is_not_marked_as_its_own_root() -> None:
    nodes, _ = chain()
    assert explanation_tree(explanation(nodes[:1], [], nodes[0]), PLAIN) == [
        "E-3 ✗ write the report → WrongReport"
    ]


def test_effects_hang_below_their_cause() -> None:
    nodes, edges = chain()
    found = Impact(of=nodes[3], nodes=tuple(nodes), edges=tuple(edges), failures=3, tasks=1, truncated=False)
    assert impact_tree(found, PLAIN) == [
        "F-1 there is always a row",
        "└─ asserted 0.75  E-1 ✗ load · rows = [] → UnhandledInput",
        "   └─ traced 0.90  E-2 ✗ take the first → 索引越界",
        "      └─ asserted 0.75  E-3 ✗ write the report → WrongReport",
    ]


def test_the_surest_cause_stands_first() -> None:
    top, weak, strong = failure("a", ref="E-1"), failure("b", ref="E-2"), failure("c", ref="E-3")
    edges = [
        caused(top, weak, evidence=(evidence(0.2),)),
        caused(top, strong, evidence=(evidence(0.9),)),
    ]
    lines = explanation_tree(explanation([top, weak, strong], edges, strong), PLAIN)
    assert lines[1:] == ["├─ asserted 0.90  E-3 ✗ c  ◀ root", "└─ asserted 0.20  E-2 ✗ b"]


def test_ends_that_were_removed_meanwhile_are_left_out() -> None:
    nodes, edges = chain()
    lines = explanation_tree(explanation(nodes[:2], edges, nodes[1]), PLAIN)
    assert len(lines) == 2


def test_stored_text_is_harmless_in_a_tree() -> None:
    top = failure("a\x1b[2J\nb", ref="E-1", error_type="x\x07")
    assert explanation_tree(explanation([top], [], top), PLAIN) == ["E-1 ✗ a[2J b → x"]


def test_an_edge_in_doubt_says_so() -> None:
    lines = explanation_tree(explained.explanation(), PLAIN)
    assert [line for line in lines if "in doubt" in line] == [line for line in lines if "0.80" in line]
    assert len([line for line in lines if "in doubt" in line]) == 1
