"""A process is there until the last of its threads has ended: its ports are taken until then."""

from __future__ import annotations

import subprocess
import sys

from graphmem.tooling.neo4j.processes import identity, wait_for_exit

FIRST_THREAD_ENDS = """
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
print("ready", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_whose_first_thread_ended_is_still_there() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_THREAD_ENDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "ready\n"
        found = identity(child.pid)
        assert found is not None
        assert not wait_for_exit(child.pid, found.born, limit_s=0.3)
        child.stdin.close()
        assert wait_for_exit(child.pid, found.born, limit_s=30)
