"""The benchmark of questions: what a stream of runs is told, and that what worked makes the difference."""

from __future__ import annotations

import pytest

from benchmarks.asking import boundary, spoken, table
from benchmarks.fleet import runs
from graphmem.analysis import asking


def test_a_fleet_is_the_same_for_a_seed_and_fails_as_it_says() -> None:
    stream = runs(2_000, 1)
    assert stream == runs(2_000, 1) != runs(2_000, 2)
    foretold = sum(bool(run.kind) for run in stream) / len(stream)
    mishaps = sum(run.failed and not run.kind for run in stream) / len(stream)
    assert foretold == pytest.approx(0.135, abs=0.02)
    assert mishaps == pytest.approx(0.035, abs=0.015)
    assert {run.tool for run in stream if run.failed} == {run.tool for run in stream}


def test_nothing_of_a_run_is_known_when_it_is_asked_about() -> None:
    told = spoken(runs(40, 1)[:3], "none", tool_named=True)
    assert [one.strength for one in told] == [None] * 3
    assert [one.foretold for one in told] == [False] * 3


def test_counting_what_worked_leaves_most_of_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """By words alone, 200 runs: fewer than half as many of those that worked are spoken to, most failures still are."""
    stream = runs(200, 3)
    ours = table(spoken(stream, "none", tool_named=True))
    monkeypatch.setattr(asking, "ASK_SHARE", 0.0)
    without = table(spoken(stream, "none", tool_named=True))
    assert ours["worked, spoken to"].value < without["worked, spoken to"].value / 2
    assert ours["could be foretold, spoken to"].value > 0.7
    assert ours["of those spoken to, failed"].value > without["of those spoken to, failed"].value


def test_the_boundary_stream_holds_cases_twins_and_controls() -> None:
    stream = boundary(1)
    assert (len(stream), sum(run.failed for run in stream)) == (120, 50)
    assert sorted(run.situation for run in stream) == sorted(run.situation for run in boundary(2))
