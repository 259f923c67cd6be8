"""Starting a process that outlives us, knowing it again later, and ending that one only."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphmem.domain.errors import UnavailableError

_PROC = Path("/proc")
_POLL_S = 0.1
_LAUNCH_S = 30
_LAUNCH = 'log=$1; shift; "$@" >"$log" 2>&1 </dev/null & echo $!'
_PASSED_ON = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_TOOL_OPTIONS"})


@dataclass(frozen=True)
class Identity:
    """What tells a process from a later one with the same number: when it began, and its command line."""

    born: str
    command: str


def passed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a server needs of ours; keys and tokens are not among them."""
    return {name: value for name, value in environment.items() if name in _PASSED_ON}


def launch(command: Sequence[str], *, log: Path, folder: Path, environment: Mapping[str, str]) -> int:
    """Start a process in a session of its own, its output in log (emptied before), and return its number.

    A shell starts it and leaves, so that it is nobody's child: it stays when we end, and becomes no zombie of ours.
    Raises UnavailableError when it cannot be started.
    """
    try:
        answer = subprocess.run(
            ["/bin/sh", "-c", _LAUNCH, "sh", str(log), *command],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=_LAUNCH_S,
            check=True,
            start_new_session=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(f"{command[0]} cannot be started: {error}", remedy=f"see {log}") from error
    return int(answer.stdout)


def identity(pid: int) -> Identity | None:
    """Who runs under that number; None when nobody does (a process that ended with all its
    threads and was not collected is nobody; until then its ports are taken)."""
    return _from_proc(pid) if (_PROC / "self" / "stat").exists() else _from_ps(pid)


def _from_proc(pid: int) -> Identity | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        command = (_PROC / str(pid) / "cmdline").read_text(encoding="utf-8", errors="replace")
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before may hold anything
    threads = int(fields[17])
    if fields[0] == "X" or (fields[0] == "Z" and threads <= 1):  # its first thread may end before the others
        return None
    return Identity(f"{boot}/{fields[19]}", command.replace("\0", " ").strip())


def _from_ps(pid: int) -> Identity | None:
    answer = subprocess.run(
        ["ps", "-ww", "-p", str(pid), "-o", "stat=", "-o", "lstart=", "-o", "command="],
        env={"LC_ALL": "C", "PATH": "/bin:/usr/bin"},
        capture_output=True,
        text=True,
        timeout=_LAUNCH_S,
        check=False,
    )
    words = answer.stdout.split()
    if len(words) < 7 or words[0].startswith("Z"):
        return None
    return Identity(" ".join(words[1:6]), " ".join(words[6:]))


def send(pid: int, born: str, kind: signal.Signals) -> bool:
    """Signal that process; False when it, the one that began then, is no longer there."""
    found = identity(pid)
    if found is None or found.born != born:
        return False
    try:
        os.kill(pid, kind)
    except ProcessLookupError:
        return False
    return True


def wait_for_exit(pid: int, born: str, limit_s: float) -> bool:
    """Wait until that process is gone; False when it is still there after limit_s seconds."""
    end = time.monotonic() + limit_s
    while (found := identity(pid)) is not None and found.born == born:
        if time.monotonic() >= end:
            return False
        time.sleep(_POLL_S)
    return True
