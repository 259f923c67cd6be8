"""Texts that `-` stands for: what comes on standard input, as other programs of the shell have it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, TypeVar, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from graphmem.domain.errors import BadInputError

DASH = "-"
_MARK = "takes_standard_input"
_Options = TypeVar("_Options", bound=Any)


def piped(info: Any) -> Any:
    """The argument or option, marked as a text that may come on standard input."""
    setattr(info, _MARK, True)
    return info


def is_piped(info: object) -> bool:
    """Whether `-` stands for standard input there."""
    return getattr(info, _MARK, False)


def piped_fields(options: type[Any]) -> tuple[str, ...]:
    """The fields of a class of options that are such texts."""
    hints = get_type_hints(options, include_extras=True)
    return tuple(
        name
        for name, hint in hints.items()
        if any(is_piped(part) for part in get_args(hint) if isinstance(part, ArgumentInfo | OptionInfo))
    )


def from_standard_input(options: _Options) -> _Options:
    """The options with the text of standard input, without its last line ends, in place of a `-`.

    Raises BadInputError where two of them ask for it, and for bytes that are no text.
    """
    asking = [name for name in piped_fields(type(options)) if getattr(options, name) == DASH]
    if not asking:
        return options
    if len(asking) > 1:
        raise BadInputError(
            f"standard input is taken by {asking[0]} already",
            field=asking[1],
            remedy="say one of the two in words",
        )
    try:
        text = sys.stdin.read()
    except UnicodeDecodeError as error:
        raise BadInputError("standard input is no text", field=asking[0], remedy="send UTF-8") from error
    return replace(options, **{asking[0]: text.rstrip("\r\n")})
