"""remember, record, forget: what is said and what is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


def test_a_fact_is_remembered_by_a_user(run: Run) -> None:
    ended = run("remember", "空数组要返回空结果", "--subject", "clean_rows", "--tag", "rule", "--tag", "api")
    assert ended.code == 0
    assert ended.lines[0] == "F-1 空数组要返回空结果"
    shown = run("show", "F-1", "--json").data
    assert shown["statement"] == "空数组要返回空结果"
    assert shown["subject"] == "clean_rows"
    assert shown["tags"] == ["rule", "api"]
    assert shown["writer"] == {"id": "cli", "channel": "USER", "trust": 1.0}


def test_a_fact_supersedes_another(run: Run) -> None:
    run("remember", "prices are in yuan", "--valid-from", "2026-01-01")
    assert (
        run("remember", "prices are in cents", "--supersedes", "F-1", "--valid-from", "2026-02-01").code == 0
    )
    older = run("show", "F-1", "--json").data
    assert older["state"] == "SUPERSEDED"
    assert older["valid_to"] == "2026-02-01T00:00:00+00:00"
    assert "superseded by  F-2 prices are in cents" in run("show", "F-1").out


def test_a_failure_is_recorded_with_all_its_fields(run: Run) -> None:
    texts = {
        "context": "rows = []",
        "output": "Traceback",
        "expected": "[]",
        "error_type": "ValueError",
        "manifestation": "it stopped",
        "correction": "return an empty result",
        "generalization": "check the length",
        "tool": "clean_rows",
        "agent": "cleaner",
        "task_type": "cleaning",
        "task_id": "task-1",
        "session_id": "session-1",
    }
    options = [part for name, text in texts.items() for part in (f"--{name.replace('_', '-')}", text)]
    ended = run("record", "clean the rows", "--result", "Failure", "--key", "k-1", "--by", "anna", *options)
    assert (ended.code, ended.lines[0]) == (0, "E-1 ✗ clean the rows · rows = [] → it stopped")
    shown = run("show", "E-1", "--json").data
    assert {name: shown[name] for name in texts} == texts
    assert (shown["result"], shown["writer"]["id"], shown["writer"]["channel"]) == (
        "FAILURE",
        "anna",
        "AGENT",
    )
    assert shown["analysis"] == "PENDING"


def test_when_it_happened_can_be_said(run: Run, fail: Fail) -> None:
    fail("old", "--occurred-at", "2026-01-02T03:04:05Z")
    assert run("show", "E-1", "--json").data["occurred_at"] == "2026-01-02T03:04:05+00:00"
    ended = run("record", "act", "--result", "success", "--occurred-at", "2026-01-02T03:04:05")
    assert (ended.code, "no time zone" in ended.err) == (2, True)


def test_causes_are_named_by_ref_key_and_text(run: Run, fail: Fail) -> None:
    fail("first", "--key", "k1", "--task-id", "t")
    fail("second", "--context", "orders[0]", "--task-id", "t", "--caused-by", "key:k1")
    fail("third", "--task-id", "t", "--caused-by", "E-2", "--caused-by", "text:first")
    edges = run("explain", "E-3", "--json").data["edges"]
    assert len(edges) == 3


@pytest.mark.parametrize(
    ("cause", "code", "field"),
    [
        ("E-99", 3, "caused_by[0].id"),
        ("key:nobody", 3, "caused_by[0].key"),
        ("text:nothing", 2, "caused_by[0].text"),
        ("key:", 2, "caused_by[0]"),
    ],
)
def test_a_cause_that_is_not_there_refuses_the_whole_write(
    run: Run, cause: str, code: int, field: str
) -> None:
    ended = run("record", "act", "--result", "failure", "--caused-by", cause)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith(f"graphmem: {field}: ")
    assert run("failures", "--json").data == []


def test_a_retry_with_the_same_key_writes_nothing(run: Run) -> None:
    first = run("record", "act", "--result", "success", "--key", "k")
    again = run("record", "act", "--result", "success", "--key", "k")
    assert (first.code, again.code) == (0, 0)
    assert "nothing was written" in again.out
    assert run("status", "--json").data["counts"]["EXPERIENCE"] == 1


def test_the_same_key_for_something_else_is_a_conflict(run: Run) -> None:
    run("record", "act", "--result", "success", "--key", "k")
    ended = run("record", "another act", "--result", "success", "--key", "k")
    assert ended.code == 4
    assert ended.err.startswith("graphmem: key: this key was used for something else")


def test_a_secret_is_replaced_and_said(run: Run) -> None:
    secret = "sk-" + "A1b2C3d4E5f6G7h8J9k0" * 2
    ended = run("record", "call", "--result", "failure", "--context", f"api_key={secret}")
    assert "1 secret was replaced before storing" in ended.out
    assert secret not in run("show", "E-1").out


def test_json_is_the_receipt(run: Run) -> None:
    written = run("--json", "remember", "a fact").data
    assert written["created"] is True
    assert written["revision"] == 1
    assert written["memory"]["ref"] == "F-1"
    assert written["key"]


@pytest.mark.parametrize("words", ["record act", "record act --result maybe", "record", "remember"])
def test_a_command_that_lacks_something_says_what(run: Run, words: str) -> None:
    ended = run(*words.split())
    assert ended.code == 2
    assert "Usage: graphmem" in ended.err


def test_forget_shows_a_plan_and_asks(run: Run, fail: Fail) -> None:
    fail("first")
    fail("second", "--caused-by", "E-1")
    refused = run("forget", "E-1", text="n\n")
    assert refused.code == 1
    assert refused.lines[:2] == [
        "E-1 ✗ first",
        "This removes it with its vectors, old versions and edges (1). It cannot be undone.",
    ]
    assert run("show", "E-1").code == 0
    agreed = run("forget", "E-1", text="y\n")
    assert (agreed.code, "E-1 is forgotten" in agreed.out) == (0, True)
    assert run("show", "E-1").code == 3


def test_forget_can_do_without_asking(run: Run, fail: Fail) -> None:
    fail("first")
    assert run("forget", "E-1", "--yes").lines[-1] == "E-1 is forgotten"
    fail("second")
    assert run("forget", "E-2", "--yes", "--json").data["refs"] == ["E-2"]


def test_a_dry_run_removes_nothing(run: Run, fail: Fail) -> None:
    fail("first")
    assert run("forget", "E-1", "--dry-run").code == 0
    assert run("forget", "E-1", "--dry-run", "--json").data["refs"] == ["E-1"]
    assert run("show", "E-1").code == 0


def test_nobody_to_ask_means_nothing_is_removed(run: Run, fail: Fail) -> None:
    fail("first")
    assert run("forget", "E-1", text="").code == 1
    assert run("show", "E-1").code == 0


def test_what_is_not_there_cannot_be_forgotten(run: Run) -> None:
    ended = run("forget", "E-9", "--yes")
    assert (ended.code, ended.err.startswith("graphmem: ref: no such memory")) == (3, True)
