"""Refusals as a model can act on them: a code, what is wrong, where, and what to do. No stack, no type of ours."""

from __future__ import annotations

import re

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ValidationError

from graphmem.domain.errors import AmbiguousError, BadInputError, GraphmemError, UnavailableError
from graphmem.services.surprises import note

_UNKNOWN = "extra_forbidden"
_LACKING = "missing"
_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


class Problem(BaseModel):
    """Why a call was refused. code: as of GraphmemError, or INTERNAL; candidates: refs that a text fits."""

    code: str
    message: str
    field: str = ""
    remedy: str = ""
    candidates: list[str] = []


def refused(problem: Problem) -> CallToolResult:
    """The problem as text and as data."""
    where = f"{problem.field}: " if problem.field else ""
    then = f" What to do: {problem.remedy}." if problem.remedy else ""
    text = f"{problem.code}: {where}{problem.message}.{then}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=problem.model_dump(),
        is_error=True,
    )


def of_error(error: GraphmemError) -> Problem:
    """The problem that an error of ours is, its field named as the arguments are: maxHops is max_hops here."""
    candidates = list(error.candidates) if isinstance(error, AmbiguousError) else []
    return Problem(
        code=error.code,
        message=error.message,
        field=_CAPITAL.sub(lambda found: f"_{found[0].lower()}", error.field),
        remedy=error.remedy,
        candidates=candidates,
    )


def of_arguments(error: ValidationError, known: list[str]) -> Problem:
    """What is wrong with arguments, an unknown name before what it left out; what was sent is not repeated."""
    wrong = error.errors(include_url=False, include_input=False, include_context=False)
    first = next((one for one in wrong if one["type"] == _UNKNOWN), wrong[0])
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    if first["type"] == _UNKNOWN:
        return Problem(
            code=BadInputError.code,
            message="there is no such argument",
            field=field,
            remedy=f"arguments are {', '.join(known)}" if known else "send no arguments",
        )
    if first["type"] == _LACKING:
        return Problem(code=BadInputError.code, message="is required", field=field, remedy="give it")
    return Problem(
        code=BadInputError.code,
        message=first["msg"],
        field=field,
        remedy="see the tool's input schema",
    )


def of_silence() -> Problem:
    """No answer within the time of a request."""
    return Problem(
        code=UnavailableError.code,
        message="no answer in time; the outcome is unknown",
        remedy="retry with the same key and arguments",
    )


def of_surprise(error: BaseException, request_id: str) -> Problem:
    """A fault of ours, noted in the log without its words."""
    note(error, f"request {request_id}")
    return Problem(
        code="INTERNAL",
        message=f"internal error, its cause is in the log of the service under {request_id}",
        remedy="go on without the memory, and tell the user",
    )
