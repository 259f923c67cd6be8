"""Limits and pure rules that every door and every store obeys."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from graphmem.domain.errors import BadInputError, TooLargeError
from graphmem.domain.memories import Experience, Json, Level, Memory, Pattern, State, Writer

MAX_TEXT = 65_536
"""Characters of one text field."""
MAX_SHORT = 256
"""Characters of a key, a tag, a tool name and other short fields."""
MAX_TAGS = 64
MAX_METADATA = 16_384
"""Characters of metadata once written as JSON."""
MAX_ITEMS = 500
"""Memories and edges that one transaction may touch."""
MAX_PAGE = 100
AHEAD = timedelta(days=1)
"""How far after now something may be said to have occurred: clocks differ, and a date is midnight somewhere."""
TITLE_LENGTH = 60
NAMESPACE_LENGTH = 128
DEFAULT_NAMESPACE = "main"
REMIND_PROBABILITY = 0.75
"""Probability from which a past failure is a warning, where nothing else is set: the article's threshold (seed 1, 5.3),
on a calibrated probability. It is the budget of false reminders.
"""

_CODES = (
    r"http(?:/\d(?:\.\d)?)?",
    "status",
    "code",
    "exit",
    "errno",
    "error",
    "signal",
    "sqlstate",
    "winerror",
    "码",
    "碼",
)
"""What a number behind it is a name: 401 and 429 are two kinds of failure, row 401 and row 429 are one."""
_NUMBER = re.compile(
    rf"(?P<code>(?<![A-Za-z])(?i:{'|'.join(_CODES)})[\s:=#(-]{{0,2}}\d{{1,5}}(?![\w.]*\d)"
    r"|(?<![A-Za-z0-9])[A-Z]{1,8}-?\d{3,6}(?![A-Za-z0-9]))|0[xX][0-9a-fA-F]+|\d+"
)
"""A number; as a code it stands behind one of those words, or in a name such as ORA-00942, E1101, TS2345."""
_SPACE = re.compile(r"\s+")


def level(episodes: int, tight: bool) -> Level:
    """Support of a pattern: < 3 distinct episodes none, >= 3 medium, >= 5 and tight high (seed 2)."""
    if episodes >= 5 and tight:
        return Level.HIGH
    return Level.MEDIUM if episodes >= 3 else Level.NONE


def counts_as_evidence(memory: Memory) -> bool:
    """Whether a member counts for a pattern: ageing never takes that away, retraction does."""
    return memory.state in (State.ACTIVE, State.SUPERSEDED)


TRUSTED = 0.5
"""Least trust of a writer whose word alone makes a lesson binding."""


def well_attested(writers: Iterable[Writer]) -> bool:
    """Whether a lesson rests on more than one untrusted voice: two writers, or one that is trusted."""
    known = set(writers)
    return len({writer.id for writer in known}) >= 2 or any(writer.trust >= TRUSTED for writer in known)


INFORMED_BY = "informed_by"
"""Metadata of a pattern whose lesson an analyst only handed back: ids of the memories that it came from."""


def is_witness(memory: Memory) -> bool:
    """Whether what a memory says was found by its writer: not informed by what was served to it.

    A failure that was informed still counts as a failure; its words stay out of agreement, vote, the merging of
    lessons and the fitting of parameters, or the memory would confirm itself.
    """
    if isinstance(memory, Pattern):
        return not memory.metadata.get(INFORMED_BY)
    return not (isinstance(memory, Experience) and memory.informed_by)


def check_text(field: str, value: str, limit: int = MAX_TEXT) -> str:
    """value itself. Raises TooLargeError above limit characters, BadInputError on NUL or lone surrogates."""
    if len(value) > limit:
        raise TooLargeError(
            f"{len(value)} characters, at most {limit} are kept",
            field=field,
            remedy="shorten or split the text",
        )
    if "\0" in value:
        raise BadInputError("contains a NUL character", field=field, remedy="remove it")
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise BadInputError("contains half a surrogate pair", field=field, remedy="send valid Unicode")
    return value


def check_required(field: str, value: str, limit: int = MAX_TEXT) -> str:
    """value itself. Raises BadInputError when it is empty or blank, else as check_text."""
    if not value.strip():
        raise BadInputError("must not be empty", field=field, remedy="say it in words")
    return check_text(field, value, limit)


def check_namespace(name: object) -> str:
    """The namespace name. 1 to 128 code points, no control characters; compared byte by byte."""
    if not isinstance(name, str) or not name:
        raise BadInputError("must be a non-empty string", field="namespace", remedy="e.g. 'main'")
    if len(name) > NAMESPACE_LENGTH:
        raise BadInputError(
            f"longer than {NAMESPACE_LENGTH} characters", field="namespace", remedy="shorten it"
        )
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise BadInputError(
            "contains control characters", field="namespace", remedy="use printable characters"
        )
    return name


def check_time(field: str, value: datetime) -> datetime:
    """The instant in UTC. Raises BadInputError on a time without a zone: whose morning it is cannot be guessed."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise BadInputError("has no time zone", field=field, remedy="add 'Z' or an offset such as '+08:00'")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise BadInputError(
            "is outside the calendar", field=field, remedy="use a year from 1 to 9999"
        ) from error


def check_occurred(value: datetime | None, now: datetime) -> None:
    """Refuse what is said to have occurred more than AHEAD after now: a slip of the year would be the newest for ever.

    Raises BadInputError.
    """
    if value is not None and value > now + AHEAD:
        raise BadInputError(
            f"{value.isoformat(timespec='seconds')} is more than a day ahead of now",
            field="occurred_at",
            remedy="say when it happened; what is still to come is a fact with a valid_from",
        )


def check_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Distinct tags in the order given. At most MAX_TAGS, each a non-empty short text."""
    distinct = tuple(dict.fromkeys(tags))
    if len(distinct) > MAX_TAGS:
        raise TooLargeError(f"{len(distinct)} tags, at most {MAX_TAGS}", field="tags", remedy="use fewer")
    for index, tag in enumerate(distinct):
        check_required(f"tags[{index}]", tag, MAX_SHORT)
    return distinct


def check_metadata(value: Mapping[str, Json], field: str = "metadata") -> None:
    """Refuse what JSON or a 64-bit store cannot hold: NaN, infinity, wide integers, bad text, odd types."""
    _check_json(field, value, depth=-1)


def _check_json(field: str, value: Json, depth: int) -> None:
    if depth > 8:
        raise TooLargeError("nested deeper than 8 levels", field=field, remedy="flatten it")
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise BadInputError("integer outside 64 bits", field=field, remedy="send it as a string")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInputError("number is not finite", field=field, remedy="send null or a string")
    if isinstance(value, str):
        check_text(field, value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise BadInputError("has a key that is no string", field=field, remedy="send JSON data")
            check_required(field, key, MAX_SHORT)
            _check_json(f"{field}.{key}", item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_json(field, item, depth + 1)
    elif not isinstance(value, int | float):
        raise BadInputError(f"{type(value).__name__} is not JSON", field=field, remedy="send JSON data")


def check_confidence(field: str, value: float) -> float:
    """A probability in (0, 1]; NaN and infinity are refused."""
    if not (math.isfinite(value) and 0.0 < value <= 1.0):
        raise BadInputError("must be above 0 and at most 1", field=field, remedy="e.g. 0.8")
    return value


def check_page(first: int, field: str = "first") -> int:
    """A page size from 1 to MAX_PAGE."""
    if not 1 <= first <= MAX_PAGE:
        raise BadInputError(f"must be from 1 to {MAX_PAGE}", field=field, remedy="page with 'after'")
    return first


def title_of(text: str) -> str:
    """The first line of text, at most TITLE_LENGTH characters, cut with an ellipsis."""
    line = _SPACE.sub(" ", next(iter(text.strip().splitlines()), "")).strip()
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def error_class(error_type: str) -> str:
    """A normalised error type: the last part of a dotted name, lower case, numbers masked but for codes (HTTP 401)."""
    name = unicodedata.normalize("NFKC", error_type).strip(" .\t\n")
    if " " not in name and "." in name:
        name = name.rsplit(".", 1)[-1]
    return _SPACE.sub(" ", _NUMBER.sub(lambda number: number["code"] or "#", name)).lower()
