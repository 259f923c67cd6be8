"""recall, failures, show, status, doctor: what is found and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.services import by_hand
from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]
FAILURE = ("--error-type", "ValueError", "--tool", "clean_rows")


@pytest.fixture
def told(run: Run, fail: Fail) -> Run:
    """A memory with a fact, three failures of one kind and a success."""
    run("remember", "空数组要返回空结果，不要报错")
    for rows in ("[]", "[None, None]", "[None]"):
        fail(
            "clean a batch", "--context", f"rows = {rows}", "--correction", "return an empty result", *FAILURE
        )
    run(
        "record", "clean a batch", "--context", "rows = [4, 5]", "--result", "success", "--tool", "clean_rows"
    )
    return run


def test_reminders_stand_first_then_each_list_apart(told: Run) -> None:
    out = told("recall", 'clean a batch: rows = ["", None]', "--tool", "clean_rows").out
    places = [out.index(text) for text in ("ASK", "Own errors", "What worked")]
    assert places == sorted(places)
    assert "right: return an empty result" in out
    assert "shares words (BM25" in out
    assert "same tool" in out
    assert out.rstrip().endswith("(found by words only)")


def test_facts_have_a_list_of_their_own(told: Run) -> None:
    lines = told("recall", "空数组要返回什么").lines
    assert lines[lines.index("Known facts") + 1].split() == [
        "F-1",
        lines[1].split()[1],
        "空数组要返回空结果，不要报错",
    ]


def test_an_ordinary_input_gets_no_reminder(told: Run) -> None:
    found = told("recall", "clean a batch: rows = [23, 31, 45]", "--tool", "clean_rows", "--json").data
    assert found["reminders"] == []
    assert "E-1" not in found["prompt_text"]
    assert [hit["memory"]["ref"] for hit in found["worked"]] == ["E-4"]


def test_kinds_and_limit_narrow_the_answer(told: Run) -> None:
    found = told("recall", "clean a batch 空数组", "--kind", "experience", "--limit", "1", "--json").data
    assert (found["facts"], len(found["errors"])) == ([], 1)


def test_a_period_narrows_the_answer(told: Run) -> None:
    assert told("recall", "clean a batch", "--until", "1h", "--json").data["errors"] == []
    assert len(told("recall", "clean a batch", "--since", "1h", "--json").data["errors"]) == 3


def test_the_prompt_block_stands_alone(told: Run) -> None:
    lines = told("recall", "clean a batch: rows = {}", "--tool", "clean_rows", "--prompt").lines
    assert (lines[0][:8], lines[-1][:9]) == ("<memory-", "</memory-")
    assert told("recall", "zzz", "--prompt").out == ""


def test_nothing_found_names_the_doctor(run: Run) -> None:
    assert "graphmem doctor" in run("recall", "anything").out


@pytest.mark.parametrize(
    ("situation", "options"),
    [("", ""), ("act", "--limit 0"), ("act", "--since soon"), ("act", "--prompt --max-tokens 0")],
)
def test_bad_questions_are_refused(run: Run, situation: str, options: str) -> None:
    ended = run("recall", situation, *options.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1


def test_failures_are_listed_newest_first(run: Run, fail: Fail) -> None:
    fail("old", "--occurred-at", "2026-01-01")
    fail("new", "--occurred-at", "2026-02-01", "--correction", "do it right")
    run("record", "fine", "--result", "success")
    lines = run("failures").lines
    assert [line.split()[0] for line in lines if "✗" in line] == ["E-2", "E-1"]
    assert "right: do it right" in lines[1]


@pytest.mark.parametrize(
    ("options", "refs"),
    [
        (("--tool", "read"), ["E-1"]),
        (("--task-type", "import"), ["E-2"]),
        (("--agent", "bob"), ["E-3"]),
        (("--error-type", "KeyError"), ["E-2"]),
        (("--since", "2026-01-15"), ["E-3", "E-2"]),
        (("--since", "2026-01-15", "--tool", "read"), []),
        (("--limit", "1"), ["E-3"]),
    ],
)
def test_failures_are_filtered(run: Run, fail: Fail, options: tuple[str, ...], refs: list[str]) -> None:
    fail("a", "--occurred-at", "2026-01-01", "--tool", "read")
    fail("b", "--occurred-at", "2026-02-01", "--task-type", "import", "--error-type", "KeyError")
    fail("c", "--occurred-at", "2026-03-01", "--agent", "bob")
    assert [memory["ref"] for memory in run("failures", "--json", *options).data] == refs


def test_failures_are_paged_through(run: Run, fail: Fail) -> None:
    for number in range(103):
        run("record", f"act {number}", "--result", "failure", "--key", str(number))
    assert len(run("failures", "--limit", "102", "--json").data) == 102
    assert len(run("failures", "--limit", "500", "--json").data) == 103


def test_no_failures_is_said(run: Run) -> None:
    assert run("failures").lines == ["No failures here."]
    assert run("failures", "--limit", "0").code == 2


def test_show_tells_everything(run: Run, fail: Fail) -> None:
    fail("first", "--context", "rows = []", "--tag", "x", "--by", "anna")
    fail("second", "--caused-by", "E-1")
    run("review", "E-2", "E-1", "refute", "--reason", "another run", "--by", "bob")
    lines = run("show", "E-1").lines
    assert lines[0] == "E-1 ✗ first"
    assert "context   rows = []" in lines
    assert "writer    anna (agent)" in lines
    assert "led to  refuted  E-2 ✗ second" in lines
    assert any(line.strip().startswith("refute bob") and line.endswith("another run") for line in lines)


def test_show_as_data_has_the_edges(run: Run, fail: Fail) -> None:
    fail("first")
    fail("second", "--caused-by", "E-1")
    (edge,) = run("show", "E-2", "--json").data["edges"]
    assert (edge["kind"], edge["grade"], edge["evidence"][0]["by"]) == ("CAUSED_BY", "ASSERTED", "cli")


def test_an_unknown_ref_is_not_found(run: Run) -> None:
    ended = run("show", "E-1")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err == "graphmem: id: no such memory here (check the id, ref and namespace)\n"


def test_namespaces_are_apart(run: Run, fail: Fail) -> None:
    fail("first")
    assert run("show", "E-1", "--namespace", "other").code == 3
    assert run("-n", "other", "show", "E-1").code == 3
    assert run("-n", "other", "show", "E-1", "-n", "main").code == 0


def test_status_counts(told: Run) -> None:
    ended = told("status")
    assert ended.lines[1].split() == ["namespace", "main"]
    assert "1 FACT, 3 FAILURE" in ended.out
    status = told("status", "--json").data
    assert (status["counts"]["EXPERIENCE"], status["digest_matches"]) == (4, True)


def test_doctor_names_the_namespace_that_was_meant(run: Run, fail: Fail) -> None:
    fail("first")
    out = run("doctor", "--namespace", "mian").out
    assert "namespace 'mian' is empty" in out
    assert "did you mean 'main'" in out


def test_doctor_explains_an_answer(told: Run) -> None:
    assert "nothing shares a word" in told("doctor", "--ask", "zebra").out
    assert "said: " in told("doctor", "--ask", "clean a batch: rows = {}", "--tool", "clean_rows").out
    assert told("doctor", "--json").data["findings"][0]["ok"] is True


def test_doctor_makes_the_vectors_that_are_missing(run: Run, fail: Fail) -> None:
    fail("first", "--embedder", "hash")
    assert run("doctor", "--repair", "--embedder", "hash").lines[0].endswith("got their vectors")
    assert run("status", "--embedder", "hash", "--json").data["without_vectors"] == 0


def test_doctor_mends_what_a_hand_edit_left(run: Run, fail: Fail, tmp_path: Path) -> None:
    fail("first", "--embedder", "hash")
    fail("second", "--embedder", "hash")
    file = tmp_path / "memory.db"
    by_hand(file, "DELETE FROM vectors WHERE memory_id = (SELECT min(memory_id) FROM vectors)")
    by_hand(file, "DELETE FROM memories WHERE id = (SELECT max(id) FROM memories)")
    assert (
        "the store counts 2 memories, and holds 1: edited by hand" in run("doctor", "--embedder", "hash").out
    )
    found = run("doctor", "--repair", "--embedder", "hash", "--json").data
    assert (found["repaired"], found["balanced"]) == (1, True)
    assert all(finding["ok"] for finding in found["findings"])
    again = run("doctor", "--repair", "--embedder", "hash", "--json").data
    assert (again["repaired"], again["balanced"]) == (0, False)


def test_what_was_given_up_is_counted_said_and_tried_again(run: Run, fail: Fail, tmp_path: Path) -> None:
    fail("first")
    by_hand(tmp_path / "memory.db", "UPDATE jobs SET state = 'FAILED', attempt = 6 WHERE kind = 'ANALYSE'")
    assert "1 ANALYSE" in run("status").out
    said = run("doctor").lines
    place = said.index("! 1 ANALYSE given up")
    assert "memory_reflect" in said[place + 1]
    assert run("doctor", "--repair").lines[1] == "1 job that was given up is tried again"
    assert run("status", "--json").data["failed_jobs"] == {}
    assert "! 1 ANALYSE given up" not in run("doctor").lines


def test_everything_speaks_chinese(told: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    out = told("recall", "清洗: rows = {}", "--tool", "clean_rows").out
    assert "自己犯过的错" in out
    assert "这个输入算边界情况吗" in out
    assert "命名空间" in told("status").out
    assert "显示一条记忆的全部内容" in told("--help").out
    assert "做了什么" in told("record", "--help").out


def test_a_brief_is_a_recollection_with_likely_failures(told: Run) -> None:
    """Counted over the work of the tool, where one is named."""
    told("record", "write a page", "--result", "success", "--tool", "pen")
    lines = told("brief", 'clean a batch: rows = ["", None]', "--tool", "clean_rows").lines
    assert lines[0].startswith("ASK")
    at = lines.index("Likely failures")
    assert lines[at + 1] == "  valueerror: 3 of 4 comparable experiences"
    assert lines[at + 2].startswith("    E-3 ✗ clean a batch")
    found = told("brief", "clean a batch", "--json").data
    assert [(one["count"], one["n"]) for one in found["likely_failures"]] == [(3, 5)]
    assert found["recollection"]["errors"]


def test_a_brief_of_nothing_says_so(run: Run) -> None:
    assert run("brief", "anything").lines == run("recall", "anything").lines


def test_a_brief_gives_its_prompt_block_alone(told: Run) -> None:
    said = told("brief", "the figures of june", "--tool", "clean_rows", "--prompt").lines
    assert (said[0][:8], said[-1][:9]) == ("<memory-", "</memory-")
    assert any(line.startswith("- P-1") for line in said)
    assert (
        told("brief", "the figures of june", "--tool", "clean_rows", "--prompt", "--max-tokens", "1").out
        == ""
    )
