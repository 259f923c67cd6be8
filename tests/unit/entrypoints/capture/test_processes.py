"""Commands run as the shell would: streams, codes, signals, terminals."""

from __future__ import annotations

import os
import pty
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from graphmem.entrypoints.capture.processes import KEPT, Ending, run_command


@contextmanager
def files(folder: Path) -> Iterator[tuple[int, int]]:
    """Two files as output and errors."""
    places = [os.open(folder / name, os.O_CREAT | os.O_WRONLY) for name in ("out", "err")]
    try:
        yield places[0], places[1]
    finally:
        for place in places:
            os.close(place)


def ran(folder: Path, *words: str) -> tuple[Ending, str, str]:
    """How a command ended, and what it wrote."""
    with files(folder) as (out, err):
        ending = run_command(words, out, err)
    return ending, (folder / "out").read_text(), (folder / "err").read_text()


def test_both_streams_go_where_they_belong_and_the_end_is_kept(tmp_path: Path) -> None:
    ending, out, err = ran(tmp_path, "sh", "-c", "echo one; echo two >&2; exit 3")
    assert (ending.code, out, err) == (3, "one\n", "two\n")
    assert sorted(ending.tail.decode().splitlines()) == ["one", "two"]


def test_a_long_output_passes_whole_and_its_end_is_kept(tmp_path: Path) -> None:
    ending, out, _ = ran(tmp_path, sys.executable, "-c", "print('x' * 300_000 + 'end')")
    assert len(out) == 300_004
    assert len(ending.tail) == KEPT
    assert ending.tail.endswith(b"end\n")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("no-such-command-here",), 127, "no-such-command-here: command not found"),
        (("/etc/passwd",), 126, "/etc/passwd: Permission denied"),
    ],
)
def test_what_cannot_be_started_has_the_codes_of_a_shell(
    tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    ending, _, _ = ran(tmp_path, *words)
    assert (ending.code, ending.error) == (code, told)


@pytest.mark.parametrize(
    ("name", "stopped"), [("KILL", False), ("SEGV", False), ("TERM", True), ("INT", True)]
)
def test_a_death_by_signal_is_128_and_the_signal(tmp_path: Path, name: str, stopped: bool) -> None:
    """The child first stops ignoring the signal, which it may have inherited from a run in the background."""
    number = signal.Signals[f"SIG{name}"]
    heeded = f"signal.signal({number:d}, signal.SIG_DFL); " if name != "KILL" else ""
    ending, _, _ = ran(
        tmp_path, sys.executable, "-c", f"import os, signal; {heeded}os.kill(os.getpid(), {number:d})"
    )
    assert (ending.code, ending.signalled, ending.stopped) == (128 + number, number, stopped)


def test_an_exit_code_beyond_the_signals_is_none() -> None:
    assert Ending(255, b"").signalled == 0
    assert Ending(0, b"").signalled == 0


def test_signals_reach_the_command(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = f"trap 'echo told; exit 5' TERM; touch {ready}; while :; do sleep 0.05; done"

    def stop() -> None:
        while not ready.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=stop)
    thread.start()
    ending, out, _ = ran(tmp_path, "sh", "-c", script)
    thread.join()
    assert (ending.code, out) == (5, "told\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_process_left_behind_does_not_hold_the_ending_up(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    ending, out, _ = ran(tmp_path, "sh", "-c", f"sleep 300 & echo $! > {pid}; echo done")
    os.kill(int(pid.read_text()), signal.SIGKILL)
    assert (ending.code, out) == (0, "done\n")


def test_a_command_on_a_terminal_sees_one(tmp_path: Path) -> None:
    outer, inner = pty.openpty()
    with files(tmp_path) as (_, err):
        ending = run_command(["sh", "-c", "test -t 1 && ! test -t 2 && echo seen"], inner, err)
    os.close(inner)
    shown = os.read(outer, 100)
    os.close(outer)
    assert (ending.code, shown.strip(), ending.tail) == (0, b"seen", b"seen\n")


def test_a_reader_that_is_gone_ends_nothing_here(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with files(tmp_path) as (_, err):
        ending = run_command(["sh", "-c", "echo lost; exit 4"], writing, err)
    with suppress(OSError):
        os.close(writing)
    assert (ending.code, ending.tail) == (4, b"lost\n")
