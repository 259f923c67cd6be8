"""Clusters that grow one failure at a time: an identity at once, until all are clustered anew."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphmem.analysis.clusters import CORE_MEMBERS, Cuts, core_of, cuts_of
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import MEANING, Background, Matrix, Scale, scale_of, similarities
from graphmem.analysis.vectors import Floats

JOIN_MARGIN = 0.1
"""How far above the cut for grouping the mean similarity to a cluster must lie for a failure to join it: a mean
is higher than the least.
"""
GROWTH = 1.5
"""The scale is taken anew when there are so many times the failures it was made of."""
SAMPLE = 400
"""Failures, evenly spaced in time, by which the cuts are learnt between two batches."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a failure went. similarity: its mean similarity to the members before it, 0 for a new cluster."""

    failure_id: str
    cluster_id: str
    similarity: float
    created: bool


@dataclass(slots=True)
class _Cluster:
    """Members in the order they came, and how many of which error and root-cause types are among them."""

    place: int
    members: list[Failure] = field(default_factory=list)
    kinds: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))

    def accepts(self, kind: tuple[str, str]) -> bool:
        """Whether no member is known to be of another kind."""
        return all(
            not name or not known or name in known for name, known in zip(kind, self.kinds, strict=True)
        )

    def add(self, failure: Failure) -> None:
        self.members.append(failure)
        for name, known in zip(failure.kind, self.kinds, strict=True):
            if name:
                known[name] += 1


class _Sums:
    """Sums over the members of one language, with or without vectors, by the clusters' places."""

    def __init__(self, dimension: int) -> None:
        self._meaning: Matrix = np.zeros((16, dimension))
        self._counts: Matrix = np.zeros(16)
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)

    def add(self, place: int, vector: Floats | None, weights: Mapping[str, float]) -> None:
        while place >= len(self._counts):
            self._meaning = np.concatenate([self._meaning, np.zeros_like(self._meaning)])
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
        self._counts[place] += 1
        if vector is not None:
            self._meaning[place] += vector
        for word, value in weights.items():
            postings = self._postings[word]
            postings[place] = postings.get(place, 0.0) + value

    def counts(self, size: int) -> Matrix:
        """How many members each of the first `size` clusters has."""
        return _padded(self._counts, size)

    def cosines(self, vector: Floats, size: int) -> Matrix:
        """Mean cosine of a vector to the members of each cluster; 0 where there are none."""
        return _padded(self._meaning @ vector / np.maximum(self._counts, 1), size)

    def shared(self, weights: Mapping[str, float], size: int) -> Matrix:
        """Mean cosine of words to the members of each cluster; 0 where there are none."""
        total = np.zeros(size)
        for word, value in weights.items():
            for place, there in self._postings.get(word, {}).items():
                total[place] += value * there
        return total / np.maximum(self.counts(size), 1)


class OnlineClusters:
    """The clusters of one namespace, held in memory; what is stored is only who is in which cluster.

    A failure joins the cluster to whose members it is most like on average, or starts its own; it never moves
    another. One placement costs a product with a vector or two per cluster and the postings of the failure's words,
    whatever the number of members; scale and cuts are taken anew each time that number has grown by half. Not
    thread-safe: the caller holds the namespace's lease.
    """

    def __init__(
        self, background: Background, clusters: Mapping[str, Sequence[Failure]] | None = None
    ) -> None:
        """Start from the clusters that exist (cluster id -> members)."""
        self._background = background
        self._clusters: dict[str, _Cluster] = {}
        self._cluster_of: dict[str, str] = {}
        for name, members in sorted((clusters or {}).items()):
            for failure in sorted(members, key=lambda member: member.id):
                self._hold(name, failure)
        self._measure()

    @property
    def scale(self) -> Scale:
        """The scale on which failures are compared now."""
        return self._scale

    @property
    def cuts(self) -> Cuts:
        """The cuts that the clusters have taught so far."""
        return self._cuts

    def place(self, failure: Failure, new_id: str = "") -> Placement:
        """Put a failure into a cluster and say which; new_id: name of a new cluster, else the failure's id.

        A failure that is in a cluster stays there.
        """
        known = self._cluster_of.get(failure.id)
        if known is not None:
            return Placement(failure.id, known, 1.0, False)
        name, similarity = self._nearest(failure)
        created = not name
        name = name or new_id or failure.id
        self._hold(name, failure)
        if len(self._cluster_of) >= GROWTH * self._measured:
            self._measure()
        else:
            self._sum(failure, self._clusters[name].place)
        return Placement(failure.id, name, similarity, created)

    def members(self, cluster_id: str) -> tuple[Failure, ...]:
        """The members of a cluster in the order they came; () for an unknown one."""
        found = self._clusters.get(cluster_id)
        return tuple(found.members) if found else ()

    def core(self, cluster_id: str, latest: int = CORE_MEMBERS) -> tuple[str, ...]:
        """Those of its members, the latest so many, on which a pattern rests now (clusters.core_of)."""
        return core_of(self.members(cluster_id)[-latest:], self._scale, self._cuts)

    def _hold(self, name: str, failure: Failure) -> None:
        found = self._clusters.setdefault(name, _Cluster(place=len(self._clusters)))
        found.add(failure)
        self._cluster_of[failure.id] = name

    def _measure(self) -> None:
        """Take scale and cuts of all failures and sum up every cluster on that scale."""
        everyone = [failure for found in self._clusters.values() for failure in found.members]
        everyone.sort(key=lambda failure: failure.id)
        self._scale = scale_of(everyone, self._background)
        self._measured = max(1, len(everyone))
        self._cuts = cuts_of(similarities(everyone[:: 1 + len(everyone) // SAMPLE], self._scale))
        self._sums: dict[tuple[str, bool], _Sums] = {}
        for found in self._clusters.values():
            for failure in found.members:
                self._sum(failure, found.place)

    def _sum(self, failure: Failure, place: int) -> None:
        """Add a member to the sums of its cluster."""
        vector = self._scale.meaning(failure)
        key = (failure.language, vector is not None)
        if key not in self._sums:
            self._sums[key] = _Sums(self._scale.dimension)
        self._sums[key].add(place, vector, self._scale.weights(failure.account))

    def _nearest(self, failure: Failure) -> tuple[str, float]:
        """The cluster most like a failure and how much; ('', 0) where none is like enough."""
        names = list(self._clusters)
        likeness = self._likeness(failure, len(names))
        if bonus := self._scale.type_bonus(failure.kind[0]):
            same = [found.kinds[0][failure.kind[0]] / len(found.members) for found in self._clusters.values()]
            likeness = likeness + bonus * np.array(same)
        for place in np.argsort(-likeness, kind="stable"):
            if likeness[place] < self._cuts.group + JOIN_MARGIN:
                break
            if self._clusters[names[place]].accepts(failure.kind):
                return names[place], float(likeness[place])
        return "", 0.0

    def _likeness(self, failure: Failure, size: int) -> Matrix:
        """Mean similarity to the members of each cluster (likeness.similarities), by the clusters' places."""
        weights = self._scale.weights(failure.account)
        vector = self._scale.meaning(failure)
        total, members = np.zeros(size), np.zeros(size)
        for (language, told), sums in sorted(self._sums.items()):
            counts = sums.counts(size)
            mean = sums.shared(weights, size)
            if told and vector is not None:
                share = MEANING if language == failure.language else 1.0
                mean = share * self._scale.rescaled(sums.cosines(vector, size)) + (1 - share) * mean
            total += counts * mean
            members += counts
        return np.round(total / np.maximum(members, 1), 9)


def _padded(values: Matrix, size: int) -> Matrix:
    """The first `size` values, zeros where there are fewer."""
    return values[:size] if len(values) >= size else np.concatenate([values, np.zeros(size - len(values))])
