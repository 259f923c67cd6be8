"""diagnostics: the rows on the terminal, in both languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphmem.domain.diagnostics import Check
from graphmem.entrypoints.cli.words import known
from tests.unit.entrypoints.cli.conftest import Run


def test_each_row_is_shown_with_its_command(run: Run, fail: Callable[..., str]) -> None:
    for task in ("one", "two"):
        fail("clean", "--context", "input [None]", "--manifestation", "broke", "--task-id", task)
    lines = run("diagnostics", "--since", "2026-03-01").lines
    assert lines[0] == "Since 2026-03-01:"
    assert lines[1] == "✓ Is it written down?"
    assert lines[2].startswith("    experiences 2  failures 2  worked 0  unsaid_share 0  uncorrected_share 1")
    assert lines[3] == "    graphmem failures"
    assert sum(line.startswith(("✓ ", "✗ ", "? ")) for line in lines) == len(Check)
    data = run("diagnostics", "--json").data
    assert [row["check"] for row in data["rows"]] == list(Check)


def test_what_is_wrong_comes_with_an_advice_and_misses_with_their_why(
    run: Run, fail: Callable[..., str]
) -> None:
    told = run("diagnostics").lines
    assert told[1:3] == ["✗ Is it written down?", told[2]]
    assert told[3].startswith("    Write more: failures need")
    fail(
        "clean the prices", "--context", "input [None]", "--manifestation", "broke on it", "--task-id", "one"
    )
    fail("clean the ages", "--context", "rows = {}", "--manifestation", "broke on it", "--task-id", "two")
    lines = run("diagnostics").lines
    place = lines.index("Why was it not found?")
    assert lines[place + 1] == "  E-2 ✗ clean the ages · rows = {} → broke on it"
    assert lines[place + 2].startswith("    listed, but not sure enough to be said; nearest E-1")


def test_in_chinese(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "✗ 是否写入" in run("diagnostics").lines


@pytest.mark.parametrize("check", Check)
def test_every_check_has_its_words(check: Check) -> None:
    assert known(f"check.{check}")
    assert known(f"advice.{check}")
