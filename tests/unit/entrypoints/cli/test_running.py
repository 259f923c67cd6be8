"""run: the command's own ending, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.entrypoints.cli.conftest import Run

FAILING = ("run", "--", "sh", "-c", "echo 'ValueError: bad' >&2; exit 3")
ONCE = ("run", "--", "sh", "-c", "test -f done")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_a_failure_is_recorded_with_its_output(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    ended = run(
        *FAILING,
    )
    assert (ended.code, ended.err) == (3, "graphmem: recorded as E-1\n")
    assert capfd.readouterr().err == "ValueError: bad\n"
    found = run("show", "E-1", "--json").data
    assert found["action"] == "sh -c 'echo '\"'\"'ValueError: bad'\"'\"' >&2; exit 3'"
    assert (found["context"], found["tool"], found["task_type"]) == ("in work", "sh", "command")
    assert (found["error_type"], found["manifestation"]) == ("ValueError", "exit 3: ValueError: bad")
    assert (found["output"], found["root_cause"]["type"]) == ("ValueError: bad", "CAPABILITY_GAP")
    assert found["writer"]["channel"] == "TOOL"


def test_a_repeat_tells_what_is_known(run: Run) -> None:
    run(*FAILING)
    again = run(*FAILING).err.splitlines()
    assert again[0] == "graphmem: recorded as E-2"
    assert again[1].startswith("graphmem: failed before (1x), last as E-1 on 20")
    assert again[1].endswith(": exit 3: ValueError: bad")
    assert len(again) == 2


def test_trying_a_command_again_teaches_nothing_new(run: Run) -> None:
    for _ in range(3):
        run(*FAILING)
    assert run("status", "--json").data["counts"]["PATTERN"] == 0
    tasks = {one["task_id"] for one in run("failures", "--json").data}
    assert len(tasks) == 1
    assert tasks.pop().startswith("run:")


def test_success_after_failure_is_recorded_once_and_told_at_the_next_failure(run: Run) -> None:
    assert run(*ONCE).code == 1
    Path("done").touch()
    solved = run(*ONCE)
    assert (solved.code, solved.err) == (0, "graphmem: works again after E-1, recorded as E-2\n")
    assert run(*ONCE).err == ""
    assert run("status", "--json").data["counts"]["EXPERIENCE"] == 2
    Path("done").unlink()
    assert "graphmem: it worked again after E-1 (E-2)" in run(*ONCE).err


def test_a_command_that_works_says_and_writes_nothing(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    ended = run("run", "--", "printf", "%s\\n", "--json")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert capfd.readouterr().out == "--json\n"
    assert run("failures", "--json").data == []


def test_what_is_not_there_is_recorded_with_the_code_of_a_shell(run: Run) -> None:
    ended = run("run", "--task-id", "t", "--", "no-such-command-here")
    assert ended.code == 127
    assert ended.err.splitlines()[0] == "graphmem: no-such-command-here: command not found"
    found = run("show", "E-1", "--json").data
    assert (found["root_cause"]["type"], found["error_type"], found["task_id"]) == (
        "SYSTEM_LIMIT",
        "exit 127",
        "t",
    )


def test_colours_of_the_output_are_left_out(run: Run) -> None:
    run("run", "--", "printf", "\\033[31mred\\033[0m\\n")
    run("run", "--", "sh", "-c", "printf '\\033[31mred\\033[0m\\n'; exit 1")
    assert run("show", "E-1", "--json").data["output"] == "red"


def test_a_memory_that_fails_does_not_change_the_ending(run: Run, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("this is no database" * 100)
    ended = run("run", "--", "sh", "-c", "exit 7")
    assert ended.code == 7
    assert ended.err.startswith("graphmem: how it ended could not be recorded (")


def test_a_repeat_is_told_in_chinese(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run(*FAILING).err == "graphmem: 已记录为 E-1\n"


def test_a_failure_is_captured_by_hand(run: Run) -> None:
    given = ("--task-type", "import", "--tool", "up", "--trace", "1. read\n2. upload: HTTP 401")
    ended = run("capture", "the upload broke because the token had expired", *given)
    assert ended.code == 0
    found = run("show", "E-1", "--json").data
    assert (found["action"], found["trace"]) == ("import: up", "1. read\n2. upload: HTTP 401")
    assert (found["error_type"], found["root_cause"]["summary"]) == ("HTTP 401", "the token had expired")
