"""sweep: the plan, the report, and archived experiences on demand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run


def test_sweep_tells_what_it_did(run: Run, fail: Callable[..., str]) -> None:
    fail("clean the rows")
    lines = run("sweep", "--dry-run").lines
    assert lines[0] == "0 of 1 experience would move."
    assert [line.split() for line in lines[1:4]] == [
        ["hot", "1", "→", "1"],
        ["warm", "0", "→", "0"],
        ["cold", "(archived)", "0", "→", "0"],
    ]
    assert lines[4] == "0 notes on what was served and 0 exposures that nothing rests on."
    assert lines[5].startswith("No memory is removed")
    assert run("sweep").lines[0] == "0 of 1 experience moved."
    data = run("sweep", "--json").data
    assert (data["experiences"], data["moved"], data["after"]) == (1, 0, {"HOT": 1})


def test_in_chinese(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("sweep", "--dry-run").lines[0] == "0 条经验中将移动 0 条。"


def test_archived_is_an_option_of_recall(run: Run, fail: Callable[..., str]) -> None:
    fail("clean the rows")
    assert "E-1" in run("recall", "clean the rows", "--archived").out
