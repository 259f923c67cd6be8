"""explain: which failure, as of when, without what, and in which form."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


@pytest.fixture
def chain(run: Run, fail: Fail) -> Run:
    """E-3 <- E-2 <- E-1, a minute apart."""
    fail("load the orders", "--occurred-at", "2026-03-01T08:00:00Z")
    fail("take the first", "--occurred-at", "2026-03-01T08:01:00Z", "--caused-by", "E-1")
    fail("write the report", "--occurred-at", "2026-03-01T08:02:00Z", "--caused-by", "E-2")
    return run


def test_the_last_failure_can_be_asked_for(chain: Run) -> None:
    chain("record", "all is well", "--result", "success", "--occurred-at", "2026-03-01T09:00:00Z")
    assert chain("explain", "--last").lines == chain("explain", "E-3").lines


def test_without_a_failure_there_is_no_last_one(run: Run) -> None:
    assert run("explain", "--last").code == 3


@pytest.mark.parametrize("words", [(), ("E-3", "--last")])
def test_exactly_one_failure_is_asked_for(chain: Run, words: tuple[str, ...]) -> None:
    ended = chain("explain", *words)
    assert (ended.code, "give one of the two" in ended.err) == (2, True)


def test_a_cause_taken_away_is_told_with_its_interval(chain: Run) -> None:
    lines = chain("explain", "E-3", "--without", "E-2").lines
    assert "Without E-2: 2.0 failures fewer are expected." in lines
    assert "  E-3 ✗ would not have happened: no recorded cause of it is left (0.00)" in lines
    assert "a cause that nobody recorded is not seen, so 0.00 is no proof" in " ".join(
        " ".join(lines).split()
    )
    told = chain("explain", "E-3", "--without", "E-2", "--json").data
    assert told["what_if"]["avoided"] == 2.0
    assert chain("explain", "E-3", "--without", "E-9").code == 2


def test_an_earlier_time_can_be_asked_about(chain: Run) -> None:
    chain("review", "E-3", "E-2", "refute", "--reason", "another run")
    ended = chain("explain", "E-3")
    assert "Refuted, left out: E-3 ← E-2" in ended.lines
    assert chain("explain", "E-3", "--as-of", "2001-01-01").code == 3
    assert chain("explain", "E-3", "--as-of", "soon").code == 2
    assert "E-2" in chain("explain", "E-3", "--as-of", "2100-01-01").out


def test_facts_that_did_not_hold_are_left_out(run: Run, fail: Fail) -> None:
    run("remember", "the port is 80", "--valid-from", "2026-01-01")
    fail("connect", "--caused-by", "F-1")
    assert "F-1" in run("explain", "E-1", "--valid-at", "2026-02-01").out
    assert "F-1" not in run("explain", "E-1", "--valid-at", "2025-02-01").out


@pytest.mark.parametrize("words", [("--no-inferred",), ("--min-grade", "traced")])
def test_inferred_edges_can_be_left_out(chain: Run, words: tuple[str, ...]) -> None:
    assert chain("explain", "E-3", *words, "--json").data["min_grade"] == "TRACED"


def test_a_better_grade_stands_beside_no_inferred(chain: Run) -> None:
    words = ("--no-inferred", "--min-grade", "confirmed", "--json")
    assert chain("explain", "E-3", *words).data["min_grade"] == "CONFIRMED"


def test_pictures_are_printed(chain: Run) -> None:
    picture = ElementTree.fromstring(chain("explain", "E-3", "--svg").out)
    assert picture.tag.endswith("svg")
    assert chain("explain", "E-3", "--dot").lines[0] == "digraph explanation {"


def test_one_form_at_a_time(chain: Run) -> None:
    assert chain("explain", "E-3", "--svg", "--dot").code == 2
    assert chain("explain", "E-3", "--json", "--svg").code == 2


def test_a_page_is_written(chain: Run, tmp_path: Path) -> None:
    page = tmp_path / "incident.html"
    ended = chain("explain", "--last", "--report", str(page))
    assert ended.lines[0].startswith(f"Wrote {page} (")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "write the report" in text


def test_a_page_that_cannot_be_written_is_refused(chain: Run, tmp_path: Path) -> None:
    ended = chain("explain", "E-3", "--report", str(tmp_path / "no" / "folder.html"))
    assert (ended.code, "cannot be written" in ended.err) == (2, True)


def test_lessons_over_the_chain_are_named(run: Run, fail: Fail) -> None:
    for number in range(5):
        said = ("--error-type", "IndexError", "--correction", "an empty list has no first row")
        fail("parse an empty price list", *said, "--task-id", f"t{number}")
    run("reflect")
    assert "Lessons over it: P-1, S-1" in run("explain", "--last").out


def test_everything_is_in_the_data(chain: Run) -> None:
    told = chain("explain", "E-3", "--json").data
    assert {"refuted", "on_every_path", "patterns", "strategies", "only_inferred"} <= told.keys()
    assert json.dumps(told)
