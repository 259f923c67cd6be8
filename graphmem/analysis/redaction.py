"""Secrets out of texts, by the place they stand in rather than by lists of vendors.

Runs before hashing, embedding, storing, queueing and logging. A secret becomes a placeholder that says what
it was, such as [redacted:token], so that the text can still be found by what is left. Places: URL logins and
query parameters, headers, assignments in any notation, command flags, webhook paths, key blocks, <private>
marks; then the shapes of well-known tokens. Same input, same output; a redacted text comes back unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphmem.analysis.secret_names import Assignment, is_placeholder, secret_kind
from graphmem.analysis.secret_places import RULES, Span
from graphmem.domain.memories import Json

_WORD = re.compile(r"[A-Za-z0-9_]{0,15}")
"""A text that no rule can find anything in: one short word, as most names and values of a record are."""
MAX_ROUNDS = 8
"""More than any text needs that is not made against the rules: texts of every day take two."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class RedactedValue:
    """JSON data without secrets in its keys and values, and how many there were."""

    value: Json
    count: int


def redact(text: str) -> Redacted:
    """The text with every secret replaced. Idempotent; time grows linearly with the text.

    A replacement can bring another secret to light, so the rules run until nothing changes; a text that is
    not quiet after MAX_ROUNDS is made to defeat them and is replaced as a whole.
    """
    if _WORD.fullmatch(text):
        return Redacted(text, 0)
    count = 0
    for _ in range(MAX_ROUNDS):
        before = text
        for rule in RULES:
            text, found = _cut(text, rule(text))
            count += found
        if text == before:
            return Redacted(text, count)
    return Redacted("[redacted:text]", count + 1)


def redact_value(value: Json) -> RedactedValue:
    """Nested JSON data with every string redacted, keys too; a value under a secret's name goes as a whole.

    Numbers, booleans and nulls stay, but for a number under the name of a password. Keys that become equal
    are told apart by ' (2)', ' (3)'. Raises RecursionError on data nested deeper than Python's own limit.
    """
    if isinstance(value, str):
        found = redact(value)
        return RedactedValue(found.text, found.count)
    if isinstance(value, Mapping):
        return _redact_mapping(value)
    if isinstance(value, list | tuple):
        items = [redact_value(item) for item in value]
        return RedactedValue([item.value for item in items], sum(item.count for item in items))
    return RedactedValue(value, 0)


def _redact_mapping(mapping: Mapping[str, Json]) -> RedactedValue:
    result: dict[str, Json] = {}
    count = 0
    for name, value in mapping.items():
        inner = _redact_named(str(name), value)
        key = redact(str(name))
        free, twin = key.text, 2
        while free in result:
            free, twin = f"{key.text} ({twin})", twin + 1
        result[free] = inner.value
        count += inner.count + key.count
    return RedactedValue(result, count)


def _redact_named(name: str, value: Json) -> RedactedValue:
    """A value that stands under a name in a mapping."""
    if isinstance(value, str):
        label = Assignment(name, ":", value, quoted=True, where=("", "")).label()
        return (
            RedactedValue(f"[redacted:{label}]", 1)
            if label and not is_placeholder(value)
            else redact_value(value)
        )
    if isinstance(value, int | float) and not isinstance(value, bool) and secret_kind(name) == "password":
        return RedactedValue("[redacted:password]", 1)
    if isinstance(value, list | tuple):
        items = [_redact_named(name, item) for item in value]
        return RedactedValue([item.value for item in items], sum(item.count for item in items))
    return redact_value(value)


def _cut(text: str, spans: Iterator[Span]) -> tuple[str, int]:
    parts: list[str] = []
    at = 0
    for start, end, label in spans:
        if start >= at and not is_placeholder(text[start:end]):
            parts += text[at:start], f"[redacted:{label}]"
            at = end
    return "".join(parts) + text[at:], len(parts) // 2
