"""The failures of one namespace and the clusters they are in, held in memory, built from the store's feed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphmem.analysis.assigning import OnlineClusters
from graphmem.analysis.clusters import CORE_MEMBERS, Cuts
from graphmem.analysis.failures import Failure, failure_of
from graphmem.analysis.likeness import Background, Scale
from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.memories import Experience, Memory, Pattern, is_failure
from graphmem.domain.records import SpaceParameters
from graphmem.domain.rules import counts_as_evidence
from graphmem.ports.queries import ChangeFeed, Cursor


class ClusterView:
    """What is stored is who is in which cluster; a failure that is in none goes on under its own id.

    failures: those that count as evidence, by id; patterns: all, by id; over: the patterns over each failure.

    Not thread-safe: who assigns holds the namespace's lease.
    """

    def __init__(self, space: SpaceParameters | None, parameters_version: int = 0) -> None:
        """space: the numbers of the namespace's embedding space; None = failures are compared by words only."""
        self.background = _background(space)
        self.by_words = space is None
        self.parameters_version = parameters_version
        self.cursor = Cursor()
        self.failures: dict[str, Failure] = {}
        self.patterns: dict[str, Pattern] = {}
        self.over: dict[str, tuple[str, ...]] = {}
        self._stored: dict[str, str] = {}
        self._online: OnlineClusters | None = None
        self._placed: dict[str, str] = {}
        self._waiting: set[str] = set()

    def take(self, feed: ChangeFeed) -> None:
        """Apply one page of the feed; applying a page twice changes nothing."""
        for memory_id in feed.tombstones:
            self._drop(memory_id)
        for row in feed.rows:
            if isinstance(row.memory, Pattern):
                self.patterns[row.memory.id] = row.memory
            elif isinstance(row.memory, Experience) and _counts(row.memory):
                self._hold(row.memory)
                self.over[row.memory.id] = tuple(
                    e.from_id for e in row.edges if isinstance(e, GeneralizesEdge)
                )
            else:
                self._drop(row.memory.id)
        self.cursor = feed.next

    def place(self, failure_id: str) -> str:
        """The cluster that a failure belongs to: one that exists, or its own id when nothing is like it.

        Failures before it that are in no cluster are placed first, so that every process comes to the same.
        """
        online = self._built()
        for waiting in sorted(name for name in self._waiting if name <= failure_id):
            name = own_name(waiting, bool(online.members(waiting)))
            self._placed[waiting] = online.place(self.failures[waiting], name).cluster_id
            self._waiting.discard(waiting)
        return self._placed[failure_id]

    def members(self, cluster_id: str) -> tuple[Failure, ...]:
        """The failures of a cluster, in the order they came."""
        return self._built().members(cluster_id)

    def core(self, cluster_id: str, latest: int = CORE_MEMBERS) -> tuple[str, ...]:
        """Those of the latest members on which a pattern rests, () when they make none."""
        return self._built().core(cluster_id, latest)

    def under(self, pattern_id: str) -> list[str]:
        """The failures that a pattern generalizes, by id."""
        return sorted(member for member, patterns in self.over.items() if pattern_id in patterns)

    @property
    def scale(self) -> Scale:
        """The scale on which failures are compared now."""
        return self._built().scale

    @property
    def cuts(self) -> Cuts:
        """The similarities from which failures are grouped, make a pattern and are tight, as of now."""
        return self._built().cuts

    def unsaved(self, cluster_id: str) -> list[str]:
        """Members of a cluster of two or more that are not stored as such, by id."""
        members = self.members(cluster_id)
        if len(members) < 2:
            return []
        return [failure.id for failure in members if self._stored[failure.id] != cluster_id]

    def cluster_of(self, failure_id: str) -> str:
        """The cluster of a failure as stored, '' for none and for unknown ones."""
        return self._stored.get(failure_id, "")

    def stored(self) -> dict[str, list[str]]:
        """Failures by cluster as stored; one in no cluster stands alone under its own id."""
        named = set(self._stored.values())
        clusters = defaultdict(list)
        for failure_id, cluster_id in sorted(self._stored.items()):
            clusters[cluster_id or own_name(failure_id, failure_id in named)].append(failure_id)
        return dict(clusters)

    def reset(self) -> None:
        """Forget placements that were not stored."""
        self._online = None

    def _built(self) -> OnlineClusters:
        if self._online is None:
            clusters: dict[str, Sequence[Failure]] = {
                cluster_id: [self.failures[member] for member in members]
                for cluster_id, members in self.stored().items()
                if any(self._stored[member] for member in members)
            }
            self._online = OnlineClusters(self.background, clusters)
            self._placed = {
                member.id: cluster_id for cluster_id, members in clusters.items() for member in members
            }
            self._waiting = self.failures.keys() - self._placed.keys()
        return self._online

    def _hold(self, memory: Experience) -> None:
        failure = failure_of(memory)
        if self.by_words:
            failure = replace(failure, vector=None)
        known = self.failures.get(memory.id)
        placed = self._placed.get(memory.id, "")
        moved = bool(memory.cluster_id) and memory.cluster_id != placed
        if moved or (known is not None and _said(known) != _said(failure)):
            self._online = None
        self.failures[memory.id] = failure
        if memory.id not in self._placed:
            self._waiting.add(memory.id)
        self._stored[memory.id] = memory.cluster_id

    def _drop(self, memory_id: str) -> None:
        self.patterns.pop(memory_id, None)
        self.over.pop(memory_id, None)
        if self.failures.pop(memory_id, None) is not None:
            del self._stored[memory_id]
            self._online = None


def own_name(failure_id: str, taken: bool) -> str:
    """The cluster of a failure alone. taken: its id names a cluster that went on without it."""
    return f"{failure_id}-2" if taken else failure_id


def _background(space: SpaceParameters | None) -> Background:
    if space is None:
        return Background()
    means = {language: np.asarray(mean, dtype=np.float32) for language, mean in space.mean.items()}
    return Background(means, space.mu)


def _counts(memory: Memory) -> bool:
    return is_failure(memory) and counts_as_evidence(memory)


def _said(failure: Failure) -> tuple[str, bytes, tuple[str, str]]:
    """What a failure is compared by."""
    return failure.account, b"" if failure.vector is None else failure.vector.tobytes(), failure.kind
