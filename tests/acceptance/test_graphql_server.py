"""The server as a process of its own: it answers over a socket, and ends when it is told to."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).parents[2]
SERVE = """
import sys
from graphmem.config import Settings
from graphmem.entrypoints.graphql.app import serve
from graphmem.wiring import build

services = build(Settings(store=sys.argv[1], embedder="hash"))
try:
    serve(services, "127.0.0.1", int(sys.argv[2]))
finally:
    services.close()
"""
SECRET = "a text that belongs to nobody's log"


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """A running server."""

    def __init__(self, store: Path) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, f"sqlite:///{store}", str(self.port)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def get(self, path: str) -> dict[str, object]:
        """The JSON at a path."""
        with urlopen(self.address + path, timeout=10) as answer:
            found: dict[str, object] = json.load(answer)
            return found

    def ask(self, document: str, **variables: object) -> dict[str, object]:
        """What a document is answered."""
        body = json.dumps({"query": document, "variables": variables}).encode()
        request = Request(self.address + "/graphql", body, {"content-type": "application/json"})
        with urlopen(request, timeout=10) as answer:
            found: dict[str, object] = json.load(answer)
            return found

    def wait(self) -> None:
        """Until it is ready."""
        for _ in range(300):
            try:
                self.get("/readyz")
                return
            except (URLError, ConnectionError):
                assert self.process.poll() is None, self.process.stdout and self.process.stdout.read()
                time.sleep(0.1)
        raise AssertionError("the server did not become ready")

    def stop(self) -> str:
        """Tell it to end; what it printed."""
        self.process.send_signal(signal.SIGTERM)
        printed, _ = self.process.communicate(timeout=20)
        return printed


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path / "memory.db")
    try:
        started.wait()
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


def test_a_server_answers_and_ends(server: Server, tmp_path: Path) -> None:
    """What was written is there after a restart; nothing that was said stands in what it printed."""
    write = "mutation($s: String!) { rememberFact(input: { statement: $s }) { ... on Fact { ref } } }"
    assert server.ask(write, s=SECRET) == {"data": {"rememberFact": {"ref": "F-1"}}}
    with pytest.raises(HTTPError) as refused:
        server.ask("{ nothing }", s=SECRET)
    assert refused.value.code == 400
    with pytest.raises(HTTPError):
        urlopen(f"{server.address}/graphql?query={SECRET.replace(' ', '+')}", timeout=10)
    refused.value.close()
    assert SECRET not in server.stop()
    assert server.process.returncode in (0, -signal.SIGTERM)
    again = Server(tmp_path / "memory.db")
    try:
        again.wait()
        found = again.ask('{ memory(id: "F-1") { ... on Fact { statement } } }')
        assert found == {"data": {"memory": {"statement": SECRET}}}
    finally:
        again.stop()
