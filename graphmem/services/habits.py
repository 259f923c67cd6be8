"""How failures usually lead to failures: learned when it is asked for, kept until the namespace is written to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock

from graphmem.analysis.edge_repair import MIN_EPISODES, Habits, learn
from graphmem.analysis.history import Occurrence
from graphmem.domain.causation import CauseEdge
from graphmem.index.mirror import Header
from graphmem.ports.queries import Direction
from graphmem.services.sources import Source, Sources

LEARNED_FROM = 4_000
"""The latest experiences that habits are learned from: what learning costs is bounded, whatever a namespace holds."""
_Past = tuple[Sequence[Occurrence], Sequence[CauseEdge]]
MAX_CLASSES = 200
"""The most frequent classes are told apart; what is learned grows with the square of their number."""


@dataclass(frozen=True)
class _Learned:
    """What was learned, at which revision, from what."""

    revision: int
    past: _Past
    habits: Habits | None


class HabitsOf:
    """The habits of each namespace, of its latest revision. Safe to use from several threads.

    Every event weighs on every rate, so that an experience or an edge more is a reason to learn all anew. What else is
    written (facts, lessons, tiers, vectors) leaves the past as it was, and the habits with it.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lock = Lock()
        self._learned: dict[str, _Learned] = {}

    def __call__(self, namespace: str) -> Habits | None:
        """What is known of a namespace; None where its episodes are too few to tell a habit from a coincidence.

        The same for every process that has read the same revision. Raises UnavailableError.
        """
        known = self._learned.get(namespace)
        with self._sources.of(namespace) as source:
            if known and known.revision == source.revision:
                return known.habits
            revision, past = source.revision, _past(source)
        habits = known.habits if known and known.past == past else _learned(*past)
        with self._lock:
            self._learned[namespace] = _Learned(revision, past, habits)
        return habits


def occurrence(header: Header) -> Occurrence:
    """An experience as statistics look at it."""
    return Occurrence(header.id, header.episode, header.occurred_at, header.error_class, header.is_failure)


def _learned(events: Sequence[Occurrence], edges: Sequence[CauseEdge]) -> Habits | None:
    enough = len({event.episode for event in events}) >= MIN_EPISODES
    return learn(events, edges) if enough else None


def _past(source: Source) -> _Past:
    events = [occurrence(header) for header in source.latest(LEARNED_FROM)]
    counted = Counter(event.error_class for event in events)
    told_apart = {
        name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MAX_CLASSES]
    }
    events = [
        event if event.error_class in told_apart else replace(event, error_class="") for event in events
    ]
    return events, source.expand([event.id for event in events], Direction.CAUSES)
