"""priorities, choke-points: many failures at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


@pytest.fixture
def story(run: Run, fail: Fail) -> Run:
    """F-1 <- E-1 <- E-2 <- E-3, and E-4 alone."""
    run("remember", "价格以分为单位")
    for cause in ("F-1", "E-1", "E-2"):
        fail(f"step after {cause}", "--caused-by", cause)
    fail("alone")
    return run


def test_priorities_as_a_table(story: Run) -> None:
    lines = story("priorities").lines
    assert lines[0].split() == ["covered", "gained", "led", "to", "root", "cause"]
    assert lines[1].split() == ["1", "75%", "+3", "3", "F-1", "价格以分为单位"]
    assert lines[2].split()[:5] == ["2", "100%", "+1", "1", "E-4"]
    assert lines[3] == "The first 2 cover four fifths of 4 failures."
    assert lines[4].startswith("1 of 4 failures has no known cause")


def test_causes_of_one_cluster_are_one_row_that_names_them(run: Run, fail: Fail) -> None:
    for place in range(1, 4):
        fail(
            "read the orders",
            "--error-type",
            "HTTP 401",
            "--manifestation",
            "token expired",
            "--task-id",
            f"t{place}",
        )
    (row,) = [line for line in run("priorities").lines if "token expired" in line]
    assert row.endswith("(3 times: E-3, E-2, E-1)")


def test_choke_points_as_a_table(story: Run) -> None:
    lines = story("choke-points").lines
    assert [line.split()[:4] for line in lines[1:]] == [["2", "1", "2", "E-1"], ["1", "1", "1", "E-2"]]


def test_a_time_and_a_limit(story: Run) -> None:
    assert "100%" not in story("priorities", "--limit", "1").out
    assert story("priorities", "--since", "2099-01-01").lines == ["No failures here."]
    assert story("priorities", "--limit", "0").code == 2
    assert story("choke-points", "--since", "yesterday").code == 2


def test_nothing_to_rank(run: Run) -> None:
    assert run("choke-points").lines == ["No chain of failures leads through anything."]


def test_as_data(story: Run) -> None:
    found = story("priorities", "--json").data
    assert (found["failures"], found["orphans"], found["cut"]) == (4, 1, 2)
    assert found["items"][0]["causes"][0]["ref"] == "F-1"
    assert [item["memory"]["ref"] for item in story("choke-points", "--json").data] == ["E-1", "E-2"]


def test_propagation_as_a_table(run: Run, fail: Fail) -> None:
    fail("read", "--error-type", "UnitError", "--task-id", "t", "--occurred-at", "2026-03-01")
    fail(
        "sum",
        "--error-type",
        "单位错误",
        "--task-id",
        "t",
        "--occurred-at",
        "2026-03-02",
        "--caused-by",
        "E-1",
    )
    fail("click")
    lines = run("propagation", "--min-trials", "1").lines
    assert lines[1].split() == [
        "uniterror",
        "单位错误",
        "0.75",
        "[0.23,",
        "1.00]",
        "1/1",
        "2.0",
        "-",
        "co-occurs",
    ]
    assert lines[2] == "1 of 1 pair, 2 episodes; 1 failure without an error type left out."
    assert lines[3].startswith("Below 100 episodes")
    assert run("propagation").lines[0] == "No two kinds of failures have 5 trials."
    assert run("propagation", "--min-trials", "1", "--json").data["pairs"][0]["bond"] == "CO_OCCURS"
    assert run("propagation", "--min-trials", "0").code == 2
