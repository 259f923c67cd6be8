"""How many tokens may still be used today."""

from __future__ import annotations

from datetime import date

from graphmem.services.intake import Clock


class Allowance:
    """Tokens a day (UTC), of one process; what was used is forgotten with the day."""

    def __init__(self, tokens: int, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock
        self._day: date | None = None
        self._used = 0

    @property
    def left(self) -> int:
        """Tokens that are left today, below 0 after an answer that was longer than it should have been."""
        today = self._clock().date()
        if today != self._day:
            self._day, self._used = today, 0
        return self._tokens - self._used

    def use(self, tokens: int) -> None:
        """Note that so many were used."""
        self._used = self._tokens - self.left + tokens
