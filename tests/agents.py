"""An agent that uses the memory through the MCP SDK's own client, whatever the transport."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp_types import CallToolResult, Tool

from graphmem.entrypoints.mcp.calls import Caller
from graphmem.entrypoints.mcp.server import make_server
from graphmem.wiring import Services
from tests.builders import NS

SESSION = "s-1"


class Agent:
    """A connection. The client checks every answer against the published schema of its tool.

    patience: how often a call that was told UNAVAILABLE is made again, as that refusal asks; writes need a key then.
    """

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client
        self.patience = 0

    @property
    def instructions(self) -> str | None:
        """What the server tells when a client connects."""
        return self._client.instructions

    def tools(self) -> list[Tool]:
        """What is listed."""
        return self._portal.call(self._client.list_tools).tools

    def result(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """What came back."""
        return self._portal.call(self._client.call_tool, tool, arguments)

    def call(self, verb: str, /, **arguments: Any) -> dict[str, Any]:
        """What a tool answers; the text for clients that read no data must say the same."""
        found = self.result(f"memory_{verb}", arguments)
        for _ in range(self.patience):
            if not found.is_error or found.structured_content["code"] != "UNAVAILABLE":
                break
            found = self.result(f"memory_{verb}", arguments)
        assert not found.is_error, found
        assert json.loads(text_of(found)) == found.structured_content
        data: dict[str, Any] = found.structured_content
        return data

    def refusal(self, verb: str, /, **arguments: Any) -> dict[str, Any]:
        """The problem that stops a call; its text must hold code, message and what to do."""
        found = self.result(f"memory_{verb}", arguments)
        assert found.is_error, found
        problem: dict[str, Any] = found.structured_content
        assert problem["remedy"]
        assert text_of(found).startswith(f"{problem['code']}: ")
        assert all(problem[part] in text_of(found) for part in ("message", "field", "remedy"))
        return problem

    def refused(self, verb: str, /, **arguments: Any) -> str:
        """Code and field of that problem."""
        problem = self.refusal(verb, **arguments)
        return f"{problem['code']} {problem['field']}"


def text_of(result: CallToolResult) -> str:
    """The only text block of a result."""
    (block,) = result.content
    assert block.type == "text"
    return block.text


@contextmanager
def connected(server: Any, mode: str = "auto") -> Iterator[Agent]:
    """An agent at a server, a URL, or a program to start."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, mode=mode)) as client,
    ):
        yield Agent(portal, client)


@contextmanager
def agent_of(services: Services, namespace: str = NS, timeout_s: float = 60.0) -> Iterator[Agent]:
    """An agent in the same process, in a session of its own."""
    with connected(make_server(lambda _: Caller(services, namespace, SESSION), timeout_s)) as found:
        yield found
