"""common-cause, violations and failures --orphans: looking the cause graph over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


@pytest.fixture
def fork(run: Run, fail: Fail) -> Run:
    """E-1 led to E-2 and to E-3; E-4 alone."""
    fail("read the prices")
    fail("sum them", "--caused-by", "E-1")
    fail("写报表", "--caused-by", "E-1")
    fail("click")
    return run


def test_what_two_share(fork: Run) -> None:
    lines = fork("common-cause", "E-2", "E-3").lines
    assert lines[0] == "Neither led to the other."
    assert lines[1].startswith("Something led to both")
    assert lines[3].split() == ["E-1", "✗", "read", "the", "prices", "1", "+", "1", "nearest"]
    assert fork("common-cause", "E-1", "E-3").lines == ["E-1 led to E-3.", "They share no known cause."]
    assert fork("common-cause", "E-3", "E-2", "--json").data["confounded"] is True
    assert fork("common-cause", "E-1", "E-9").code == 3
    assert fork("common-cause", "E-1", "E-1").code == 2


def test_failures_without_a_cause(fork: Run) -> None:
    assert [line.split()[0] for line in fork("failures", "--orphans").lines] == ["E-4", "E-1"]
    assert [item["ref"] for item in fork("failures", "--orphans", "--limit", "1", "--json").data] == ["E-4"]
    assert fork("failures", "--orphans", "--since", "2099-01-01").lines == ["No failures here."]
    ended = fork("failures", "--orphans", "--tool", "bash")
    assert (ended.code, "--orphans" in ended.err) == (2, True)


def test_what_cannot_be(run: Run, fail: Fail) -> None:
    assert run("violations").lines == ["Every cause is earlier than its effect, and there is no circle."]
    fail("retry", "--occurred-at", "2026-03-01T08:00:00Z")
    fail("time out", "--occurred-at", "2026-03-01T08:00:00Z", "--caused-by", "E-1")
    run("link", "E-1", "E-2")
    assert run("violations").lines == ["Circles, each caused by the next:", "E-1 ← E-2 ← E-1"]
    assert run("violations", "--json").data["time_violations"] == []
    assert run("violations", "--limit", "0").code == 2


def test_a_late_cause_from_an_import(run: Run, fail: Fail) -> None:
    fail("effect", "--occurred-at", "2026-03-02T08:00:00Z")
    fail("cause", "--occurred-at", "2026-03-01T08:00:00Z")
    run("link", "E-1", "E-2")
    moved = run("export").out.replace("2026-03-02T08:00:00", "2026-02-28T08:00:00")
    assert run("import", "-", "--namespace", "moved", text=moved).code == 0
    lines = run("violations", "--namespace", "moved").lines
    assert lines[0] == "Causes later than their effects:"
    assert lines[1].endswith("86400 s later")
