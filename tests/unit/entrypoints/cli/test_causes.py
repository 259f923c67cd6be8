"""link, review, explain, impact: stating causes and drawing them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


@pytest.fixture
def chain(run: Run, fail: Fail) -> Run:
    """未处理空输入 -> 索引越界 -> 报表错误."""
    start = ("--manifestation", "未处理空输入", "--occurred-at", "2026-03-01T08:00:00Z")
    fail("load the orders", "--task-id", "t", *start)
    for action, fault, minute in (
        ("take the first", "索引越界", "01"),
        ("write the report", "报表错误", "09"),
    ):
        cause = "E-1" if fault == "索引越界" else "E-2"
        time = f"2026-03-01T08:{minute}:00Z"
        fail(action, "--manifestation", fault, "--task-id", "t", "--occurred-at", time, "--caused-by", cause)
    return run


def test_explain_draws_the_causes_and_ranks_the_root(chain: Run) -> None:
    lines = chain("explain", "E-3").lines
    assert lines[:3] == [
        "E-3 ✗ write the report → 报表错误",
        "└─ asserted 0.80  E-2 ✗ take the first → 索引越界",
        "   └─ asserted 0.80  E-1 ✗ load the orders → 未处理空输入  ◀ root",
    ]
    head = "Root causes, score, source, unrecovered, reach, grade, hops, on every path"
    assert re.split(r"\s{2,}", lines[4]) == head.split(", ")
    assert lines[5].split()[0] == "E-1"
    assert lines[5].split()[-3:] == ["0.80", "2", "yes"]
    assert "Most probable path: E-3 ← E-2 ← E-1 (0.64)" in lines


def test_a_refuted_cause_is_left_out_and_can_come_back(chain: Run) -> None:
    ended = chain("review", "E-2", "E-1", "REFUTE", "--reason", "another day", "--by", "bob")
    assert ended.lines[1] == "└─ refuted  E-1 ✗ load the orders → 未处理空输入"
    tree = chain("explain", "E-3").out
    assert "Refuted, left out: E-2 ← E-1" in tree
    assert "E-1" not in tree.replace("E-2 ← E-1", "")
    chain("review", "E-2", "E-1", "confirm")
    assert "confirmed 0.80  E-1" in chain("explain", "E-3").out


def test_a_grade_bounds_the_walk(chain: Run) -> None:
    assert "E-2" not in chain("explain", "E-3", "--min-grade", "confirmed").out.replace("link E-3", "")
    assert chain("explain", "E-3", "--min-grade", "certain").code == 2


def test_causes_that_are_not_sure_enough_are_not_said_to_be_missing(chain: Run) -> None:
    said = chain("explain", "E-3", "--min-grade", "confirmed").lines
    assert said[1] == "No cause of E-3 is confirmed or surer; --min-grade leaves the others out."
    assert "is recorded" in chain("explain", "E-1").out


def test_nothing_is_called_a_root_where_the_walk_was_cut_before_one(chain: Run) -> None:
    chain("record", "load", "--result", "failure", "--error-type", "First", "--key", "k-0")
    for place in range(1, 5):
        cause = ("--caused-by", f"key:k-{place - 1}")
        chain("record", f"step {place}", "--result", "failure", "--key", f"k-{place}", *cause)
    last = json.loads(chain("failures", "--limit", "1", "--json").out)[0]["ref"]
    assert "◀ root" not in chain("explain", last, "--max-hops", "3").out
    assert "root may be there" in chain("explain", last, "--max-hops", "3").out
    assert "◀ root" in chain("explain", last).out


def test_a_root_far_back_is_found_without_asking_for_more_steps(run: Run, fail: Fail) -> None:
    fail("load", "--key", "k-0")
    for place in range(1, 12):
        fail(f"step {place}", "--key", f"k-{place}", "--caused-by", f"key:k-{place - 1}")
    fail("wobble", "--key", "small")
    fail("report", "--caused-by", "key:k-11", "--caused-by", "key:small")
    said = run("explain", "E-14").out
    assert "E-1 ✗ load" in said
    assert "Smallest fix that cuts every path: E-1 + E-13" in said
    assert "Blast radius of E-1: memories 12, failures 12" in run("impact", "E-1").out


def test_hops_bound_the_walk_and_that_is_said(chain: Run) -> None:
    assert "hit a bound" in chain("explain", "E-3", "--max-hops", "1").out
    assert "these are the least that followed" in chain("impact", "E-1", "--max-hops", "1").out
    assert chain("explain", "E-3", "--max-hops", "0").code == 2


def test_what_has_no_cause_says_how_to_find_one(chain: Run) -> None:
    assert chain("explain", "E-1").lines == [
        "E-1 ✗ load the orders → 未处理空输入",
        "No cause of E-1 is recorded. Candidates: graphmem link E-1",
    ]


def test_impact_draws_what_followed(chain: Run) -> None:
    lines = chain("impact", "E-1").lines
    assert [line.split("✗ ")[1] for line in lines[:3]] == [
        "load the orders → 未处理空输入",
        "take the first → 索引越界",
        "write the report → 报表错误",
    ]
    assert lines[3] == "Blast radius of E-1: memories 2, failures 2, tasks 1"


def test_answers_as_data(chain: Run) -> None:
    found = chain("explain", "E-3", "--json").data
    assert found["root_causes"][0]["memory"]["ref"] == "E-1"
    assert {edge["grade"] for edge in found["edges"]} == {"ASSERTED"}
    assert chain("impact", "E-1", "--json").data["failures"] == 2


def test_a_cause_is_stated_afterwards(run: Run, fail: Fail) -> None:
    fail("first", "--key", "k1")
    fail("second")
    ended = run(
        "link", "E-2", "key:k1", "--confidence", "0.6", "--note", "same file", "--traced", "--by", "ci"
    )
    assert ended.lines == ["E-2 ✗ second", "└─ traced 0.60  E-1 ✗ first"]
    (edge,) = run("show", "E-2", "--json").data["edges"]
    assert (edge["evidence"][0]["note"], edge["evidence"][0]["by"]) == ("same file", "ci")


def test_link_without_a_cause_proposes(run: Run, fail: Fail) -> None:
    fail("read orders.csv", "--task-id", "t")
    fail("parse orders.csv", "--task-id", "t")
    proposed = run("link", "E-2", "--json").data
    assert proposed[0]["memory"]["ref"] == "E-1"
    assert "E-1 ✗ read orders.csv" in run("link", "E-2").out
    assert run("link", "E-1").lines == ["Nothing earlier in this task looks like a cause."]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("link", "E-1", "E-1"), 2),
        (("link", "E-2", "E-9"), 3),
        (("link", "E-2", "E-1", "--confidence", "0"), 2),
        (("review", "E-2", "E-1", "confirm"), 3),
        (("review", "E-2", "E-1", "perhaps"), 2),
        (("explain", "E-9"), 3),
        (("impact", "E-9"), 3),
    ],
)
def test_what_cannot_be_done_is_said_once(run: Run, fail: Fail, words: tuple[str, ...], code: int) -> None:
    fail("first")
    fail("second")
    ended = run(*words)
    assert (ended.code, ended.out) == (code, "")
    assert "Traceback" not in ended.err
