"""The body of a request: read up to a limit, decoded strictly, taken apart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from graphmem.domain.errors import BadInputError, TooLargeError

MAX_BODY = 1_000_000
"""Bytes."""
MAX_NESTING = 32
"""Of objects and lists in the body."""


class MediaTypeError(Exception):
    """The body is not announced as JSON: this also keeps forms of foreign web pages out."""


@dataclass(frozen=True)
class Operation:
    """What a client wants executed."""

    query: str
    variables: dict[str, Any] | None
    name: str | None


async def read(request: Request) -> bytes:
    """The body. Raises MediaTypeError; TooLargeError once more than MAX_BODY bytes are announced or sent."""
    media, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if media.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
        raise MediaTypeError
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced) > MAX_BODY:
        raise _too_large()
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise _too_large()
        parts.append(part)
    return b"".join(parts)


def operation(body: bytes) -> Operation:
    """What the body asks for. Raises BadInputError, and TooLargeError when it is nested too deeply."""
    data = _decoded(body)
    if not isinstance(data, dict):
        raise BadInputError("the body must be one JSON object", remedy='send {"query": "..."}; no batches')
    query, variables, name = data.get("query"), data.get("variables"), data.get("operationName")
    if not isinstance(query, str) or not query.strip():
        raise BadInputError("must be a text", field="query", remedy="send a GraphQL document")
    if not (variables is None or isinstance(variables, dict)):
        raise BadInputError("must be an object", field="variables", remedy="leave it out, or send an object")
    if not (name is None or isinstance(name, str)):
        raise BadInputError(
            "must be a text", field="operationName", remedy="leave it out, or name an operation"
        )
    return Operation(query=query, variables=variables, name=name or None)


def _decoded(body: bytes) -> Any:
    try:
        data = json.loads(body.decode(), parse_constant=_refuse_constant, object_pairs_hook=_distinct)
    except RecursionError as error:
        raise _too_deep() from error
    except UnicodeDecodeError as error:
        raise BadInputError("the body is not UTF-8", remedy="send UTF-8 JSON") from error
    except ValueError as error:
        raise BadInputError("the body is no valid JSON", remedy="send UTF-8 JSON") from error
    _check_nesting(data)
    return data


def _check_nesting(data: Any) -> None:
    """Level by level, without recursion. Raises TooLargeError."""
    level: list[Any] = [data]
    for _ in range(MAX_NESTING):
        level = [inner for item in level for inner in _contained(item)]
        if not level:
            return
    raise _too_deep()


def _contained(item: Any) -> Iterable[Any]:
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadInputError("a JSON object has the same key twice", remedy="send each key once")
    return found


def _refuse_constant(name: str) -> None:
    raise BadInputError(f"{name} is no JSON", remedy="send null or a string")


def _too_large() -> TooLargeError:
    return TooLargeError(f"the body has more than {MAX_BODY} bytes", remedy="split the call")


def _too_deep() -> TooLargeError:
    return TooLargeError(f"the body is nested deeper than {MAX_NESTING}", remedy="flatten it")
