"""The server over standard input and output: one process, one agent, one session."""

from __future__ import annotations

import secrets
from contextlib import suppress

import anyio
from mcp.server.stdio import stdio_server

from graphmem.domain.errors import GraphmemError
from graphmem.entrypoints.mcp.calls import Caller
from graphmem.entrypoints.mcp.server import make_server
from graphmem.wiring import Services


def serve(services: Services) -> None:
    """Answer until standard input ends. The session that calls belong to by default is over then."""
    namespace, session_id = services.settings.namespace, f"mcp-{secrets.token_hex(8)}"
    caller = Caller(services, namespace, session_id)
    services.worker.start()
    try:
        anyio.run(_serve, caller)
    finally:
        services.worker.stop()
        with suppress(GraphmemError):
            services.sessions.end(namespace, session_id)


async def _serve(caller: Caller) -> None:
    server = make_server(lambda _: caller, caller.services.settings.request_timeout_s)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
