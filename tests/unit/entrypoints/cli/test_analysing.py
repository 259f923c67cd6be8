"""work, pending, claim, submit: what was left for later, and answers of an analyst at a terminal."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]
ANSWER = ("--summary", "the cell was empty", "--type", "information-gap", "--prevention", "look first")


def test_what_waits_is_listed_claimed_and_answered(run: Run, fail: Fail) -> None:
    assert run("pending").lines == ["Nothing waits."]
    fail("clean the rows", "--manifestation", "it broke")
    listed = run("pending").lines
    assert listed[0] == "E-1 ✗ clean the rows → it broke"
    assert "--owner" not in listed[1]
    assert len(listed) == 6
    (item,) = run("claim", "--owner", "ana", "--json").data
    assert (item["kind"], item["attempt"], item["subject"]["ref"]) == ("FAILURE", 1, "E-1")
    assert run("claim", "--owner", "bob").lines == ["Nothing waits."]
    given = ("submit", item["id"], "--owner", "ana", "--attempt", "1", *ANSWER, "--deviated-at", "2")
    assert run(*given).lines[-1] == "  written"
    assert run(*given).lines[-1] == "  known: this answer was given before"
    cause = run("show", "E-1", "--json").data["root_cause"]
    assert (cause["summary"], cause["type"], cause["deviated_at"]) == (ANSWER[1], "INFORMATION_GAP", 2)
    assert cause["source"] == "agent"


def test_a_claim_shows_how_to_answer(run: Run, fail: Fail) -> None:
    fail("clean the rows")
    assert run("claim", "--owner", "ana").lines[1].endswith("(--owner ana --attempt 1)")


def test_a_lesson_is_answered(run: Run, fail: Fail) -> None:
    for number in range(3):
        fail(f"clean file {number}", "--manifestation", "broke on an empty cell", "--task-id", f"t{number}")
    (item,) = run("claim", "--owner", "ana", "--limit", "1", "--json").data
    assert item["kind"] == "PATTERN"
    given = ("submit", item["id"], "--owner", "ana", "--attempt", "1", "--lesson", "cells may be empty")
    told = run(*given, "--triggers", "tables", "--json").data
    assert (told["memory"]["lesson"], told["memory"]["source"]) == ("cells may be empty", "agent")
    assert told["memory"]["trigger_conditions"] == "tables"


@pytest.mark.parametrize(
    ("options", "code"),
    [(("--attempt", "2", *ANSWER), 4), (("--attempt", "1"), 2), (("--attempt", "1", "--type", "luck"), 2)],
)
def test_what_cannot_be_taken_is_refused(run: Run, fail: Fail, options: tuple[str, ...], code: int) -> None:
    fail("clean the rows")
    (item,) = run("claim", "--owner", "ana", "--json").data
    ended = run("submit", item["id"], "--owner", "ana", *options)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("graphmem: ")


def test_work_ends_when_nothing_is_left(run: Run, fail: Fail) -> None:
    fail("clean the rows")
    assert run("work", "--once").lines == ["0 done."]


def test_work_runs_until_it_is_told_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "graphmem", "work", "--store", f"sqlite:///{tmp_path / 'm.db'}"]
    process = subprocess.Popen(
        [*command, "--embedder", "none"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Working on sqlite:///")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    made = f"graphmem: {tmp_path / 'm.db'} named no store yet: a new, empty one was made\n"
    assert (process.returncode, errors) == (0, made)
