"""How readily an experience is searched, and how long notes on what was served are kept (seed 1, 5.2).

Nothing is deleted when it is cold: it is found with includeArchived, by direct reads, and when just the same is tried
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from graphmem.domain.answers import Strength
from graphmem.domain.memories import Level, Tier
from graphmem.domain.recurrence import Exposure

HOT_FOR = timedelta(days=7)
WARM_FOR = timedelta(days=30)
SPEAKERS = 5
"""Latest episodes of a pattern whose failures stay searched: by them it speaks. The gate looks at the five nearest."""
SERVED_FOR = timedelta(days=30)
"""Notes on what a session was shown: a session that is silent for a day has ended, an answer is taken for 30 days."""
EXPOSED_FOR = timedelta(days=365)
"""Exposures that no measurement rests on: only listed, without a coin, not answered."""


def tier_of(age: timedelta, over: Level, speaks: bool) -> Tier:
    """The tier of an experience. age: since it was recorded or last said; over: the level of the best pattern over it,
    NONE without one; speaks: it is one of the latest by which that pattern speaks.

    Up to 7 days HOT. Up to 30 WARM, unless a pattern tells it better: then only those by which it speaks. Older ones
    are COLD but for those by which a high pattern speaks.
    """
    if age <= HOT_FOR:
        return Tier.HOT
    if age <= WARM_FOR:
        return Tier.WARM if over is Level.NONE or speaks else Tier.COLD
    return Tier.WARM if over is Level.HIGH and speaks else Tier.COLD


def is_needed(exposure: Exposure) -> bool:
    """Whether a measurement rests on an exposure for good: it was said, drawn by a coin, or answered."""
    said = exposure.strength is not Strength.BACKGROUND or exposure.said_at is not None
    return said or exposure.rate > 0 or exposure.answer is not None


@dataclass(frozen=True, kw_only=True)
class Swept:
    """What a sweep did, or would do (dry_run).

    before and after: experiences by tier. moved: how many change it; left: of these how many somebody changed at the
    same time, for the next sweep. served and exposures: notes dropped. No memory is ever removed.
    """

    experiences: int
    before: Mapping[Tier, int] = field(default_factory=dict)
    after: Mapping[Tier, int] = field(default_factory=dict)
    moved: int = 0
    left: int = 0
    served: int = 0
    exposures: int = 0
    dry_run: bool = False
