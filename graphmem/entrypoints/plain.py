"""Plain arguments of the Python door as what the services take; what does not fit is refused by its name.

None is the same as not given, a lone text is a list of one, and a cause may be named by a text alone: its ref or id,
`key:KEY` or `text:WORDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from graphmem.domain.drafts import ASSERTED_CONFIDENCE, CauseRef, Question, SituationKeys
from graphmem.domain.errors import BadInputError

_D = TypeVar("_D")
_E = TypeVar("_E", bound=Enum)
_WORDS = {str: "a text", bool: "True or False", int: "a whole number", float: "a number"}
_KEYS = tuple(field.name for field in fields(SituationKeys))


def cause_of(text: str, confidence: float = ASSERTED_CONFIDENCE, note: str = "") -> CauseRef:
    """A cause named by ref or id, by key:KEY or by text:WORDS."""
    kind, _, rest = text.partition(":")
    if kind == "key":
        return CauseRef(key=rest, confidence=confidence, note=note)
    if kind == "text":
        return CauseRef(text=rest, confidence=confidence, note=note)
    return CauseRef(id=text, confidence=confidence, note=note)


def drafted(draft: type[_D], given: Mapping[str, Any]) -> _D:
    """A value of a draft's type. Raises BadInputError for an unknown name, a wrong type, or one that is missing."""
    said = fitting(draft, given)
    for field in fields(draft):  # type: ignore[arg-type]
        if field.name not in said and field.default is MISSING and field.default_factory is MISSING:
            raise BadInputError("is required", field=field.name, remedy="give it")
    return draft(**said)


def question(situation: str, given: Mapping[str, Any]) -> Question:
    """What is asked; agent, planned_action, tool and task_type stand beside the rest. Raises BadInputError."""
    flat = {name: value for name, value in given.items() if name in _KEYS}
    rest = {name: value for name, value in given.items() if name not in _KEYS}
    keys = fitting(SituationKeys, flat)
    try:
        asked = drafted(Question, {"situation": situation, **rest})
    except BadInputError as error:
        raise _with_keys(error) from error
    return replace(asked, keys=replace(asked.keys, **keys)) if keys else asked


def fitting(target: type | Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name as a draft or a verb takes them, those that are None left out. Raises BadInputError."""
    hints = _hints(target)
    for name in given:
        if name not in hints:
            known = ", ".join(hints)
            raise BadInputError("there is no such argument", field=name, remedy=f"arguments are {known}")
    return {name: _fit(name, hints[name], value) for name, value in given.items() if value is not None}


def member(name: str, kind: type[_E], value: Any) -> _E:
    """The member of an enumeration that a word names, in any case. Raises BadInputError naming the field."""
    if isinstance(value, kind):
        return value
    word = value.upper() if isinstance(value, str) else ""
    if word in kind.__members__:
        return kind[word]
    what = name.removeprefix("min_")
    raise BadInputError(f"{value!r} is no {what}", field=name, remedy=f"one of {', '.join(kind.__members__)}")


@cache
def _hints(target: Any) -> dict[str, Any]:
    return {
        name: hint for name, hint in get_type_hints(target).items() if name not in ("return", "namespace")
    }


def _with_keys(error: BadInputError) -> BadInputError:
    if not error.remedy.startswith("arguments are"):
        return error
    return BadInputError(error.message, field=error.field, remedy=", ".join((error.remedy, *_KEYS)))


def _fit(name: str, hint: Any, value: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        (inner,) = (one for one in get_args(hint) if one is not NoneType)
        return _fit(name, inner, value)
    if origin is tuple:
        several = value if isinstance(value, list | tuple | set | frozenset) else [value]
        return tuple(_fit(name, get_args(hint)[0], one) for one in several)
    if isinstance(origin, type):
        return _instance(name, origin, value)
    if hint is CauseRef and isinstance(value, str):
        return cause_of(value)
    if issubclass(hint, Enum):
        return member(name, hint, value)
    if hint is float and type(value) is int:
        return float(value)
    if hint in (int, float) and isinstance(value, bool):
        raise _wrong(name, _WORDS[hint], value)
    return _instance(name, hint, value)


def _instance(name: str, kind: type, value: Any) -> Any:
    if isinstance(value, kind):
        return value
    raise _wrong(name, _WORDS.get(kind, f"a {kind.__name__}"), value)


def _wrong(name: str, wanted: str, value: Any) -> BadInputError:
    return BadInputError(f"must be {wanted}, not a {type(value).__name__}", field=name, remedy="convert it")
