"""Domain values as canonical JSON and back, and digests over them.

Canonical: keys sorted, defaults left out, times as ISO 8601 in UTC with microseconds, enums by value.
Two stores that hold equal memories hold equal bytes, so a copy can be checked by its digest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from enum import Enum, IntEnum
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from graphmem.domain.causation import EDGE_KINDS, Edge, EdgeKind
from graphmem.domain.memories import KINDS, Json, Memory, MemoryKind

_T = TypeVar("_T")
_K = TypeVar("_K", MemoryKind, EdgeKind)
_OMITTED = frozenset({"vectors", "revision"})
"""Fields of a memory that are kept beside its JSON, not in it."""
_FITTING: Mapping[type[Any], type[Any] | tuple[type[Any], ...]] = {bool: bool, int: int, float: (int, float)}
"""What JSON may hold for a plain hint; a bool is no number."""
_UNFIT = (AttributeError, KeyError, TypeError, ValueError)
"""What reading data raises that is not what encode() made."""
_SHOWN = 40


def _per_class(make: Callable[[Any], _T]) -> Callable[[Any], _T]:
    known: dict[Any, _T] = {}

    def lookup(cls: Any) -> _T:
        if cls not in known:
            known[cls] = make(cls)
        return known[cls]

    return lookup


def encode(value: Any) -> Json:
    """A domain value as JSON data; fields that hold their default are left out."""
    return _encoder(type(value))(value)


@_per_class
def _encoder(cls: type[Any]) -> Callable[[Any], Json]:
    if issubclass(cls, Enum):
        return attrgetter("name" if issubclass(cls, IntEnum) else "value")
    if issubclass(cls, datetime):
        return lambda value: value.astimezone(UTC).isoformat(timespec="microseconds")
    if issubclass(cls, tuple | list):
        return lambda value: [encode(item) for item in value]
    if issubclass(cls, Mapping):
        return lambda value: {str(key): encode(item) for key, item in value.items()}
    return _encode_fields if hasattr(cls, "__dataclass_fields__") else lambda value: value


def _encode_fields(value: Any) -> dict[str, Json]:
    encoded = {}
    for name, default in _defaults(type(value)):
        item = getattr(value, name)
        if default is MISSING or item != default:
            encoded[name] = encode(item)
    return encoded


@_per_class
def _defaults(cls: Any) -> tuple[tuple[str, Any], ...]:
    omitted = _OMITTED if issubclass(cls, Memory) else frozenset()
    return tuple(
        (item.name, item.default_factory() if item.default_factory is not MISSING else item.default)
        for item in fields(cls)
        if item.name not in omitted
    )


def decode(cls: type[_T], data: Mapping[str, Json], **beside: Any) -> _T:
    """The dataclass value that encode() made data from. beside: fields that are kept elsewhere, as they are.

    Raises ValueError on other data, saying what is wrong.
    """
    converters = _converters(cls)
    try:
        return cls(
            **{
                name: item if (convert := converters[name]) is None else convert(item)
                for name, item in data.items()
            }
            | beside
        )
    except _UNFIT as error:
        raise ValueError(_unfit(cls, data)) from error


def _unfit(cls: Any, data: Json) -> str:
    """What keeps data from being a value of the class."""
    if not isinstance(data, Mapping):
        return f"{shortened(data)} is no JSON object"
    converters = _converters(cls)
    for name, item in data.items():
        if name not in converters:
            return f"{name} is no field"
        try:
            (converters[name] or str)(item)
        except _UNFIT:
            return f"{name} is {shortened(item)}"
    required = (item.name for item in fields(cls) if item.default is item.default_factory is MISSING)
    return f"{next(name for name in required if name not in data)} is missing"


def shortened(value: Json) -> str:
    """A value as a person reads it in one line, at most 40 characters of it."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


@_per_class
def _converters(cls: Any) -> dict[str, Callable[[Json], Any] | None]:
    """How each field is read back; None: as it is."""
    return {name: _converter(hint) for name, hint in get_type_hints(cls).items()}


def _converter(hint: Any) -> Callable[[Json], Any] | None:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        inner = _converter(next(arg for arg in get_args(hint) if arg is not NoneType))
        return inner and (lambda data: None if data is None else inner(data))
    if origin is tuple:
        return partial(_items, _converter(get_args(hint)[0]))
    if origin is Mapping:
        return partial(_values, _converter(get_args(hint)[1]))
    if origin is not None or not isinstance(hint, type):
        return None
    if hint is str:
        return _text
    if hint in _FITTING:
        return partial(_plain, hint)
    if hint is datetime:
        return _moment
    if issubclass(hint, IntEnum):
        return hint.__getitem__
    if issubclass(hint, Enum):
        return hint
    return partial(decode, hint) if hasattr(hint, "__dataclass_fields__") else None


def _items(convert: Callable[[Json], Any] | None, data: Json) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise TypeError("no list")
    return tuple(data) if convert is None else tuple(convert(item) for item in data)


def _values(convert: Callable[[Json], Any] | None, data: Json) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise TypeError("no object")
    return data if convert is None else {key: convert(item) for key, item in data.items()}


def _text(data: Json) -> str:
    if type(data) is not str:  # apart from _plain(): most of what is read is text
        raise TypeError("no text")
    return data


def _plain(hint: type[Any], data: Json) -> Any:
    if type(data) is not hint and (isinstance(data, bool) or not isinstance(data, _FITTING[hint])):
        raise TypeError(f"no {hint.__name__}")
    return data


def _moment(data: Json) -> datetime:
    at = datetime.fromisoformat(data)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at


def canonical(data: Json) -> str:
    """JSON text with sorted keys and no spaces. Raises ValueError on NaN and infinity."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def memory_json(memory: Memory) -> str:
    """A memory as canonical JSON, without vectors and revision."""
    return canonical({"kind": memory.kind.value, **encode(memory)})


def memory_from_json(text: str, **beside: Any) -> Memory:
    """The memory that memory_json() wrote. beside: its revision and vectors, else it has 0 and none.

    Raises ValueError for other text.
    """
    return memory_from_data(json.loads(text), **beside)


def memory_from_data(data: Mapping[str, Json], **beside: Any) -> Memory:
    """The memory whose parsed JSON this is, with what is kept beside it. Raises ValueError for other data."""
    kind, own = _split(data, MemoryKind)
    return decode(KINDS[kind], own, **beside)


def edge_json(edge: Edge) -> str:
    """An edge with its evidence and verdicts as canonical JSON."""
    return canonical({"kind": edge.kind.value, **encode(edge)})


def edge_from_json(text: str) -> Edge:
    """The edge that edge_json() wrote. Raises ValueError for other text."""
    kind, own = _split(json.loads(text), EdgeKind)
    return decode(EDGE_KINDS[kind], own)


def _split(data: Mapping[str, Json], kinds: type[_K]) -> tuple[_K, dict[str, Json]]:
    """The kind that stands in the data, and the rest."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{shortened(data)} is no JSON object")
    own = dict(data)
    try:
        return kinds(own.pop("kind")), own
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"kind is {shortened(data['kind'])}" if "kind" in data else "kind is missing"
        ) from error


def digest(text: str, *blobs: bytes) -> int:
    """64-bit hash of one item; digests of a set of items are added modulo 2**64."""
    hashed = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    for blob in blobs:
        hashed.update(len(blob).to_bytes(8, "little"))
        hashed.update(blob)
    return int.from_bytes(hashed.digest(), "little")


def memory_digest(memory: Memory, text: str = "") -> int:
    """64-bit hash of a memory with its vectors, without its revision. text: its memory_json(), if that is at hand."""
    return digest(text or memory_json(memory), *(memory.vectors[name] for name in sorted(memory.vectors)))


def edge_digest(edge: Edge, text: str = "") -> int:
    """64-bit hash of an edge with its evidence and verdicts. text: its edge_json(), if that is at hand."""
    return digest(text or edge_json(edge))
