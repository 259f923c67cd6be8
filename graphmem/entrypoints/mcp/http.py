"""The server over HTTP: POST /mcp of the service, under the same rules of token, origin and namespace as GraphQL."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from graphmem.domain.errors import BadInputError, GraphmemError, UnauthenticatedError
from graphmem.entrypoints import access
from graphmem.entrypoints.mcp.calls import Caller
from graphmem.entrypoints.mcp.server import Context, make_server
from graphmem.wiring import Services

MAX_BODY = 1_000_000
"""Bytes."""
_NAMESPACE = "graphmem.namespace"
"""Where the checked namespace stands in the scope of a request."""


class McpEndpoint:
    """An ASGI application. No session is kept between requests: an agent names its own with session_id."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Requests are answered inside of this; it can be entered again after it was left."""
        server = make_server(self._caller, self._services.settings.request_timeout_s)
        manager = StreamableHTTPSessionManager(
            app=server, json_response=True, stateless=True, max_request_body_size=MAX_BODY
        )
        async with manager.run():
            self._manager = manager
            yield
            self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check who asks, then let the protocol answer."""
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        assert self._manager is not None
        limit_s = self._services.settings.request_timeout_s
        with suppress(ClientDisconnect):
            await self._manager.handle_request(scope, _in_time(receive, limit_s), send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, settings = Headers(scope=scope), self._services.settings
        try:
            access.check_origin(headers, settings.token)
            access.check_token(headers, settings.token)
            scope[_NAMESPACE] = access.namespace_of(headers, settings)
        except access.ForbiddenError:
            return _answer(403, "FORBIDDEN", "this origin may not ask", "ask from this machine")
        except UnauthenticatedError as error:
            return _of_error(401, error, {"www-authenticate": "Bearer"})
        except GraphmemError as error:
            return _of_error(400, error)
        if scope["method"] != "POST":
            message, remedy = "only POST is answered: no stream is kept open", "post one message at a time"
            return _answer(405, BadInputError.code, message, remedy, {"allow": "POST"})
        return None

    def _caller(self, context: Context) -> Caller:
        return Caller(self._services, context.request.scope[_NAMESPACE])  # type: ignore[union-attr]


def _in_time(receive: Receive, limit_s: float) -> Receive:
    """The messages of a client; one whose body is not there in time counts as gone."""
    end = monotonic() + limit_s
    whole = False

    async def received() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout(end - monotonic()):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        return message

    return received


def _of_error(status: int, error: GraphmemError, headers: dict[str, str] | None = None) -> Response:
    return _answer(status, error.code, f"{error.field}: {error.message}".lstrip(": "), error.remedy, headers)


def _answer(
    status: int, code: str, message: str, remedy: str, headers: dict[str, str] | None = None
) -> Response:
    """A JSON-RPC error without an id, since the message was not read."""
    data: dict[str, Any] = {"code": code, "remedy": remedy}
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message, "data": data}}
    more = {"cache-control": "no-store", "x-content-type-options": "nosniff"} | (headers or {})
    return Response(json.dumps(body), status_code=status, headers=more, media_type="application/json")
