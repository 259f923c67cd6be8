"""episodes: the daily log on the terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run

AT = ("--occurred-at", "2026-03-01T10:00:00Z")


def test_episodes_prints_a_day(run: Run, fail: Callable[..., str]) -> None:
    fail("clean march", "--task-id", "march", *AT)
    lines = run("episodes", "--day", "2026-03-01").lines
    assert lines[0] == "# 2026-03-01 (UTC)"
    assert lines[4:7] == ["## Task march", "", "### E-1 ✗ clean march"]
    (episode,) = run("episodes", "--day", "2026-03-01", "--json").data["episodes"]
    assert [memory["ref"] for memory in episode["memories"]] == ["E-1"]


def test_today_without_a_day(run: Run, fail: Callable[..., str]) -> None:
    fail("clean march")
    assert "### E-1 ✗ clean march" in run("episodes").lines
    assert run("episodes", "--day", "1d").lines[-1] == "Nothing was recorded."
    assert run("episodes", "--day", "tomorrow").code == 2


def test_a_terminal_is_not_steered(run: Run, fail: Callable[..., str]) -> None:
    fail("clean \x1b[31m march", *AT)
    assert "\x1b" not in run("episodes", "--day", "2026-03-01").out


def test_in_chinese(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("episodes").lines[-1] == "没有记录。"


def test_failures_until(run: Run, fail: Callable[..., str]) -> None:
    fail("clean march", *AT)
    fail("clean april", "--occurred-at", "2026-04-01T10:00:00Z")
    (one,) = run("failures", "--since", "2026-03-01", "--until", "2026-04-01", "--json").data
    assert one["ref"] == "E-1"


REPEAT = ("--context", "input [None]", "--tool", "cleaner", "--error-type", "boundary input")


def test_replay_tells_then_and_now(run: Run, fail: Callable[..., str]) -> None:
    for task in ("one", "two"):
        fail("clean the prices", *REPEAT, "--manifestation", "broke on an empty cell", "--task-id", task)
    lines = run("replay", "--since", "1d").lines
    assert lines[0].startswith("2 failures since ")
    assert lines[0].endswith(", 1 of them repeats an earlier one of another task.")
    assert lines[1].startswith("said before it, then                0 of 1 = 0.00 [0.00, ")
    assert lines[2].startswith("would be said now                   1 of 1 = 1.00 [")
    assert lines[6:8] == [
        "Would be caught now",
        "  E-2 ✗ clean the prices · input [None] → broke on an empty cell",
    ]
    assert lines[-1].startswith("At each failure only what had been recorded before it counts")
    assert run("replay", "--json").data["repeats"] == 1
    assert run("replay", "--since", "never").code == 2


def test_replay_says_why_not(run: Run, fail: Callable[..., str]) -> None:
    fail("clean the prices", *REPEAT, "--manifestation", "broke on an empty cell", "--task-id", "one")
    fail(
        "clean the ages",
        "--context",
        "rows = {}",
        "--manifestation",
        "broke on an empty cell",
        "--task-id",
        "two",
    )
    lines = run("replay").lines
    place = lines.index("Would still be missed")
    assert lines[place + 2].startswith("    listed, but not sure enough to be said; nearest E-1 (BM25 ")
    assert lines[place + 2].endswith("meaning -)")
