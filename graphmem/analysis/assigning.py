"""Clusters that grow one failure at a time: an identity at once, until all are clustered anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphmem.analysis.clusters import core_of
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background, Scale, scale_of
from graphmem.analysis.vectors import Floats

JOIN_CUT = 0.3
"""Mean similarity to the members of a cluster from which a failure joins it (average linkage)."""
GROWTH = 1.5
"""The scale is taken anew when there are so many times the failures it was made of."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a failure went. similarity: its mean similarity to the members before it, 0 for a new cluster."""

    failure_id: str
    cluster_id: str
    similarity: float
    created: bool


@dataclass(slots=True)
class _Cluster:
    """Members in the order they came, and which error and root-cause types are among them."""

    place: int
    members: list[Failure] = field(default_factory=list)
    kinds: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))

    def accepts(self, kind: tuple[str, str]) -> bool:
        """Whether no member is known to be of another kind."""
        return all(
            not name or not known or known == {name} for name, known in zip(kind, self.kinds, strict=True)
        )

    def add(self, failure: Failure) -> None:
        self.members.append(failure)
        for name, known in zip(failure.kind, self.kinds, strict=True):
            if name:
                known.add(name)


class OnlineClusters:
    """The clusters of one namespace, held in memory; what is stored is only who is in which cluster.

    A failure joins the cluster to whose members it is most like on average, or starts its own, named by a
    failure's id: it never moves another. One placement costs a product with one vector per cluster and the
    postings of the failure's words, whatever the number of members; the scale is taken anew each time their
    number has grown by half. Not thread-safe: the caller holds the namespace's lease.
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

    def place(self, failure: Failure, new_id: str = "") -> Placement:
        """Put a failure into a cluster and say which; new_id: name of a new cluster, else the failure's id.

        A failure that is in a cluster stays there.
        """
        known = self._cluster_of.get(failure.id)
        if known is not None:
            return Placement(failure.id, known, 1.0, False)
        name, similarity = self._nearest(failure)
        created = not name
        if created:
            name = new_id or failure.id
        self._hold(name, failure)
        if len(self._cluster_of) >= GROWTH * self._measured:
            self._measure()
        else:
            self._sum(failure, self._clusters[name])
        return Placement(failure.id, name, similarity, created)

    def members(self, cluster_id: str) -> tuple[Failure, ...]:
        """The members of a cluster in the order they came; () for an unknown one."""
        found = self._clusters.get(cluster_id)
        return tuple(found.members) if found else ()

    def core(self, cluster_id: str) -> tuple[str, ...]:
        """Those of its members on which a pattern rests now (clusters.core_of)."""
        return core_of(self.members(cluster_id), self._scale)

    def _hold(self, name: str, failure: Failure) -> None:
        found = self._clusters.setdefault(name, _Cluster(place=len(self._clusters)))
        found.add(failure)
        self._cluster_of[failure.id] = name

    def _measure(self) -> None:
        """Take the scale of all failures and sum up every cluster on it."""
        everyone = [failure for found in self._clusters.values() for failure in found.members]
        everyone.sort(key=lambda failure: failure.id)
        self._scale = scale_of(everyone, self._background)
        self._measured = max(1, len(everyone))
        self._meaning: NDArray[np.float64] = np.zeros(
            (max(16, 2 * len(self._clusters)), self._scale.dimension)
        )
        self._counts = np.zeros((2, len(self._meaning)))
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        for found in self._clusters.values():
            for failure in found.members:
                self._sum(failure, found)

    def _sum(self, failure: Failure, found: _Cluster) -> None:
        """Add a member to the sums of its cluster."""
        if found.place >= len(self._meaning):
            self._meaning = np.concatenate([self._meaning, np.zeros_like(self._meaning)])
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)], axis=1)
        vector = self._scale.meaning(failure)
        if vector is not None:
            self._meaning[found.place] += vector
            self._counts[1, found.place] += 1
        self._counts[0, found.place] += 1
        for word, value in self._scale.weights(failure.account).items():
            postings = self._postings[word]
            postings[found.place] = postings.get(found.place, 0.0) + value

    def _nearest(self, failure: Failure) -> tuple[str, float]:
        """The cluster most like a failure and how much; ('', 0) where none reaches JOIN_CUT."""
        names = list(self._clusters)
        if not names:
            return "", 0.0
        likeness = self._likeness(failure, len(names))
        for place in np.argsort(-np.round(likeness, 9), kind="stable"):
            if likeness[place] < JOIN_CUT:
                break
            if self._clusters[names[place]].accepts(failure.kind):
                return names[place], float(likeness[place])
        return "", 0.0

    def _likeness(self, failure: Failure, count: int) -> NDArray[np.float64]:
        """Mean similarity to the members of each cluster, by the clusters' places."""
        members, told = self._counts[:, :count]
        shared = np.zeros(count)
        for word, value in self._scale.weights(failure.account).items():
            for place, total in self._postings.get(word, {}).items():
                shared[place] += value * total
        shared /= members
        vector: Floats | None = self._scale.meaning(failure)
        if vector is None:
            return shared
        cosines = self._meaning[:count] @ vector / np.maximum(told, 1)
        portion = told / members
        both = self._scale.likeness(cosines, shared)
        return np.asarray(portion * both + (1 - portion) * shared, dtype=np.float64)
