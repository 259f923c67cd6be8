"""Memories as flat properties that a person can read, and back without a loss.

A field is a property of its name; the parts of a writer or root cause carry its name before theirs
(writer_id, root_cause_type); metadata is one JSON text. Fields that hold an empty default are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from enum import Enum
from functools import partial
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from graphmem.adapters.neo4j.values import UNREADABLE, instant, moment, numbers, parsed, unsigned, vector
from graphmem.domain.encoding import canonical, encode, shortened
from graphmem.domain.memories import KINDS, Memory, MemoryKind, RootCause, SearchField
from graphmem.domain.rules import counts_as_evidence
from graphmem.ports.queries import Damage

VECTORS = {
    SearchField.TEXT: "embedding",
    SearchField.SITUATION: "situation_embedding",
    SearchField.OUTCOME: "outcome_embedding",
}
"""The property of each vector."""

_EMPTY: tuple[object, ...] = (None, "", (), [], {})
_NAMES = {(RootCause, "summary"): ""}
"""Parts whose property carries the name of the whole: root_cause is the summary, as a pattern's is."""


class Stored(NamedTuple):
    """A memory with vectors and revision, and the digest that it was counted with."""

    memory: Memory
    digest: int


class _Field(NamedTuple):
    """How one field is written and read. parts: those of a value that is made of several properties."""

    name: str
    property: str
    default: Any
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    made_of: Any


def properties_of(memory: Memory, digest: int) -> dict[str, Any]:
    """All properties of a memory's node. digest is the signed one.

    kind, text, episode and evidence follow from the others: for queries, and for people.
    """
    own: dict[str, Any] = {"kind": memory.kind.value, "text": memory.text, "digest": digest}
    own |= {"episode": memory.episode, "evidence": counts_as_evidence(memory)}
    own |= {VECTORS[name]: numbers(data) for name, data in memory.vectors.items()}
    return own | _written(memory, "")


def _written(value: Any, prefix: str) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for field in _fields(type(value), prefix):
        item = getattr(value, field.name)
        if item in _EMPTY and item == field.default:
            continue
        if field.made_of is not None:
            written |= _written(item, field.property + "_")
        else:
            written[field.property] = field.write(item)
    return written


def stored_from(properties: Mapping[str, Any]) -> Stored | None:
    """The memory of a node's properties; None for a node that is none, whoever made or edited it.

    A property that holds something else than it should is read as if it were missing.
    """
    try:
        cls = KINDS[MemoryKind(properties["kind"])]
        memory = cls(**_given(cls, properties, ""), vectors=_vectors(properties))
        return Stored(memory, unsigned(properties["digest"]))
    except UNREADABLE:
        return None


def damage_of(properties: Mapping[str, Any]) -> Damage | None:
    """What is wrong with the node of a memory; None when nothing is."""
    name = str(properties.get("ref") or properties.get("id") or "a node without ref and id")
    if properties.get("kind") not in list(MemoryKind):
        return Damage(name=name, why=_said(properties, "kind"))
    cls = KINDS[MemoryKind(properties["kind"])]
    spoilt: list[str] = []
    given = _given(cls, properties, "", spoilt)
    required = [field.name for field in _fields(cls, "") if field.default is MISSING]
    lacking = [name for name in required if name not in given]
    lacking += [] if isinstance(properties.get("digest"), int) else ["digest"]
    lacking += [] if isinstance(properties.get("revision"), int) else ["revision"]
    if wrong := lacking or spoilt:
        return Damage(name=name, why="; ".join(_said(properties, key) for key in wrong), whole=bool(lacking))
    return None


def _said(properties: Mapping[str, Any], key: str) -> str:
    value = properties.get(key)
    return f"{key} is missing" if value is None else f"{key} is {shortened(value)}"


def _given(
    cls: type[Any], properties: Mapping[str, Any], prefix: str, spoilt: list[str] | None = None
) -> dict[str, Any]:
    """The fields that can be read. spoilt: takes the properties that hold something else than they should."""
    given = {}
    for field in _fields(cls, prefix):
        if field.made_of is None:
            value = properties.get(field.property)
        else:
            value = _given(field.made_of, properties, field.property + "_", spoilt)
        if value is None:
            continue
        try:
            given[field.name] = field.read(value)
        except UNREADABLE:
            if spoilt is not None and field.made_of is None:
                spoilt.append(field.property)
    return given


def _vectors(properties: Mapping[str, Any]) -> dict[SearchField, bytes]:
    vectors = {}
    for name, key in VECTORS.items():
        try:
            vectors[name] = vector(properties[key])
        except UNREADABLE:
            continue
    return vectors


_known: dict[tuple[Any, str], tuple[_Field, ...]] = {}


def _fields(cls: Any, prefix: str) -> tuple[_Field, ...]:
    if (cls, prefix) not in _known:
        _known[cls, prefix] = _read_off(cls, prefix)
    return _known[cls, prefix]


def _read_off(cls: Any, prefix: str) -> tuple[_Field, ...]:
    hints = get_type_hints(cls)
    return tuple(
        _field(item.name, _property(cls, item.name, prefix), hints[item.name], _default(item))
        for item in fields(cls)
        if item.name != "vectors"
    )


def _property(cls: type[Any], name: str, prefix: str) -> str:
    return prefix.removesuffix("_") if (cls, name) in _NAMES else prefix + name


def _default(item: Any) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default


def _field(name: str, key: str, given: Any, default: Any) -> _Field:
    optional = get_origin(given) in (Union, UnionType)
    hint: Any = next(arg for arg in get_args(given) if arg is not NoneType) if optional else given
    if hint is datetime:
        return _Field(name, key, default, partial(instant, name), moment, None)
    if get_origin(hint) is tuple:
        return _Field(name, key, default, list, _texts, None)
    if get_origin(hint) is not None:
        return _Field(name, key, default, lambda item: canonical(encode(item)), _mapping, None)
    if hasattr(hint, "__dataclass_fields__"):
        return _Field(name, key, default, _as_it_is, lambda parts: hint(**parts), hint)
    if issubclass(hint, Enum):
        return _Field(name, key, default, lambda item: hint(item).value, hint, None)
    return _Field(name, key, default, _as_it_is, partial(_checked, hint), None)


def _as_it_is(value: Any) -> Any:
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise TypeError("no list of texts")
    return tuple(value)


def _mapping(text: Any) -> dict[str, Any]:
    data = parsed(text)
    if not isinstance(data, dict):
        raise TypeError("no JSON object")
    return data


def _checked(hint: type[Any], value: Any) -> Any:
    fitting = (int, float) if hint is float else hint
    if isinstance(value, bool) or not isinstance(value, fitting):
        raise TypeError(f"no {hint.__name__}")
    return value
