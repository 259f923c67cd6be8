"""The server behind both transports: it lists the tools, checks arguments, and runs the verbs in threads."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from pydantic import ValidationError

from graphmem._version import __version__
from graphmem.domain.errors import GraphmemError
from graphmem.entrypoints.mcp import refusals
from graphmem.entrypoints.mcp.answers import Answer
from graphmem.entrypoints.mcp.calls import Caller
from graphmem.entrypoints.mcp.refusals import Problem, refused
from graphmem.entrypoints.mcp.tools import INSTRUCTIONS, TOOLS, Described

NAME = "graphmem"
TITLE = "graphmem: a memory of own mistakes"

Context = ServerRequestContext[Any, Any]


class Tools:
    """Answers the two requests that matter. caller_of: who calls, told by the request."""

    def __init__(self, caller_of: Callable[[Context], Caller], timeout_s: float) -> None:
        self._caller_of = caller_of
        self._timeout_s = timeout_s
        self._known = {tool.name: tool for tool in TOOLS}
        self._listed = [tool.published() for tool in TOOLS]

    async def list(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        """All of them, on one page."""
        return ListToolsResult(tools=self._listed)

    async def call(self, context: Context, asked: CallToolRequestParams) -> CallToolResult:
        """What a tool answers, or why not."""
        tool = self._known.get(asked.name)
        if tool is None:
            message, remedy = "there is no such tool", f"tools are {', '.join(self._known)}"
            return refused(Problem(code="NOT_FOUND", message=message, field="name", remedy=remedy))
        try:
            arguments = tool.arguments.model_validate(asked.arguments or {})
            answer = await self._run(tool, self._caller_of(context), arguments)
        except ValidationError as error:
            return refused(refusals.of_arguments(error, list(tool.arguments.model_fields)))
        except GraphmemError as error:
            return refused(refusals.of_error(error))
        except TimeoutError:
            return refused(refusals.of_silence())
        except Exception as error:
            return refused(refusals.of_surprise(error, secrets.token_hex(8)))
        return _told(answer)

    async def _run(self, tool: Described, caller: Caller, arguments: object) -> Answer:
        with anyio.fail_after(self._timeout_s):
            return await anyio.to_thread.run_sync(tool.run, caller, arguments, abandon_on_cancel=True)


def make_server(caller_of: Callable[[Context], Caller], timeout_s: float) -> Server[Any]:
    """The server, not running yet."""
    tools = Tools(caller_of, timeout_s)
    return Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
    )


def _told(answer: Answer) -> CallToolResult:
    """The answer as data, and as the text of the same data for clients that read only that."""
    data = answer.model_dump(mode="json")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)
