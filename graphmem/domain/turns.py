"""What a user's turn tells of the answer before it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphmem.domain.answers import Written


class TurnSignal(StrEnum):
    """What a user's turn tells of the answer before it. CORRECTION: it was wrong. RESTATED: the same task is said
    again more than twice. ABANDONED: after a long silence another topic, a weak sign. SUCCESS: it was right.
    """

    CORRECTION = "CORRECTION"
    RESTATED = "RESTATED"
    ABANDONED = "ABANDONED"
    SUCCESS = "SUCCESS"
    NONE = "NONE"


@dataclass(frozen=True, kw_only=True)
class ObservedTurn:
    """What was read from a turn and what was written for it. expected: what the user says is right, '' for none.

    fact: with a correction that says what is right. experience: a failure or a success; None for nothing written.
    """

    signal: TurnSignal
    expected: str = ""
    fact: Written | None = None
    experience: Written | None = None
