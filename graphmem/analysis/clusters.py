"""Which failures belong together, all looked at at once, and which of the groups make a pattern."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from graphmem.analysis.failures import Failure, episodes, words
from graphmem.analysis.likeness import (
    Background,
    Matrix,
    Scale,
    scale_of,
    similarities,
)

GROUP_CUT = 0.25
"""Similarity that every two failures of one cluster have at least, in a young store."""
PROMOTION_CUT = 0.30
"""The same for the failures on which a pattern rests."""
TIGHT_CUT = 0.45
"""The same for those of a pattern of level HIGH."""
PROMOTED_EPISODES = 3
"""Distinct episodes from which failures make a pattern (seed 2)."""
CORE_MEMBERS = 500
"""The latest members of a cluster among which the core is sought: it costs the square of their number."""
LEARNED_PAIRS = 45
"""Pairs of different clusters from which the cuts follow the store: those of ten failures that have nothing in
common.
"""
TERMS = 6
TERM_SHARE = 0.3
"""Share of the members that must have a word for it to name the cluster."""

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cuts:
    """Least similarity of every two failures of one cluster (group), of those on which a pattern rests
    (promotion), and of those of a pattern of level HIGH (tight). The defaults are for a young store.
    """

    group: float = GROUP_CUT
    promotion: float = PROMOTION_CUT
    tight: float = TIGHT_CUT


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster. ids: its members, ascending; core: those on which a pattern rests, () where there is none;
    medoid: the member most like the others, of the core where there is one; tightness: the least similarity of
    two members of the core, else of two members, in [-1, 1], 1 for a single one; tight: whether the core may
    make a pattern of level HIGH; terms: words that tell the cluster from the rest, best first; episodes:
    distinct ones of all members.
    """

    ids: tuple[str, ...]
    core: tuple[str, ...]
    medoid: str
    tightness: float
    tight: bool
    terms: tuple[str, ...]
    episodes: int


def cluster(failures: Iterable[Failure], background: Background, cut: float | None = None) -> list[Group]:
    """Groups of all the failures, the largest first; every failure is in exactly one, alone if need be.

    Agglomerative clustering, complete linkage, cut at `cut`, else where cuts_of says. The result does not depend
    on the order of the failures. Time and memory grow with the square of their number: 5,000 take half a minute
    and some 500 MB.
    """
    ordered = ordered_by_id(failures)
    if not ordered:
        return []
    likeness = similarities(ordered, scale_of(ordered, background))
    cuts = cuts_of(likeness)
    labels = complete(likeness, cuts.group if cut is None else cut)
    return groups_of(ordered, likeness, labels, cuts)


def cuts_of(likeness: Matrix) -> Cuts:
    """The cuts that suit a store, from its similarity matrix: of the pairs that GROUP_CUT puts into different
    clusters 95 in 100 are less alike than the cut for grouping, 99 in 100 less than that for promotion; within
    [.15, .35] and [.30, .45].

    How alike unrelated failures are depends on the store: reports of one trade in one template are more alike
    than repeats of one mistake told in free words. Below LEARNED_PAIRS such pairs the defaults hold.
    """
    labels = complete(likeness, GROUP_CUT)
    apart = likeness[np.triu(labels[:, None] != labels[None, :], 1)]
    if len(apart) < LEARNED_PAIRS:
        return Cuts()
    grouped, promoted = np.quantile(apart, (0.95, 0.99))
    promotion = float(np.clip(promoted, PROMOTION_CUT, TIGHT_CUT))
    return Cuts(group=float(np.clip(grouped, 0.15, 0.35)), promotion=promotion, tight=promotion)


def core_of(members: Iterable[Failure], scale: Scale, cuts: Cuts | None = None) -> tuple[str, ...]:
    """Those of a cluster's members on which a pattern rests, ascending; () where they make none.

    The part with most episodes, then most members, when the cluster is divided at the cut for promotion; it
    needs PROMOTED_EPISODES. Of more than CORE_MEMBERS members the latest are looked at.
    """
    ordered = ordered_by_id(members)[-CORE_MEMBERS:]
    if episodes(ordered) < PROMOTED_EPISODES:
        return ()
    core = _core(ordered, similarities(ordered, scale), (cuts or Cuts()).promotion)
    return tuple(ordered[place].id for place in core)


def tightness(members: Sequence[Failure], scale: Scale) -> float:
    """The least similarity of two of the failures, in [-1, 1]; 1 for fewer than two."""
    return float(similarities(members, scale).min()) if len(members) > 1 else 1.0


def is_tight(value: float, cuts: Cuts | None = None) -> bool:
    """Whether failures of this tightness may make a pattern of level HIGH (domain.rules.level)."""
    return value >= (cuts or Cuts()).tight


def complete(likeness: Matrix, cut: float) -> Labels:
    """A label per row of a similarity matrix: complete linkage, every two rows of one label >= cut alike."""
    if len(likeness) < 2:
        return np.zeros(len(likeness), dtype=np.int64)
    distances = squareform(1.0 - likeness, checks=False)
    # A hair more than the distance itself, so that identical texts stay together at a cut of 1.
    return np.asarray(fcluster(linkage(distances, "complete"), 1.0 - cut + 1e-9, "distance"), dtype=np.int64)


def ordered_by_id(failures: Iterable[Failure]) -> list[Failure]:
    """The distinct failures by id, whatever order they came in."""
    return sorted({failure.id: failure for failure in failures}.values(), key=lambda failure: failure.id)


def groups_of(ordered: Sequence[Failure], likeness: Matrix, labels: Labels, cuts: Cuts) -> list[Group]:
    """The groups that labels (int64[n], one per failure) make, the largest first. likeness: float64[n, n], the
    similarity of every two; cuts: from which similarity members make a core, and are tight.
    """
    members: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        members[int(label)].append(place)
    bags = [frozenset(words(failure.account)) for failure in ordered]
    everywhere = Counter(word for bag in bags for word in bag)
    groups = []
    for places in members.values():
        inside = [ordered[place] for place in places]
        block = likeness[np.ix_(places, places)]
        core = _core(inside, block, cuts.promotion)
        speaking = core or list(range(len(inside)))
        part = block[np.ix_(speaking, speaking)]
        tight = float(part.min()) if len(part) > 1 else 1.0
        groups.append(
            Group(
                ids=tuple(failure.id for failure in inside),
                core=tuple(inside[place].id for place in core),
                medoid=inside[speaking[int(np.argmax(np.round(part.sum(axis=0), 6)))]].id,
                tightness=tight,
                tight=bool(core) and tight >= cuts.tight,
                terms=_terms([bags[place] for place in places], everywhere, len(ordered)),
                episodes=episodes(inside),
            )
        )
    return sorted(groups, key=lambda group: (-len(group.ids), group.ids))


def _core(ordered: Sequence[Failure], likeness: Matrix, cut: float) -> list[int]:
    """Places of the core, ascending."""
    if episodes(ordered) < PROMOTED_EPISODES:
        return []
    parts: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(complete(likeness, cut)):
        parts[int(label)].append(place)
    told = {label: episodes(ordered[place] for place in part) for label, part in parts.items()}
    best = min(parts, key=lambda label: (-told[label], -len(parts[label]), parts[label]))
    return parts[best] if told[best] >= PROMOTED_EPISODES else []


def _terms(bags: Sequence[frozenset[str]], everywhere: Counter[str], total: int) -> tuple[str, ...]:
    """The words of TERM_SHARE of the members that stand there more often than elsewhere, by the difference of the
    two shares; single characters say too little.
    """
    found = Counter(word for bag in bags for word in bag if len(word) > 1)
    outside = max(1, total - len(bags))
    gains = {
        word: count / len(bags) - (everywhere[word] - count) / outside
        for word, count in found.items()
        if count >= TERM_SHARE * len(bags)
    }
    best = sorted(gains, key=lambda word: (-round(gains[word], 9), word))[:TERMS]
    return tuple(word for word in best if gains[word] > 0)
