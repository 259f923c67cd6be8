"""Scores of a clustering against labels, with intervals, and the trivial groupings they are read beside."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score, v_measure_score

from benchmarks.cluster_sets import Case
from benchmarks.reporting import Figure
from graphmem.analysis.clusters import PROMOTED_EPISODES
from graphmem.analysis.failures import Failure, words

RIGHT = 0.8
"""Share of one label from which a pattern is right (it also needs PROMOTED_EPISODES failures of it)."""
SEED = 20261130

Labels = Sequence[Hashable]
Score = Callable[[Labels, Labels], float]


def purity(truth: Labels, found: Labels) -> float:
    """Share of the items that have the commonest label of their cluster."""
    together: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for label, cluster in zip(truth, found, strict=True):
        together[cluster][label] += 1
    return sum(max(counts.values()) for counts in together.values()) / len(truth)


SCORES: Mapping[str, Score] = {
    "ARI": lambda truth, found: float(adjusted_rand_score(truth, found)),
    "V-measure": lambda truth, found: float(v_measure_score(truth, found)),
    "purity": purity,
}


def score_figure(
    name: str, cases: Sequence[Case], found: Labels, beside: Mapping[str, Labels], rounds: int
) -> Figure:
    """A score and the same of other groupings. The interval is 1.96 deviations of the score on random halves of the
    episodes, clusters held fixed (a bootstrap would draw items twice, and twins always agree).
    """
    score = SCORES[name]
    truth = [case.label for case in cases]
    episodes: dict[str, list[int]] = defaultdict(list)
    for place, case in enumerate(cases):
        episodes[case.episode].append(place)
    groups = list(episodes.values())
    chance = np.random.default_rng(SEED)
    drawn = []
    for _ in range(rounds):
        places = [
            place for number in chance.integers(len(groups), size=len(groups)) for place in groups[number]
        ]
        drawn.append(score([truth[place] for place in places], [found[place] for place in places]))
    value, spread = score(truth, found), 1.96 * float(np.std(drawn))
    others = {label: score(truth, grouping) for label, grouping in beside.items()}
    return Figure(value, max(-1.0, value - spread), min(1.0, value + spread), len(cases), others)


def trivial(cases: Sequence[Case]) -> dict[str, Labels]:
    """Groupings that need no memory: all in one, each alone, the same first five words, the same error type."""
    groupings: dict[str, Labels] = {
        "one cluster": [0] * len(cases),
        "singletons": list(range(len(cases))),
        "five words": [" ".join(words(case.account)[:5]) for case in cases],
    }
    if any(case.error_type for case in cases):
        groupings["error type"] = [case.error_type or case.id for case in cases]
    return groupings


def best_radius(failures: Sequence[Failure], truth: Labels) -> Labels:
    """DBSCAN on raw vectors with the radius that the labels like best: what the article's advice can reach at
    most, noise as singletons.
    """
    rows = np.array([failure.vector for failure in failures], dtype=np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    distances = np.clip(1 - rows @ rows.T, 0, None)
    found = [
        _alone(DBSCAN(eps=radius, min_samples=2, metric="precomputed").fit_predict(distances))
        for radius in (*np.arange(0.005, 0.1, 0.005), *np.arange(0.1, 0.9, 0.02))
    ]
    return max(found, key=lambda labels: float(adjusted_rand_score(truth, labels)))


def right_label(cases: Sequence[Case], members: Sequence[int]) -> str:
    """The label that a pattern of these members is right about, '' if it mixes too many."""
    label, count = Counter(cases[place].label for place in members).most_common(1)[0]
    return label if count >= max(RIGHT * len(members), PROMOTED_EPISODES) else ""


def teachable(cases: Sequence[Case]) -> int:
    """How many labels have failures of enough episodes for a pattern."""
    episodes: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        episodes[case.label].add(case.episode)
    return sum(len(found) >= PROMOTED_EPISODES for found in episodes.values())


def _alone(labels: NDArray[np.int64]) -> Labels:
    return [int(label) if label >= 0 else -1 - place for place, label in enumerate(labels)]
