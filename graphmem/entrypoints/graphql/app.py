"""The service: routes, health, and the server that runs them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from graphmem._version import __version__
from graphmem.domain.errors import BadInputError, GraphmemError
from graphmem.entrypoints import access
from graphmem.entrypoints.graphql import problems
from graphmem.entrypoints.graphql.endpoint import Endpoint, Workers, json_response
from graphmem.entrypoints.graphql.schema import schema
from graphmem.entrypoints.mcp.http import McpEndpoint
from graphmem.services import surprises
from graphmem.wiring import Services

_PAGE = """graphmem answers GraphQL here, by POST:

  curl {address} -H 'content-type: application/json' -d '{{"query": "{{ status {{ namespace revision }} }}"}}'

Another namespace: -H 'graphmem-namespace: NAME'. A token, where one is set: -H 'authorization: Bearer TOKEN'.
The schema is printed by `graphmem schema`.
"""


class _Pages:
    """What is answered besides POST /graphql."""

    def __init__(self, services: Services, workers: Workers) -> None:
        self._services = services
        self._workers = workers

    async def usage(self, request: Request) -> Response:
        """GET /graphql: how to ask. A query in the address is refused: addresses end up in logs."""
        if "query" in request.query_params:
            answer = problems.failure(
                BadInputError.code, "queries are not taken from the address", "send them by POST"
            )
            response = json_response(answer, 405)
            response.headers["allow"] = "POST"
            return response
        address = f"{request.url.scheme}://{request.url.netloc}{request.url.path}"
        return PlainTextResponse(_PAGE.format(address=address))

    async def health(self, request: Request) -> Response:
        """GET /healthz: the process is alive."""
        return json_response({"alive": True, "version": __version__}, 200)

    async def ready(self, request: Request) -> Response:
        """GET /readyz: the store answers and the index of the default namespace follows it."""
        try:
            found = await self._workers.run(
                lambda: self._services.inspect.status(self._services.settings.namespace)
            )
        except (GraphmemError, TimeoutError) as error:
            code = error.code if isinstance(error, GraphmemError) else "UNAVAILABLE"
            return json_response({"ready": False, "code": code}, 503)
        except Exception as error:
            surprises.note(error, "readyz")
            return json_response({"ready": False, "code": "INTERNAL"}, 503)
        answer = {
            "ready": True,
            "revision": found.revision,
            "indexRevision": found.index_revision,
            "embedder": found.embedder,
            "mode": found.mode.value,
        }
        return json_response(answer, 200)


def create_app(services: Services) -> Starlette:
    """The service over the given verbs; whoever made them closes them."""
    schema(services.settings.introspection)  # built here, so that the first request need not wait for it
    workers = Workers(services.settings.request_timeout_s)
    endpoint, pages, mcp = Endpoint(services, workers), _Pages(services, workers), McpEndpoint(services)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        services.worker.start()
        async with mcp.running():
            yield
        services.worker.stop()
        workers.close()

    return Starlette(
        routes=[
            Route("/graphql", endpoint.post, methods=["POST"]),
            Route("/graphql", pages.usage, methods=["GET"]),
            Route("/mcp", mcp),
            Route("/healthz", pages.health, methods=["GET"]),
            Route("/readyz", pages.ready, methods=["GET"]),
        ],
        lifespan=lifespan,
    )


def serve(services: Services, host: str, port: int) -> None:
    """Run the service until it is told to stop.

    Raises BadInputError for a host beyond loopback without a token: it would be open to everyone.
    """
    if not access.is_loopback(host) and not services.settings.token:
        raise BadInputError(
            f"{host!r} can be reached from other machines, and no token is set",
            field="host",
            remedy="set GRAPHMEM_TOKEN to a long random text, or bind 127.0.0.1",
        )
    app = create_app(services)
    uvicorn.run(
        app, host=host, port=port, access_log=False, server_header=False, ws="none", log_level="warning"
    )
