"""Cycles, causes later than their effects, and failures without a cause are told."""

from __future__ import annotations

from dataclasses import replace

from graphmem.analysis.irregular import cycles, orphans, time_violations
from graphmem.domain.causation import CauseEdge
from tests.builders import T0, refuted
from tests.unit.analysis.causal import edge, edges
from tests.work import calls


def test_every_tangle_gives_one_shortest_cycle_from_its_smallest_id() -> None:
    found = cycles(edges(("b", "a"), ("a", "c"), ("c", "b"), ("a", "b"), ("x", "y"), ("m", "m"), ("p", "q")))
    assert found == [("a", "b"), ("m",)]


def test_a_refuted_edge_closes_no_cycle() -> None:
    back = CauseEdge(from_id="b", to_id="a", recorded_at=T0, verdicts=(refuted(),))
    assert cycles([edge("a", "b"), back]) == []


def test_a_ring_of_ten_thousand_is_one_cycle() -> None:
    ring = [edge(f"n{place:05}", f"n{(place + 1) % 10_000:05}") for place in range(10_000)]
    assert [len(found) for found in cycles(ring)] == [10_000]


def test_causes_later_than_allowed_are_told_worst_first_and_equal_times_are_fine() -> None:
    lags = {"equal": 0, "skew": -5_000, "late": -5_001, "reversed": -90_000}
    found = time_violations([replace(edge("end", name), lag_ms=lag) for name, lag in lags.items()])
    assert [item.cause_id for item in found] == ["reversed", "late"]


def test_failures_without_a_cause_are_orphans_and_a_self_loop_is_none() -> None:
    wrong = CauseEdge(from_id="c", to_id="x", recorded_at=T0, verdicts=(refuted(),))
    assert orphans(["c", "b", "a", "s"], [edge("a", "x"), edge("s", "s"), wrong]) == ["c", "b", "s"]


def test_finding_cycles_takes_work_in_proportion_to_the_edges() -> None:
    def work(length: int) -> int:
        ring = [edge(f"n{place}", f"n{(place + 1) % length}") for place in range(length)]
        return calls(lambda: cycles(ring))

    assert work(2_000) < 5 * work(500)
