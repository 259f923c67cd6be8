"""What is said of many failures at once: which few causes make most of them, and where their chains meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from graphmem.domain.memories import Memory, Pattern

CUT = 0.8
"""Share of all failures that a cut covers."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What long work is at: the memories are read, or counting over them has begun."""

    memories: int
    counting: bool = False


class Bond(StrEnum):
    """What order and co-occurrence tell of two classes of failures, the first of which may bring the second about.

    LEADS_TO: together more often than by chance, the first before the second, and no third class explains it.
    EXPLAINED: a recorded third class does, a step between them or a common cause. HIDDEN_CAUSE: together more often
    than by chance, but in no order, and nothing recorded explains it. CO_OCCURS: nothing can be told, or the second
    comes first.
    """

    LEADS_TO = "LEADS_TO"
    EXPLAINED = "EXPLAINED"
    HIDDEN_CAUSE = "HIDDEN_CAUSE"
    CO_OCCURS = "CO_OCCURS"


class Relation(StrEnum):
    """How two memories hang together in the cause graph.

    CAUSES: the first led to the second. CAUSED_BY: the other way. CYCLE: both. APART: neither led to the other.
    """

    CAUSES = "CAUSES"
    CAUSED_BY = "CAUSED_BY"
    CYCLE = "CYCLE"
    APART = "APART"


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


@dataclass(frozen=True, kw_only=True)
class ClassPropagation:
    """How one class of failures led to another.

    trials: occurrences of the cause class after which its episode went on; caused: those with a stated edge from an
    effect of that class; probability of causing with its 90 % interval [low, high]; followed: trials after which the
    effect class occurred in the episode, by whatever cause. together: episodes with both; lift: how many times as many
    as by chance; q: false-discovery rate at which they still go together, None where too little is known.
    """

    cause_class: str
    effect_class: str
    trials: int
    caused: int
    probability: float
    low: float
    high: float
    followed: int
    together: int
    lift: float
    q: float | None
    bond: Bond


@dataclass(frozen=True, kw_only=True)
class Propagation:
    """Class by class, the most probable first.

    pairs: at most as many as asked for, of total. classes: those compared, the most frequent ones. episodes: over how
    many; below needed every bond is CO_OCCURS. unclassed: failures that have no error type and were left out.
    """

    pairs: tuple[ClassPropagation, ...]
    total: int
    classes: tuple[str, ...]
    episodes: int
    needed: int
    unclassed: int


@dataclass(frozen=True, kw_only=True)
class SharedCause:
    """A memory that led to both. nearest: no other shared cause lies between. hops: from the first, from the second."""

    memory: Memory
    nearest: bool
    hops: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class CommonCause:
    """What two memories have to do with each other.

    relation: of the first to the second. confounded: they occur together at least partly because something led to each
    without passing through the other. causes: all shared causes, the nearest first. truncated: a walk hit a bound.
    """

    first: Memory
    second: Memory
    relation: Relation
    confounded: bool
    causes: tuple[SharedCause, ...]
    truncated: bool
