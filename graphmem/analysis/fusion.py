"""One relevance from words and meaning, on a scale that does not depend on the other candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

LEXICAL_HALF = 8.0
"""BM25 score at which the lexical part is half of its maximum."""
DEVIATIONS = 6.0
"""Standard deviations above chance that count as full similarity."""
LISTED_DEVIATIONS = 2.0
"""Without a shared token something is listed as fitting only from this many deviations above chance."""
WEAK_DEVIATIONS = 0.0
"""What went wrong is listed, as weak, where it is nearer than unrelated texts are on average."""
KEY_BONUS = 0.1
"""Added for each equal structured key."""
MIXED_WEIGHT = 0.3
"""Weight of words where the store mixes languages: words cannot match across them."""
HALF_LIFE_DAYS = 30.0


def relevance(lexical: Scores, deviations: Scores, word_weight: float) -> Scores:
    """a * s / (s + 8) + (1 - a) * z / 6 per item.

    lexical: raw BM25 scores >= 0; deviations: (cosine - mu) / sd of the space, 0 where there is no vector;
    word_weight: a in [0, 1]. Raw values, possibly below 0 or above 1: clip only what is shown.
    Query-independent normalisation; the constants lose at most .012 over four sets and two models.
    """
    return word_weight * lexical / (lexical + LEXICAL_HALF) + (1 - word_weight) * deviations / DEVIATIONS


def decay(age_days: Scores) -> Scores:
    """.9 + .1 * 2 ** (-age / 30 d): old memories lose at most a tenth; a future date counts as now."""
    return 0.9 + 0.1 * np.exp2(-np.maximum(age_days, 0.0) / HALF_LIFE_DAYS)
