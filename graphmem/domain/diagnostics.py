"""How well the memory works: the checks of seed 1 (5.1, 5.4), a row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.domain.replaying import ReplayedFailure


class Check(StrEnum):
    """What is looked at. The first five follow 5.1: was it written, do the scores tell it apart, is it found."""

    WRITE_LOG = "WRITE_LOG"
    EXPERIENCES_PER_TASK = "EXPERIENCES_PER_TASK"
    WORD_SCORES = "WORD_SCORES"
    MEANING_SCORES = "MEANING_SCORES"
    MISSES = "MISSES"
    REMINDERS = "REMINDERS"
    LATENCY = "LATENCY"
    JOBS = "JOBS"
    CLUSTERS = "CLUSTERS"
    SEGMENTING = "SEGMENTING"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a row. Names that end in _share are in [0, 1], in _ms milliseconds, in _h hours."""

    name: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """One check. ok: None where there is too little to judge; command: where to look next; sample: an example."""

    check: Check
    ok: bool | None
    figures: tuple[Figure, ...]
    command: str
    sample: str = ""

    def figure(self, name: str) -> float:
        """The figure of a name. Raises KeyError."""
        return {figure.name: figure.value for figure in self.figures}[name]


@dataclass(frozen=True, kw_only=True)
class Diagnostics:
    """Every check over what happened since a time. misses: repeats that would not be said now, newest first."""

    since: datetime
    at: datetime
    rows: tuple[Row, ...]
    misses: tuple[ReplayedFailure, ...]


def figures(values: Mapping[str, float]) -> tuple[Figure, ...]:
    """Numbers by name as figures, rounded to six digits."""
    return tuple(Figure(name, round(float(value), 6)) for name, value in values.items())
