"""Which classes of failures bring about which, told from order and co-occurrence alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtr

from graphmem.analysis.history import Occurrence
from graphmem.domain.overview import Bond

MIN_EPISODES = 100
"""Below, two classes co-occur; that one causes the other cannot be told."""
FALSE_DISCOVERIES = 0.05
"""Expected share of wrong links among those found (Benjamini-Hochberg)."""
ORDERED = 0.05
"""Level at which the cause must come first."""
EXPLAINED = 0.01
"""A link is explained by a third class when, that class held fixed, the rest is no longer significant at this level."""

MOSTLY_FIRST = 0.8
"""Share of their episodes in which a cause comes before its effect at least, for the order to count as an order."""

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassLink:
    """What order and co-occurrence tell of two classes, of which the first may bring the second about.

    together: episodes with both. first: of these, how often the cause class came first. q: the false-discovery
    rate at which they still go together (adjusted p-value); None where there are too few episodes to tell.
    """

    cause_class: str
    effect_class: str
    together: int
    first: int
    q: float | None
    bond: Bond


@dataclass(frozen=True)
class Presence:
    """Which class occurred in which episode, and when first.

    present: bool, shape (episodes, classes). rank: place in its episode's order of a class's first occurrence,
    same shape, meaningless where absent.
    """

    classes: tuple[str, ...]
    present: NDArray[np.bool_]
    rank: NDArray[np.int32]

    @classmethod
    def of(cls, episodes: Mapping[str, Sequence[Occurrence]], classes: Sequence[str]) -> Presence:
        """Reads the failures of every episode, given in order of time."""
        column = {name: place for place, name in enumerate(classes)}
        present = np.zeros((len(episodes), len(column)), dtype=bool)
        rank = np.zeros((len(episodes), len(column)), dtype=np.int32)
        for row, members in enumerate(episodes.values()):
            for place, event in enumerate(members):
                at = column.get(event.error_class)
                if at is not None and event.failed and not present[row, at]:
                    present[row, at] = True
                    rank[row, at] = place
        return cls(tuple(classes), present, rank)

    def lifts(self) -> Counts:
        """Episodes with both classes over those expected if they were independent; float64, square."""
        present = self.present.astype(np.float64)
        counted = present.sum(axis=0)
        expected = np.outer(counted, counted)
        together = present.T @ present * len(present)
        return np.divide(together, expected, out=np.zeros_like(together), where=expected > 0)


def class_links(presence: Presence) -> list[ClassLink]:
    """The pairs of class_bonds() that are links, surest first; none below MIN_EPISODES."""
    found = [(link.q, link) for link in class_bonds(presence) if link.bond is Bond.LEADS_TO]
    found.sort(key=lambda item: (item[0], -item[1].together, item[1].cause_class, item[1].effect_class))
    return [link for _, link in found]


def class_bonds(presence: Presence) -> list[ClassLink]:
    """What is told of every ordered pair of classes that shares an episode, by the names of the two.

    Below MIN_EPISODES all only co-occur.

    Two tests must both reject: the classes share more episodes than chance would let them (hypergeometric mean and
    variance, normal approximation; false discoveries over all pairs controlled after Benjamini, Hochberg 1995), and the
    cause comes first more often than by the toss of a coin (binomial, ORDERED). Then every third class that goes with
    both and comes before the effect is held fixed (Mantel, Haenszel 1959): if what is left is not significant at
    EXPLAINED, the link is explained by that class, a step between them or a common cause (the first level of the PC
    algorithm: Spirtes, Glymour, Scheines 2000). The levels were chosen on seeds 0 to 9 of the planted histories.
    A hidden common cause that strikes in a fixed order cannot be told from a link; one that strikes in any order
    fails the second test, and is suspected where no recorded class explains what the pair shares and it can be ruled
    out that either comes first in MOSTLY_FIRST of the episodes (binomial, ORDERED; chosen on seeds 0 to 9, too).
    """
    together, first = _pair_counts(presence)
    pairs = [(int(a), int(b)) for a, b in np.argwhere(together > 0) if a != b]
    if len(presence.present) < MIN_EPISODES or not pairs:
        return [_link(presence, pair, together, first, None, Bond.CO_OCCURS) for pair in pairs]
    q = _adjusted(_association(presence, together))
    ordered = _order(first) <= ORDERED
    return [
        _link(presence, (a, b), together, first, float(q[a, b]), _bond(presence, q, first, ordered, (a, b)))
        for a, b in pairs
    ]


def _link(
    presence: Presence, pair: tuple[int, int], together: Counts, first: Counts, q: float | None, bond: Bond
) -> ClassLink:
    cause, effect = presence.classes[pair[0]], presence.classes[pair[1]]
    return ClassLink(cause, effect, int(together[pair]), int(first[pair]), q, bond)


def _bond(
    presence: Presence, q: Counts, first: Counts, ordered: NDArray[np.bool_], pair: tuple[int, int]
) -> Bond:
    a, b = pair
    if q[a, b] > FALSE_DISCOVERIES or (ordered[b, a] and not ordered[a, b]):
        return Bond.CO_OCCURS
    if ordered[a, b]:
        return Bond.EXPLAINED if _explained(presence, q, first, a, b) else Bond.LEADS_TO
    if _explained(presence, q, first, a, b) or _explained(presence, q, first, b, a):
        return Bond.EXPLAINED
    return Bond.HIDDEN_CAUSE if _mixed(first[a, b], first[b, a]) else Bond.CO_OCCURS


def _pair_counts(presence: Presence) -> tuple[Counts, Counts]:
    """Episodes with both classes, and those in which the row's class came first; float64, square."""
    present = presence.present.astype(np.float64)
    together = present.T @ present
    first = np.zeros_like(together)
    for a in range(len(presence.classes)):
        rows = presence.present[:, a]
        ahead = presence.rank[rows, a, None] < presence.rank[rows]
        first[a] = (ahead & presence.present[rows]).sum(axis=0)
    return together, first


def _association(presence: Presence, together: Counts) -> Counts:
    """One-sided p-values that two classes share so many episodes by chance."""
    n = float(len(presence.present))
    counted = presence.present.sum(axis=0).astype(np.float64)
    mean = np.outer(counted, counted) / n
    variance = mean * np.outer(n - counted, n - counted) / (n * (n - 1))
    return _upper_tail(together - mean, variance)


def _order(first: Counts) -> Counts:
    """One-sided p-values that a fair coin would put the row's class first so often."""
    # P(X >= k) of n tosses is the incomplete beta function of k and n - k + 1.
    tail = betainc(np.maximum(first, 1), first.T + 1, 0.5)
    return np.where(first > 0, tail, 1.0)


def _mixed(first: float, second: float) -> bool:
    """Whether it can be ruled out that either of the two comes first in MOSTLY_FIRST of the episodes."""
    # P(X <= k) of n draws is the incomplete beta function of n - k and k + 1 at the share of the others.
    return all(
        float(betainc(other, one + 1, 1 - MOSTLY_FIRST)) <= ORDERED if other else False
        for one, other in ((first, second), (second, first))
    )


def _explained(presence: Presence, q: Counts, first: Counts, a: int, b: int) -> bool:
    """Whether one third class, linked with the effect and coming before it, takes the association away."""
    before = (first[:, b] > first[b]) & (q[:, b] <= FALSE_DISCOVERIES)
    before[[a, b]] = False
    thirds = np.flatnonzero(before & (q[:, a] <= FALSE_DISCOVERIES))
    if not len(thirds):
        return False
    one, two = presence.present[:, a], presence.present[:, b]
    excess, variance = np.zeros(len(thirds)), np.zeros(len(thirds))
    for stratum in (presence.present[:, thirds], ~presence.present[:, thirds]):
        size = stratum.sum(axis=0).astype(np.float64)
        with_one, with_two = (stratum[rows].sum(axis=0) for rows in (one, two))
        mean = with_one * with_two / np.maximum(size, 1)
        excess += stratum[one & two].sum(axis=0) - mean
        variance += mean * (size - with_one) * (size - with_two) / np.maximum(size * (size - 1), 1)
    return bool((_upper_tail(excess, variance) > EXPLAINED).any())


def _upper_tail(excess: Counts, variance: Counts) -> Counts:
    z = np.divide(excess, np.sqrt(variance), out=np.zeros_like(excess), where=variance > 0)
    return np.asarray(ndtr(-z), dtype=np.float64)


def _adjusted(p: Counts) -> Counts:
    """Benjamini and Hochberg's adjusted p-values over all entries but the diagonal."""
    off: NDArray[Any] = ~np.eye(len(p), dtype=bool)
    values = p[off]
    order = np.argsort(values)
    scaled = values[order] * len(values) / np.arange(1, len(values) + 1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    q = np.ones_like(p)
    q[off] = adjusted
    return q
