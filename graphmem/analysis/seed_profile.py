"""Clusters as the first article makes them, for comparison. In a file of its own: scikit-learn takes longer to load
than everything else together.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.cluster import DBSCAN

from graphmem.analysis.clusters import Cuts, Group, groups_of, ordered_by_id
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import dimension_of, is_comparable

SEED_RADIUS = 0.3
SEED_MINIMUM = 2


def cluster_as_seed(failures: Iterable[Failure]) -> list[Group]:
    """Profile `seed`: DBSCAN(eps .3, min_samples 2, cosine) on raw vectors (seed 1), noise and failures without a
    vector as groups of one. Every group of three episodes is a core: the article knows no tightness.
    """
    ordered = ordered_by_id(failures)
    size = dimension_of(ordered)
    vectors = {place: failure.vector for place, failure in enumerate(ordered) if failure.vector is not None}
    told = [place for place, vector in vectors.items() if is_comparable(vector, size)]
    labels = np.arange(len(ordered)) + len(ordered)
    likeness = np.eye(len(ordered))
    if told:
        rows = np.array([vectors[place] for place in told], dtype=np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        found = DBSCAN(eps=SEED_RADIUS, min_samples=SEED_MINIMUM, metric="cosine").fit_predict(rows)
        places = np.array(told)
        labels[places[found >= 0]] = found[found >= 0]
        likeness[np.ix_(places, places)] = np.clip(rows @ rows.T, -1.0, 1.0)
    return groups_of(ordered, likeness, labels, Cuts(-1.0, -1.0, -1.0))
