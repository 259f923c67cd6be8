"""Which failures belong together, all looked at at once, and which of the groups make a pattern."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import DBSCAN

from graphmem.analysis.failures import Failure, episodes, words
from graphmem.analysis.likeness import Background, Scale, scale_of, similarities

GROUP_CUT = 0.25
"""Similarity that every two failures of one cluster have at least (complete linkage)."""
PROMOTION_CUT = 0.45
"""The same for the failures on which a pattern rests."""
PROMOTED_EPISODES = 3
"""Distinct episodes from which failures make a pattern (seed 2)."""
CORE_MEMBERS = 500
"""The latest members of a cluster among which the core is sought: it costs the square of their number."""
SEED_RADIUS = 0.3
SEED_MINIMUM = 2
TERMS = 6

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster. ids: its members, ascending; core: those on which a pattern rests, () where there is none;
    medoid: the member most like the others; tightness: the least similarity of two members, in [-1, 1], 1 for
    a single one; terms: words that tell the cluster from the rest, best first; episodes: distinct ones.
    """

    ids: tuple[str, ...]
    core: tuple[str, ...]
    medoid: str
    tightness: float
    terms: tuple[str, ...]
    episodes: int


def cluster(failures: Iterable[Failure], background: Background, cut: float = GROUP_CUT) -> list[Group]:
    """Groups of all the failures, the largest first; every failure is in exactly one, alone if need be.

    Agglomerative clustering, complete linkage, cut at a similarity. The result does not depend on the order of
    the failures. Time and memory grow with the square of their number: 5,000 take some 600 MB.
    """
    ordered = _ordered(failures)
    if not ordered:
        return []
    likeness = similarities(ordered, scale_of(ordered, background))
    return _groups(ordered, likeness, complete(likeness, cut))


def cluster_as_seed(failures: Iterable[Failure]) -> list[Group]:
    """Profile `seed`: DBSCAN(eps .3, min_samples 2, cosine) on raw vectors (seed 1), noise and failures without a
    vector as groups of one. Its cores ask for three episodes only: the article knows no tightness.
    """
    ordered = _ordered(failures)
    told = [i for i, failure in enumerate(ordered) if failure.vector is not None and failure.vector.any()]
    labels = np.arange(len(ordered)) + len(ordered)
    likeness = np.eye(len(ordered))
    if told:
        rows = np.array([ordered[i].vector for i in told], dtype=np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        found = DBSCAN(eps=SEED_RADIUS, min_samples=SEED_MINIMUM, metric="cosine").fit_predict(rows)
        places = np.array(told)
        labels[places[found >= 0]] = found[found >= 0]
        likeness[np.ix_(places, places)] = np.clip(rows @ rows.T, -1.0, 1.0)
    return _groups(ordered, likeness, labels, core_cut=-1.0)


def core_of(members: Iterable[Failure], scale: Scale) -> tuple[str, ...]:
    """Those of a cluster's members on which a pattern rests, ascending; () where they make none.

    The part with most episodes, then most members, when the cluster is divided at PROMOTION_CUT; it needs
    PROMOTED_EPISODES. Of more than CORE_MEMBERS members the latest are looked at.
    """
    ordered = _ordered(members)[-CORE_MEMBERS:]
    if episodes(ordered) < PROMOTED_EPISODES:
        return ()
    return _core(ordered, similarities(ordered, scale), PROMOTION_CUT)


def tightness(members: Sequence[Failure], scale: Scale) -> float:
    """The least similarity of two of the failures, in [-1, 1]; 1 for fewer than two."""
    return float(similarities(members, scale).min()) if len(members) > 1 else 1.0


def is_tight(value: float) -> bool:
    """Whether failures of this tightness may make a pattern of level HIGH (domain.rules.level)."""
    return value >= PROMOTION_CUT


def is_promoted(group: Group) -> bool:
    """Whether the group makes a pattern."""
    return bool(group.core)


def complete(likeness: Matrix, cut: float) -> NDArray[np.int64]:
    """A label per row of a similarity matrix: complete linkage, every two rows of one label >= cut alike."""
    if len(likeness) < 2:
        return np.zeros(len(likeness), dtype=np.int64)
    distances = squareform(1.0 - likeness, checks=False)
    # A hair more than the distance itself, so that identical texts stay together at a cut of 1.
    return np.asarray(fcluster(linkage(distances, "complete"), 1.0 - cut + 1e-9, "distance"), dtype=np.int64)


def _ordered(failures: Iterable[Failure]) -> list[Failure]:
    return sorted({failure.id: failure for failure in failures}.values(), key=lambda failure: failure.id)


def _groups(
    ordered: Sequence[Failure],
    likeness: Matrix,
    labels: NDArray[np.int64],
    core_cut: float = PROMOTION_CUT,
) -> list[Group]:
    members: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        members[int(label)].append(place)
    everywhere = Counter(word for failure in ordered for word in set(words(failure.account)))
    groups = []
    for places in members.values():
        inside = [ordered[place] for place in places]
        block = likeness[np.ix_(places, places)]
        groups.append(
            Group(
                ids=tuple(failure.id for failure in inside),
                core=_core(inside, block, core_cut),
                medoid=inside[int(np.argmax(np.round(block.sum(axis=0), 9)))].id,
                tightness=float(block.min()) if len(places) > 1 else 1.0,
                terms=_terms(inside, everywhere, len(ordered)),
                episodes=episodes(inside),
            )
        )
    return sorted(groups, key=lambda group: (-len(group.ids), group.ids))


def _core(ordered: Sequence[Failure], likeness: Matrix, cut: float) -> tuple[str, ...]:
    if episodes(ordered) < PROMOTED_EPISODES:
        return ()
    parts: dict[int, list[Failure]] = defaultdict(list)
    for failure, label in zip(ordered, complete(likeness, cut), strict=True):
        parts[int(label)].append(failure)
    best = min(parts.values(), key=lambda part: (-episodes(part), -len(part), part[0].id))
    return tuple(failure.id for failure in best) if episodes(best) >= PROMOTED_EPISODES else ()


def _terms(inside: Sequence[Failure], everywhere: Counter[str], total: int) -> tuple[str, ...]:
    """The words of at least 3 in 10 members that stand there more often than elsewhere, by the difference of
    the two shares.
    """
    found = Counter(word for failure in inside for word in set(words(failure.account)))
    outside = max(1, total - len(inside))
    scored = [
        (count / len(inside) - (everywhere[word] - count) / outside, word)
        for word, count in found.items()
        if count >= 0.3 * len(inside)
    ]
    return tuple(
        word for gain, word in sorted(scored, key=lambda item: (-item[0], item[1]))[:TERMS] if gain > 0
    )
