"""A day of the memory: what happened in it, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from graphmem.domain.memories import Memory


@dataclass(frozen=True, slots=True)
class CauseNamed:
    """A cause of something that happened that day; ref of the effect and of the cause, and what the cause was."""

    effect: str
    cause: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Episode:
    """Memories of one task, else of one session, else one memory alone, oldest first."""

    task_id: str
    session_id: str
    memories: tuple[Memory, ...]


@dataclass(frozen=True, kw_only=True)
class DayLog:
    """Facts and experiences of one day in UTC, in the order in which their episodes began.

    causes: those not refuted, of what happened that day. truncated: more happened than is listed.
    """

    day: date
    episodes: tuple[Episode, ...]
    causes: tuple[CauseNamed, ...] = ()
    truncated: bool = False
