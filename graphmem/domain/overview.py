"""What is said of many failures at once: which few causes make most of them, and where their chains meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphmem.domain.memories import Memory, Pattern

CUT = 0.8
"""Share of all failures that a cut covers."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What long work is at: the memories are read, or counting over them has begun."""

    memories: int
    counting: bool = False


Tell = Callable[[Reading], None]


def untold(reading: Reading) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, kw_only=True)
class Priority:
    """A root cause, or all root causes of one cluster, in the order of what fixing them next would save.

    id: the cluster, or the only root cause. causes: the root causes, the latest first, at most five of count.
    pattern: the lesson over the cluster, if there is one. failures: all that it led to, itself included if it failed;
    gained: those that no earlier priority covers; covered: share of all failures covered so far, in (0, 1].
    """

    id: str
    causes: tuple[Memory, ...]
    count: int
    pattern: Pattern | None
    failures: int
    gained: int
    covered: float


@dataclass(frozen=True, kw_only=True)
class Priorities:
    """Few causes behind many failures.

    items: each adds what the ones before it left over; their `covered` is the coverage curve. failures: how many there
    are in all. orphans: those with no known cause, each of which is a root cause itself. cut: how many of the first
    items cover CUT of all failures, None when those listed do not.
    """

    items: tuple[Priority, ...]
    failures: int
    orphans: int
    cut: int | None


@dataclass(frozen=True, kw_only=True)
class ChokePoint:
    """A memory between causes and failures. chains: pairs of a root cause and a failure that are joined through it,
    which are roots x failures.
    """

    memory: Memory
    roots: int
    failures: int
    chains: int
