"""What is typed on a command line, read into values: times, causes, writers."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Channel, Writer

_AGO = re.compile(r"(\d{1,6})\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def moment_of(field: str, text: str, now: datetime) -> datetime | None:
    """An ISO 8601 time with a zone, a date (midnight UTC), or an age such as 90m, 24h, 7d, 2w before now.

    '' is None. Raises BadInputError naming field.
    """
    if not text:
        return None
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago:
            return now - timedelta(seconds=int(ago[1]) * _SECONDS[ago[2]])
        read = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError) as error:
        remedy = "e.g. 7d, 2026-03-01 or 2026-03-01T08:30:00Z"
        raise BadInputError(f"{text!r} is no time", field=field, remedy=remedy) from error
    if read.tzinfo is None and len(text.strip()) == len("2026-03-01"):
        return read.replace(tzinfo=UTC)
    return read


def writer_of(name: str, channel: Channel) -> Writer:
    """Who writes: the name given, or the command line itself."""
    return Writer(id=name or "cli", channel=channel)


def now() -> datetime:
    """The instant that ages are counted from."""
    return datetime.now(UTC)
