"""What weighs in the ranking of roots: how sure a cause is, and which task it belongs to."""

from __future__ import annotations

import pytest

from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.roots import rank
from tests.builders import at
from tests.unit.analysis.causal import edge, walked
from tests.unit.analysis.test_roots import chain, ranked


def test_a_cause_that_is_hardly_believed_is_not_the_root_beside_one_that_is() -> None:
    """Long before it, from another task, somebody saw a possible cause: nothing else went wrong for long after it."""
    edges = [edge("end", "guess", 0.3), *chain("end", "left", "root"), *chain("end", "right", "root")]
    found = ranked(edges, {"guess": 0, "root": 900, "left": 910, "right": 920, "end": 1000})
    assert [(item.id, item.confidence) for item in found][:2] == [("root", 0.8), ("guess", 0.3)]
    sure = [edge(item.effect_id, item.cause_id) for item in edges]
    assert ranked(sure, {"guess": 0, "root": 900, "left": 910, "right": 920, "end": 1000})[0].id == "guess"


def test_the_days_between_two_tasks_make_no_cause_unrecovered() -> None:
    """The guess lies two days back in another task; the chain of this task took an hour."""
    edges = [edge("end", "guess"), *chain("end", "left", "root"), *chain("end", "right", "root")]
    found = walked(edges)
    seconds = {"guess": 0, "root": 170_000, "left": 171_000, "right": 172_000, "end": 173_600}
    times = {node: at(seconds[node]) for node in found.hops}
    run = frozenset({"root", "left", "right", "end"})
    order = rank(found, cause_graph(found), times, frozenset(found.hops), run=run)
    parts = {item.id: item.unrecovered for item in order}
    assert [item.id for item in order][:2] == ["root", "guess"]
    assert parts == pytest.approx(
        {"guess": 0, "root": 1000 / 3600, "left": 1000 / 3600, "right": 1600 / 3600, "end": 0}
    )


def test_the_confidence_of_a_root_is_that_of_the_weakest_edge_on_its_surest_path() -> None:
    edges = [edge("end", "a", 0.9), edge("a", "root", 0.6), edge("end", "b", 0.4), edge("b", "root", 1.0)]
    assert {item.id: item.confidence for item in ranked(edges, {})} == {
        "end": 1.0,
        "a": 0.9,
        "b": 0.4,
        "root": 0.6,
    }
