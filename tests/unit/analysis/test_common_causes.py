"""What two failures share, and whether that explains why they occur together."""

from __future__ import annotations

import pytest

from graphmem.analysis.common_causes import Relation, common_causes
from graphmem.domain.causation import CauseEdge
from tests.builders import T0, refuted
from tests.unit.analysis.causal import Pairs, edges


@pytest.mark.parametrize(
    ("pairs", "nearest", "relation", "confounded"),
    [
        ([("a", "x"), ("b", "x"), ("x", "y")], ("x",), Relation.APART, True),
        ([("a", "x"), ("b", "y")], (), Relation.APART, False),
        ([("b", "a"), ("a", "x")], ("x",), Relation.CAUSES, False),
        ([("b", "a"), ("a", "x"), ("b", "x")], ("x",), Relation.CAUSES, True),
        ([("a", "b"), ("b", "x")], ("x",), Relation.CAUSED_BY, False),
        ([("a", "b"), ("b", "a")], (), Relation.CYCLE, False),
        ([("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")], ("x", "y"), Relation.APART, True),
        ([("a", "x"), ("b", "x"), ("x", "y"), ("y", "x")], ("x", "y"), Relation.APART, True),
        ([], (), Relation.APART, False),
    ],
)
def test_small_graphs(pairs: Pairs, nearest: tuple[str, ...], relation: Relation, confounded: bool) -> None:
    found = common_causes(edges(*pairs), "a", "b")
    assert (found.nearest, found.relation, found.confounded) == (nearest, relation, confounded)


def test_all_shared_causes_are_told_beside_the_nearest() -> None:
    found = common_causes(edges(("a", "x"), ("b", "x"), ("x", "y"), ("y", "z"), ("a", "own")), "a", "b")
    assert (found.nearest, found.shared) == (("x",), {"x", "y", "z"})


def test_a_refuted_edge_joins_nothing() -> None:
    wrong = CauseEdge(from_id="b", to_id="x", recorded_at=T0, verdicts=(refuted(),))
    assert common_causes([*edges(("a", "x")), wrong], "a", "b").shared == frozenset()
