"""How failures usually lead to failures: learned when it is asked for, kept until the namespace is written to."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from heapq import nlargest
from threading import Lock

from graphmem.analysis.edge_repair import MIN_EPISODES, Habits, learn
from graphmem.analysis.history import Occurrence
from graphmem.domain.causation import CauseEdge
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror, Header
from graphmem.ports.queries import Direction

LEARNED_FROM = 4_000
"""The latest experiences that habits are learned from: what learning costs is bounded, whatever a namespace holds."""
MAX_CLASSES = 200
"""The most frequent classes are told apart; what is learned grows with the square of their number."""


class HabitsOf:
    """The habits of each namespace, of its latest revision. Safe to use from several threads."""

    def __init__(self, indexes: IndexSet) -> None:
        self._indexes = indexes
        self._lock = Lock()
        self._learned: dict[str, tuple[int, Habits | None]] = {}

    def __call__(self, namespace: str) -> Habits | None:
        """What is known of a namespace; None where its episodes are too few to tell a habit from a coincidence.

        The same for every process that has read the same revision. Raises UnavailableError.
        """
        with self._indexes.current(namespace) as index:
            revision = index.cursor.revision
            known = self._learned.get(namespace)
            if known and known[0] == revision:
                return known[1]
            events, edges = _past(index.mirror)
        enough = len({event.episode for event in events}) >= MIN_EPISODES
        habits = learn(events, edges) if enough else None
        with self._lock:
            self._learned[namespace] = revision, habits
        return habits


def occurrence(header: Header) -> Occurrence:
    """An experience as statistics look at it."""
    return Occurrence(header.id, header.episode, header.occurred_at, header.error_class, header.is_failure)


def _past(mirror: GraphMirror) -> tuple[list[Occurrence], list[CauseEdge]]:
    latest = nlargest(LEARNED_FROM, mirror.experiences(), key=lambda item: (item.occurred_at, item.id))
    events = [occurrence(header) for header in latest]
    counted = Counter(event.error_class for event in events)
    told_apart = {
        name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MAX_CLASSES]
    }
    events = [
        event if event.error_class in told_apart else replace(event, error_class="") for event in events
    ]
    return events, mirror.expand([event.id for event in events], Direction.CAUSES)
