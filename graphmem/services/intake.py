"""What happens to a draft before anything else: secrets replaced, limits checked, payload hashed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, TypeVar

from graphmem.analysis.redaction import redact, redact_value
from graphmem.domain.analyses import Analysis, AnalysisDraft
from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseRef, Draft, ExperienceDraft, FactDraft, MemoryUpdate, TurnDraft
from graphmem.domain.encoding import canonical, encode
from graphmem.domain.errors import BadInputError, GraphmemError, TooLargeError
from graphmem.domain.rules import (
    MAX_ITEMS,
    MAX_METADATA,
    MAX_SHORT,
    MAX_TEXT,
    check_confidence,
    check_metadata,
    check_required,
    check_tags,
    check_text,
    check_time,
)

_T = TypeVar("_T", bound=Draft | MemoryUpdate | CauseRef | Analysis)
_SHORT = frozenset(
    {"id", "key", "subject", "session_id", "task_id", "task_type", "tool", "agent", "error_type"}
    | {"work_id", "owner"}
)
_VERBATIM = frozenset({"id", "key", "work_id", "session_id", "task_id", "result"})
_LONG_ITEMS = frozenset({"earlier"})
_REQUIRED: Mapping[type, str] = {FactDraft: "statement", ExperienceDraft: "action", TurnDraft: "said"}


class _Counter:
    """Counts redactions while texts are replaced."""

    def __init__(self) -> None:
        self.count = 0

    def text(self, value: str) -> str:
        cleaned = redact(value)
        self.count += cleaned.count
        return cleaned.text

    def data(self, value: Any) -> Any:
        cleaned = redact_value(value)
        self.count += cleaned.count
        return cleaned.value


def clean(draft: _T) -> tuple[_T, int]:
    """The draft with secrets replaced and times in UTC, and how many secrets there were.

    Raises BadInputError or TooLargeError naming the field; limits are checked before any other work.
    """
    _check_texts(draft)
    counter = _Counter()
    changes = {item.name: _cleaned(item.name, getattr(draft, item.name), counter) for item in fields(draft)}
    cleaned = replace(draft, **changes)
    _check_values(cleaned)
    return cleaned, counter.count


def payload_hash(draft: Draft | AnalysisDraft) -> str:
    """Hash of what the client sent, after redaction and before defaults, without the key itself."""
    data = canonical(encode(replace(draft, key="")))
    return blake2b(data.encode(), digest_size=16).hexdigest()


def _check_texts(draft: Any, prefix: str = "") -> None:
    for item in fields(draft):
        value = getattr(draft, item.name)
        name = prefix + item.name
        if isinstance(value, str):
            check_text(name, value, MAX_SHORT if item.name in _SHORT else MAX_TEXT)
        elif is_dataclass(value):
            _check_texts(value, f"{name}.")
        elif isinstance(value, tuple):
            _check_items(name, value)


def _check_items(name: str, items: tuple[Any, ...]) -> None:
    if len(items) > MAX_ITEMS:
        raise TooLargeError(f"{len(items)} items, at most {MAX_ITEMS}", field=name, remedy="use fewer")
    for index, item in enumerate(items):
        if is_dataclass(item):
            _check_texts(item, f"{name}[{index}].")
        else:
            check_text(f"{name}[{index}]", item, MAX_TEXT if name in _LONG_ITEMS else MAX_SHORT)


def _cleaned(name: str, value: Any, counter: _Counter) -> Any:
    if isinstance(value, str):
        return value if name in _VERBATIM else counter.text(value)
    if isinstance(value, datetime):
        return check_time(name, value)
    if isinstance(value, Mapping):
        check_metadata(value, name)
        return counter.data(value)
    if name in ("tags", "add_tags", "remove_tags"):
        return tuple(counter.text(tag) for tag in check_tags(value))
    if isinstance(value, tuple) and value and isinstance(value[0], CauseRef):
        return tuple(replace(ref, text=counter.text(ref.text), note=counter.text(ref.note)) for ref in value)
    if name == "root_cause" and value is not None:
        texts = {part: counter.text(getattr(value, part)) for part in ("summary", "prevention", "source")}
        return replace(value, **texts)
    return value


def _check_values(draft: Any) -> None:
    required = _REQUIRED.get(type(draft))
    if required:
        check_required(required, getattr(draft, required))
    metadata = getattr(draft, "metadata", None)
    if metadata and len(canonical(encode(metadata))) > MAX_METADATA:
        raise TooLargeError(
            f"longer than {MAX_METADATA} characters as JSON",
            field="metadata",
            remedy="keep the long parts elsewhere",
        )
    writer = getattr(draft, "writer", None)
    if writer is not None:
        _check(0 <= writer.trust <= 1, "must be from 0 to 1", "writer.trust", "e.g. 0.5")
    for index, ref in enumerate(getattr(draft, "caused_by", ())):
        check_cause_ref(ref, f"caused_by[{index}]")
    if isinstance(draft, FactDraft) and draft.valid_from and draft.valid_to:
        check_period(draft.valid_from, draft.valid_to)


def check_period(valid_from: datetime, valid_to: datetime) -> None:
    """A fact ends no sooner than it begins. Raises BadInputError."""
    _check(valid_from <= valid_to, "is before valid_from", "valid_to", "swap the two times")


@contextmanager
def naming_item(index: int, many: bool) -> Iterator[None]:
    """Puts the item's index before the field of a refusal, where a call takes many items."""
    try:
        yield
    except GraphmemError as error:
        if many:
            error.field = f"input[{index}].{error.field}" if error.field else f"input[{index}]"
        raise


def check_cause_ref(ref: CauseRef, field: str) -> None:
    """Exactly one of id, key and text, and a confidence that is a probability. Raises BadInputError."""
    given = sum(1 for name in (ref.id, ref.key, ref.text) if name.strip())
    _check(given == 1, "needs exactly one of id, key and text", field, "name the cause in one way")
    check_confidence(f"{field}.confidence", ref.confidence)
    stated = ref.grade in (Grade.ASSERTED, Grade.TRACED)
    _check(stated, "a writer states ASSERTED or TRACED", f"{field}.grade", "review the cause to confirm it")


def _check(holds: bool, message: str, field: str, remedy: str) -> None:
    if not holds:
        raise BadInputError(message, field=field, remedy=remedy)


NewId = Callable[[datetime], str]
"""Makes a time-ordered identifier for an instant."""
Clock = Callable[[], datetime]
"""The current instant, aware, in UTC."""
