"""POST /graphql: one request in, one JSON answer out, whatever happens."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionResult

from graphmem.domain.errors import (
    BadInputError,
    GraphmemError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
)
from graphmem.entrypoints import access
from graphmem.entrypoints.graphql import bodies, problems
from graphmem.entrypoints.graphql.context import Context
from graphmem.entrypoints.graphql.schema import schema
from graphmem.services import surprises
from graphmem.wiring import Services

THREADS = 32
"""Requests that are worked on at once; further ones wait, up to the request's time."""

_T = TypeVar("_T")
_STATUS: Mapping[str, int] = {
    UnauthenticatedError.code: 401,
    TooLargeError.code: 413,
    UnavailableError.code: 503,
}


@dataclass
class Workers:
    """The threads that services run in: the event loop never waits for a store."""

    timeout_s: float
    _pool: ThreadPoolExecutor | None = field(default=None, repr=False)

    async def run(self, work: Callable[[], _T]) -> _T:
        """What work returns. Raises TimeoutError after timeout_s; what has begun then ends by itself."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="graphmem-graphql")
        started = asyncio.get_running_loop().run_in_executor(self._pool, work)
        return await asyncio.wait_for(started, self.timeout_s)

    def close(self) -> None:
        """Let the threads end; a later run starts new ones."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class Endpoint:
    """Answers GraphQL requests."""

    services: Services
    workers: Workers

    async def post(self, request: Request) -> Response:
        """Check who asks, read, execute, answer. Nothing that goes wrong escapes as anything but JSON."""
        request_id = secrets.token_hex(8)
        try:
            status, answer = await self._answered(request, request_id)
        except access.ForbiddenError:
            origins = "pages of this machine, and with GRAPHMEM_TOKEN set those of this host"
            status, answer = (
                403,
                problems.failure("FORBIDDEN", "this origin may not ask", f"allowed: {origins}"),
            )
        except bodies.MediaTypeError:
            message, remedy = "the body must be JSON", "send 'Content-Type: application/json' in UTF-8"
            status, answer = 415, problems.failure(BadInputError.code, message, remedy)
        except ClientDisconnect:
            message, remedy = "the body was cut off", "send it again with the same key"
            status, answer = 400, problems.failure(BadInputError.code, message, remedy)
        except TimeoutError:
            message, remedy = "no answer in time; the outcome is unknown", "retry with the same key"
            status, answer = 503, problems.failure(UnavailableError.code, message, remedy)
        except GraphmemError as error:
            status = _STATUS.get(error.code, 400)
            answer = problems.failure(error.code, error.message, error.remedy, field=error.field)
        except Exception as error:
            surprises.note(error, f"request {request_id}")
            status, answer = 500, {"data": None, "errors": [problems.masked(request_id)]}
        return json_response(answer, status, request_id)

    async def _answered(self, request: Request, request_id: str) -> tuple[int, Mapping[str, Any]]:
        settings = self.services.settings
        access.check_origin(request.headers, settings.token)
        access.check_token(request.headers, settings.token)
        namespace = access.namespace_of(request.headers, settings)
        async with asyncio.timeout(self.workers.timeout_s):
            body = await bodies.read(request)
        context = Context(services=self.services, namespace=namespace, request_id=request_id)
        return await self.workers.run(lambda: self._executed(body, context))

    def _executed(self, body: bytes, context: Context) -> tuple[int, Mapping[str, Any]]:
        """In a worker thread: decode, parse, validate and run."""
        wanted = bodies.operation(body)
        suggest = self.services.settings.introspection
        try:
            result = schema(suggest).execute_sync(
                wanted.query,
                variable_values=wanted.variables,
                context_value=context,
                operation_name=wanted.name,
            )
        except (CannotGetOperationTypeError, InvalidOperationTypeError) as error:
            raise BadInputError(
                "names no operation of the document, or several are left to choose from",
                field="operationName",
                remedy="name one operation that the document has",
            ) from error
        return _shown(result, context.request_id, suggest)


def json_response(answer: Mapping[str, Any], status: int, request_id: str = "") -> Response:
    """The answer as UTF-8 JSON; half a surrogate pair, which UTF-8 cannot hold, stays escaped."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    if request_id:
        headers["x-request-id"] = request_id
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    body = text.encode("utf-8", "backslashreplace")
    return Response(body, status_code=status, headers=headers, media_type="application/json")


def _shown(result: ExecutionResult, request_id: str, suggest: bool) -> tuple[int, Mapping[str, Any]]:
    """The answer and its HTTP status: 400 where nothing was executed, 503 where the store gave no answer."""
    if not result.errors:
        return 200, {"data": result.data}
    errors = [problems.presented(error, request_id, suggest) for error in result.errors]
    if result.data is None and not any(error.path for error in result.errors):
        return 400, {"data": None, "errors": errors}
    away = any(error["extensions"]["code"] == UnavailableError.code for error in errors)
    return (503 if away else 200), {"data": result.data, "errors": errors}
