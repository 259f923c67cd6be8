"""reflect, clusters, promote, decide: what failures have in common, and what people decide about it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]
FAULT = ("--manifestation", "the parser broke on an empty price cell", "--correction", "treat it as missing")


@pytest.fixture
def taught(run: Run, fail: Fail) -> Run:
    """The same mistake in three tasks."""
    for number in range(3):
        fail(f"clean file {number}", *FAULT, "--task-id", f"t{number}", "--task-type", "cleaning")
    return run


def test_clusters_show_their_pattern(taught: Run) -> None:
    lines = taught("clusters").lines
    assert lines[0].startswith("3 failures  P-1 ")
    assert lines[0].endswith("(medium, open, 3 episodes)")
    assert [line.split()[0] for line in lines[1:]] == ["E-1", "E-2", "E-3"]
    (shown,) = taught("clusters", "--json").data
    assert (shown["size"], shown["pattern"]["ref"]) == (3, "P-1")


def test_no_clusters_are_said(run: Run) -> None:
    assert run("clusters").lines == ["No two failures are alike yet."]
    assert run("clusters", "--json").data == []


def test_a_long_cluster_is_cut(taught: Run, fail: Fail) -> None:
    for number in range(3, 8):
        fail("clean", *FAULT, "--task-id", f"t{number}")
    assert taught("clusters").lines[-1] == "  … 3"


def test_reflect_says_what_it_saw(taught: Run) -> None:
    assert taught("reflect").lines == ["Looked at 3 failures: 1 group, 0 alone."]
    assert taught("reflect", "--json").data["failures"] == 3
    assert taught("reflect", "--due").lines == ["It is not time yet."]
    assert taught("reflect", "--due", "--json").data is None
    assert taught("reflect", "--profile", "best").code == 2


def test_promote_makes_a_strategy(taught: Run) -> None:
    lines = taught("promote", "P-1", "--guidance", "look first", "--by", "anna").lines
    assert lines == ["S-1 look first (active, cleaning)", "  look first"]
    assert taught("promote", "P-1", "--json").data["ref"] == "S-1"


def test_decisions_are_taken_by_kind(taught: Run) -> None:
    taught("promote", "P-1")
    assert (
        "(medium, resolved, 3 episodes)" in taught("decide", "P-1", "RESOLVED", "--reason", "fixed").lines[0]
    )
    assert taught("show", "P-1", "--json").data["status_reason"] == "fixed"
    assert "(retired, cleaning)" in taught("decide", "S-1", "retired").lines[0]


@pytest.mark.parametrize(
    ("words", "code", "remedy"),
    [
        (("decide", "P-1", "retired"), 2, "one of open, resolved, muted"),
        (("decide", "P-1", "regressed"), 2, "use OPEN, RESOLVED or MUTED"),
        (("decide", "P-9", "muted"), 3, "check the id"),
        (("decide", "E-1", "muted"), 2, "name a pattern"),
        (("promote", "E-1"), 2, "name a pattern"),
        (("clusters", "--limit", "0"), 2, ""),
    ],
)
def test_what_cannot_be_decided_is_refused(
    taught: Run, words: tuple[str, ...], code: int, remedy: str
) -> None:
    ended = taught(*words)
    assert (ended.code, remedy in ended.err) == (code, True), ended.err


def test_in_chinese(taught: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert taught("reflect").lines == ["审视了 3 条失败：1 组，0 条单独。"]
    assert taught("clusters").lines[0].startswith("3 条失败  P-1 ")
