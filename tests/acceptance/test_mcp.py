"""MCP as agents meet it: a program that they start, and a service that they call."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from mcp import StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from graphmem.config import Settings
from graphmem.entrypoints.mcp.arguments import Reflect
from graphmem.wiring import Services, build
from tests.agents import connected

ROOT = Path(__file__).parents[2]
PROGRAM = ("-m", "graphmem.entrypoints.cli")
FAILURE: dict[str, Any] = {
    "action": "clean the column",
    "context": "input []",
    "result": "failure",
    "error_type": "boundary",
    "correction": "return an empty result",
}
TOKEN = "a-long-random-text"
MODES = ("auto", "legacy")
"""The protocol of 2026 and the handshake before it: what a client of either speaks."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of the test's own, and this checkout."""
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_STORE": f"sqlite:///{tmp_path / 'memory.db'}",
    }


def program(environment: dict[str, str], *words: str) -> StdioServerParameters:
    """`graphmem mcp`, as a coding agent starts it."""
    return StdioServerParameters(command=sys.executable, args=[*PROGRAM, "mcp", *words], env=environment)


@pytest.fixture
def stored(environment: dict[str, str]) -> Iterator[Services]:
    """Another process's view of the same file."""
    services = build(Settings(store=environment["GRAPHMEM_STORE"], embedder="hash"))
    try:
        yield services
    finally:
        services.close()


@pytest.mark.parametrize("mode", MODES)
def test_over_stdio_a_failure_is_met_by_the_next_session(
    environment: dict[str, str], stored: Services, mode: str
) -> None:
    """A session is a process: it has an id of its own, and ends with it."""
    with connected(program(environment), mode) as agent:
        assert len(agent.tools()) == 8
        assert agent.instructions
        assert agent.call("write_experience", **FAILURE)["ref"] == "E-1"
        assert agent.refused("write_experience", action="x") == "BAD_INPUT result"
    with connected(program(environment), mode) as agent:
        (reminder,) = agent.call("retrieve", situation="clean the column, input []")["reminders"]
        assert (reminder["strength"], reminder["subject"]) == ("REMIND", "E-1")
        assert agent.call("feedback", exposure_id=reminder["exposure_id"], answer="applied")
        agent.call("write_experience", **FAILURE | {"result": "success"})
    first, second = (stored.browse.memory("main", ref).session_id for ref in ("E-1", "E-2"))
    assert first.startswith("mcp-")
    assert first != second
    recurrence = stored.measure.recurrence("main", "", None)
    assert recurrence.answers == {"APPLIED": 1}
    assert stored.sessions.end("main", second).already


def test_over_stdio_the_namespace_is_that_of_the_command(
    environment: dict[str, str], stored: Services
) -> None:
    with connected(program(environment, "--namespace", "项目 一")) as agent:
        agent.call("write_fact", statement="here")
        assert agent.call("status")["namespace"] == "项目 一"
    assert stored.store.state("main").revision == 0
    assert stored.browse.memory("项目 一", "F-1").text == "here"


def test_a_program_without_a_client_ends_with_its_input(environment: dict[str, str]) -> None:
    """And prints nothing that is no message, whatever is sent."""
    done = subprocess.run(
        [sys.executable, *PROGRAM, "mcp"],
        input=b"this is no message\n",
        env=environment,
        capture_output=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0
    assert all(line.startswith(b'{"jsonrpc"') for line in done.stdout.splitlines())
    assert b"Traceback" not in done.stderr


def test_a_setting_that_is_wrong_is_said_in_a_line(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, *PROGRAM, "mcp", "--store", "oracle://x"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("graphmem: store: ")
    assert "Traceback" not in done.stderr


def test_the_documented_files_are_what_they_should_be() -> None:
    """Each names a program and arguments that the command line takes, or the address of the service."""
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(json|toml)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    files = [json.loads(text) if kind == "json" else tomllib.loads(text) for kind, text in blocks]
    servers = [
        item.get("mcpServers", item.get("mcp_servers"))["graphmem"] for item in files if "lessons" not in item
    ]
    assert [server.get("args") for server in servers] == [["mcp", "--namespace", "my-project"]] * 2 + [
        None
    ] * 2
    assert {server["url"] for server in servers[2:]} == {"http://127.0.0.1:8000/mcp"}
    lessons = next(item for item in files if "lessons" in item)
    assert len(Reflect.model_validate(lessons).lessons) == 2


class Service:
    """`graphmem serve` as a process."""

    def __init__(self, environment: dict[str, str]) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = int(found.getsockname()[1])
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [sys.executable, *PROGRAM, "serve", "--port", str(port)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def wait(self) -> None:
        """Until it is ready."""
        for _ in range(600):
            try:
                with urlopen(f"{self.address}/readyz", timeout=10):
                    return
            except (URLError, ConnectionError):
                assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
                time.sleep(0.1)
        raise AssertionError("the service did not become ready")

    @asynccontextmanager
    async def client(self, **headers: str) -> AsyncIterator[Any]:
        """The SDK's transport with headers of one's own."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with (
            create_mcp_http_client(headers=sent) as http,
            streamable_http_client(f"{self.address}/mcp", http_client=http) as streams,
        ):
            yield streams


@pytest.fixture
def service(environment: dict[str, str]) -> Iterator[Service]:
    started = Service(environment | {"GRAPHMEM_TOKEN": TOKEN})
    try:
        started.wait()
        yield started
    finally:
        started.process.send_signal(signal.SIGTERM)
        started.process.communicate(timeout=20)


@pytest.mark.parametrize("mode", MODES)
def test_over_http_agents_share_what_their_namespace_holds(service: Service, mode: str) -> None:
    """The token is asked for, the header names the namespace, and a session is what a call says it is."""
    bearer = f"Bearer {TOKEN}"
    with connected(service.client(authorization=bearer), mode) as agent:
        assert agent.call("write_experience", **FAILURE, session_id="a")["ref"] == "E-1"
        (reminder,) = agent.call("retrieve", situation="clean the column, input []")["reminders"]
        assert reminder["exposure_id"] == ""
        asked = agent.call("retrieve", situation="clean the column, input []", session_id="b")
        agent.call("feedback", exposure_id=asked["reminders"][0]["exposure_id"], answer="refuted")
    other = {"authorization": bearer, "graphmem_namespace": "%E9%A1%B9%E7%9B%AE"}
    with connected(service.client(**other), mode) as agent:
        assert agent.call("retrieve", situation="clean the column, input []")["errors"] == []
        assert agent.call("status")["namespace"] == "项目"


def test_over_http_a_key_is_one_write_for_all_agents(service: Service) -> None:
    bearer = f"Bearer {TOKEN}"
    with (
        connected(service.client(authorization=bearer)) as one,
        connected(service.client(authorization=bearer)) as two,
    ):
        told = [agent.call("write_fact", statement="x", key="k") for agent in (one, two, one)]
        assert [item["created"] for item in told] == [True, False, False]
        assert one.call("status")["counts"]["FACT"] == 1


def test_over_http_without_the_token_nobody_is_let_in(service: Service) -> None:
    with pytest.raises(BaseException) as caught, connected(service.client()):  # noqa: PT011
        raise AssertionError("let in")
    assert "let in" not in repr(caught.value)
