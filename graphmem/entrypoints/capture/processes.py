"""Running a command as the shell would: its own input, output and exit, with the end of its output kept."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Thread
from types import FrameType
from typing import Any

KEPT = 16_384
"""Bytes of the end of the output that are kept, both streams in the order they came."""
NOT_FOUND = 127
NOT_EXECUTABLE = 126
SIGNALLED = 128
"""A shell's exit code for a process ended by signal n is this plus n."""
STOPPED_BY_USER = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT})
"""Ends that somebody wanted, or that whoever read the output brought about: no failure of the command."""
_LINGER_S = 0.5
"""How long output is waited for after the command has ended: a process it left behind may hold it open for ever."""
_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""A terminal sends these to the command itself as well."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended. code: as a shell tells it; tail: the end of its output; error: why it did not start."""

    code: int
    tail: bytes
    error: str = ""

    @property
    def signalled(self) -> int:
        """The signal that ended it, 0 for none."""
        return self.code - SIGNALLED if SIGNALLED < self.code < SIGNALLED + signal.NSIG else 0

    @property
    def stopped(self) -> bool:
        """Whether somebody wanted it to end."""
        return self.signalled in STOPPED_BY_USER


def run_command(command: Sequence[str], output: int = 1, errors: int = 2) -> Ending:
    """Run a command to its end. output and errors: descriptors that its output goes to at once.

    A stream that goes to a terminal goes through a terminal of its own, so that the command sees one. Signals to
    this process reach the command; its own death by a signal is told as 128 + n.
    """
    tail = _Tail()
    streams = [_Stream(target, tail) for target in (output, errors)]
    with _passing_on() as pass_on:
        try:
            process = subprocess.Popen(command, stdout=streams[0].inner, stderr=streams[1].inner)
        except OSError as error:
            for stream in streams:
                stream.start()
                stream.finish()
            missing = isinstance(error, FileNotFoundError)
            reason = "command not found" if missing else error.strerror or type(error).__name__
            return Ending(NOT_FOUND if missing else NOT_EXECUTABLE, b"", f"{command[0]}: {reason}")
        for stream in streams:
            stream.start()
        pass_on(process)
        code = process.wait()
        for stream in streams:
            stream.finish()
    return Ending(SIGNALLED - code if code < 0 else code, tail.read())


def end_as(ending: Ending) -> None:
    """Die by the signal that ended the command, so that a script around it stops too; else return."""
    number = ending.signalled
    if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


class _Tail:
    """The last bytes of two streams."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        with self._lock:
            self._kept += data
            del self._kept[:-KEPT]

    def read(self) -> bytes:
        with self._lock:
            return bytes(self._kept)


class _Stream:
    """One stream on its way from the command to where this process's goes. inner: the command's end."""

    def __init__(self, target: int, tail: _Tail) -> None:
        self._target = target
        self._tail = tail
        self._outer, self.inner = _terminal_like(target) if os.isatty(target) else os.pipe()
        self._thread = Thread(target=self._copy, daemon=True)

    def start(self) -> None:
        """Begin to copy; this process's hold on the command's end is given up."""
        os.close(self.inner)
        self._thread.start()

    def finish(self) -> None:
        """Wait for what is still on its way, but not for what other processes may yet write."""
        self._thread.join(_LINGER_S)

    def _copy(self) -> None:
        writing = True
        while data := _read(self._outer):
            self._tail.add(data)
            writing = writing and _write(self._target, data)
        os.close(self._outer)


def _read(descriptor: int) -> bytes:
    """The next bytes; b'' at the end, which a terminal tells by an error."""
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""


def _write(descriptor: int, data: bytes) -> bool:
    """Whether all could be written; whoever read it may be gone."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False
    return True


def _terminal_like(target: int) -> tuple[int, int]:
    """A new terminal of the same size that passes bytes on unchanged: (outer end, command's end)."""
    outer, inner = pty.openpty()
    settings = termios.tcgetattr(inner)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(inner, termios.TCSANOW, settings)
    size = fcntl.ioctl(target, termios.TIOCGWINSZ, b"\0" * 8)
    fcntl.ioctl(inner, termios.TIOCSWINSZ, size)
    return outer, inner


@contextmanager
def _passing_on() -> Iterator[Any]:
    """Pass signals on to a process while it runs. What is ignored here stays ignored, for the command too."""
    running: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        if running:
            running[0].send_signal(number)
        else:
            early.append(number)

    def leave(number: int, frame: FrameType | None) -> None:
        """The terminal has told the command already."""

    def pass_on(process: subprocess.Popen[bytes]) -> None:
        running.append(process)
        for number in early:
            process.send_signal(number)

    before = {}
    for numbers, handler in ((_FORWARDED, forward), (_FROM_TERMINAL, leave)):
        for number in numbers:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    try:
        yield pass_on
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)
