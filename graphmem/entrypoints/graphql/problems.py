"""Errors as callers see them: problems inside results, errors[] with a code, and masked surprises."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import strawberry
from graphql import GraphQLError

from graphmem.domain.errors import (
    AmbiguousError,
    BadInputError,
    ConflictError,
    GraphmemError,
    NotFoundError,
    TooLargeError,
)
from graphmem.services import surprises

_T = TypeVar("_T")
_SNAKE = re.compile(r"_([a-z0-9])")
_SUGGESTION = re.compile(r"\s*Did you mean.*", re.DOTALL)
_VARIABLE = re.compile(r"^Variable '\$(\w+)' has invalid value at ([^:]+): ")
_FREE = re.compile(r"(?:^|\.)metadata\.")
"""What follows is a key that the caller chose: it is not a field name of ours."""


@strawberry.interface(description="Why a call was refused, and what to do about it. Nothing was changed.")
class Problem:
    """What all refusals share."""

    code: str = strawberry.field(description="BAD_INPUT, TOO_LARGE, NOT_FOUND or CONFLICT.")
    message: str = strawberry.field(description="What is wrong.")
    field: str = strawberry.field(
        description="The input field it is about, such as causedBy[0].id; '' for none."
    )
    remedy: str = strawberry.field(description="What to do next.")


@strawberry.type(description="The call is malformed; sent again unchanged it cannot succeed.")
class InvalidInput(Problem):
    """BAD_INPUT."""

    candidates: list[str] = strawberry.field(
        default_factory=list, description="References that an ambiguous text fits."
    )


@strawberry.type(description="The call exceeds a documented limit.")
class TooLarge(Problem):
    """TOO_LARGE."""


@strawberry.type(description="No such memory in this namespace; a foreign id looks like an unknown one.")
class NotFound(Problem):
    """NOT_FOUND."""


@strawberry.type(description="The key was used for something else, or the memory changed since it was read.")
class Conflict(Problem):
    """CONFLICT."""


_KINDS: tuple[tuple[type[GraphmemError], type[Problem]], ...] = (
    (BadInputError, InvalidInput),
    (TooLargeError, TooLarge),
    (NotFoundError, NotFound),
    (ConflictError, Conflict),
)


def camel(path: str) -> str:
    """A field path of the domain in the names of the schema: caused_by[0].id becomes causedBy[0].id."""
    free = _FREE.search(path)
    own, rest = (path[: free.end()], path[free.end() :]) if free else (path, "")
    return _SNAKE.sub(lambda found: found[1].upper(), own) + rest


def outcome(work: Callable[[], _T]) -> _T | Any:
    """What work returns, or the problem that stopped it; what is no problem of the caller is raised on."""
    try:
        return work()
    except GraphmemError as error:
        if isinstance(error, AmbiguousError):
            return InvalidInput(**described(error), candidates=list(error.candidates))
        for kind, problem in _KINDS:
            if isinstance(error, kind):
                return problem(**described(error))
        raise


def described(error: GraphmemError) -> dict[str, str]:
    """The four parts of a problem, with the field named as in the schema."""
    return {"code": error.code, "message": error.message, "field": camel(error.field), "remedy": error.remedy}


def should_mask_error(error: GraphQLError) -> bool:
    """Whether an error is a surprise: what a caller can act upon, and GraphQL's own, is shown.

    What went wrong at a place of the document before anything ran is about the document itself.
    """
    original = _original(error)
    known = original is None or isinstance(original, GraphQLError | GraphmemError)
    return not known and not (error.path is None and error.nodes)


def presented(error: GraphQLError, request_id: str, suggest: bool) -> dict[str, Any]:
    """The error as it stands in errors[]; a surprise is masked and noted in the log without its words.

    suggest False cuts off "Did you mean": it would tell the schema to those who may not read it.
    """
    shown: dict[str, Any] = {"message": error.message, "extensions": {"code": BadInputError.code}}
    original = _original(error)
    if isinstance(original, GraphmemError):
        parts = described(original)
        parts["field"] = parts["field"] or _variable_part(error.message)
        shown = {"message": parts.pop("message"), "extensions": parts}
    elif should_mask_error(error):
        surprises.note(original, f"request {request_id}")
        shown = masked(request_id)
    else:
        shown["extensions"] |= error.extensions or {}
        if not suggest:
            shown["message"] = _SUGGESTION.sub("", error.message)
    if error.locations:
        shown["locations"] = [location.formatted for location in error.locations]
    if error.path:
        shown["path"] = error.path
    return shown


def masked(request_id: str) -> dict[str, Any]:
    """What a caller is told of a fault of ours."""
    return {
        "message": "internal error, its cause is in the log of the service",
        "extensions": {"code": "INTERNAL", "requestId": request_id},
    }


def failure(code: str, message: str, remedy: str, **more: str) -> Mapping[str, Any]:
    """A whole answer that holds one error and nothing else."""
    return {
        "data": None,
        "errors": [{"message": message, "extensions": {"code": code, "remedy": remedy, **more}}],
    }


def _variable_part(message: str) -> str:
    """Which part of a variable GraphQL's message is about, in the manner of a problem's field; '' for none."""
    found = _VARIABLE.match(message)
    if found is None:
        return ""
    return found[1] + found[2] if found[2].startswith("[") else found[2].removeprefix(".")


def _original(error: GraphQLError) -> BaseException | None:
    """The innermost cause: GraphQL wraps what resolvers and scalars raise, sometimes twice."""
    original: BaseException | None = error.original_error
    while isinstance(original, GraphQLError) and original.original_error is not None:
        original = original.original_error
    return original
