"""One process at a time: a lock that the system lifts when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j.releases import OTHER_WAYS

if sys.platform != "win32":
    import fcntl

_POLL_S = 0.1


@contextmanager
def locked(file: Path, wait_s: float, doing: str) -> Iterator[None]:
    """Hold the lock of a file; wait at most wait_s seconds for another holder.

    doing says what the holder is doing, for the message. The file stays: removing it would let two holders in.
    Raises UnavailableError when the time is over, or where the system has no such locks (Windows).
    """
    if sys.platform == "win32":
        raise UnavailableError(
            "a Neo4j server cannot be controlled on Windows", remedy=f"use WSL, {OTHER_WAYS}"
        )
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(handle, file, wait_s, doing)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, file: Path, wait_s: float, doing: str) -> None:
    end = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                raise UnavailableError(
                    f"another process is {doing} (it holds {file})",
                    remedy="wait until it is done, then try again",
                ) from None
            time.sleep(_POLL_S)
