"""How alike two failures are: half by meaning, half by the words that tell failures apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphmem.analysis.failures import Failure, words
from graphmem.analysis.vectors import Floats, centred

MEANING = 0.5
"""Share of the vectors in the similarity; the rest is the words'."""
BACKGROUND_WEIGHT = 50
"""How many failures the background mean counts for. With a store's own mean alone, three failures of one family
would be compared with themselves and nothing would be alike.
"""
UNLIKE = -1.0
"""Similarity of two failures that are known to be of different kinds."""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of an embedding space before the first failure: SpaceParameters' mean per language
    (float32[d]), and mu, the cosine of unrelated texts, for spaces whose means nobody measured.
    """

    mean: Mapping[str, Floats] = field(default_factory=dict)
    mu: float = 0.0


@dataclass(frozen=True, slots=True)
class Rows:
    """Failures as rows of one scale. meaning: float32[n, d], unit rows, zero where `told` (bool[n]) is false;
    words: sparse [n, vocabulary], unit or zero rows.
    """

    meaning: Floats
    told: NDArray[np.bool_]
    words: sparse.csr_matrix


@dataclass(frozen=True, slots=True)
class Scale:
    """Statistics of a set of failures, on which any failures can be compared: the mean vector per language,
    the number of failures and in how many of them each word stands.
    """

    mean: Mapping[str, Floats]
    mu: float
    dimension: int
    documents: int
    containing: Mapping[str, int]

    def weights(self, text: str) -> dict[str, float]:
        """TF-IDF of the words of a text as a unit vector: (1 + ln tf) * (1 + ln((1 + N) / (1 + n)))."""
        counts = Counter(words(text))
        raw = {
            word: (1 + math.log(count))
            * (1 + math.log((1 + self.documents) / (1 + self.containing.get(word, 0))))
            for word, count in counts.items()
        }
        norm = math.sqrt(math.fsum(value * value for value in raw.values()))
        return {word: value / norm for word, value in sorted(raw.items())}

    def meaning(self, failure: Failure) -> Floats | None:
        """The centred unit vector of a failure, None where it has none that can be compared."""
        if failure.vector is None or len(failure.vector) != self.dimension:
            return None
        vector = centred(failure.vector, self.mean.get(failure.language))
        return vector if vector.any() and np.isfinite(vector).all() else None

    def rows(self, failures: Sequence[Failure]) -> Rows:
        """The failures as rows, in their order."""
        meaning = np.zeros((len(failures), self.dimension), dtype=np.float32)
        told = np.zeros(len(failures), dtype=bool)
        columns: dict[str, int] = {}
        starts, places, values = [0], list[int](), list[float]()
        for index, failure in enumerate(failures):
            vector = self.meaning(failure)
            if vector is not None:
                meaning[index], told[index] = vector, True
            for word, value in self.weights(failure.account).items():
                places.append(columns.setdefault(word, len(columns)))
                values.append(value)
            starts.append(len(places))
        shape = (len(failures), max(1, len(columns)))
        return Rows(meaning, told, sparse.csr_matrix((values, places, starts), shape=shape))

    def likeness(self, meaning: NDArray[np.float64], words: NDArray[np.float64]) -> NDArray[np.float64]:
        """Similarity from cosines of meaning and of words, where both failures have a vector."""
        return MEANING * (meaning - self.mu) / (1 - self.mu) + (1 - MEANING) * words


def scale_of(failures: Sequence[Failure], background: Background) -> Scale:
    """The scale that a set of failures gives, blended with the background: per language, own mean and
    background mean weighted by their numbers (notes of the measurements: docs/measurements.md, "Clusters").
    """
    dimension = _dimension(failures)
    spoken: dict[str, list[Floats]] = {}
    containing: Counter[str] = Counter()
    for failure in failures:
        if failure.vector is not None and len(failure.vector) == dimension:
            spoken.setdefault(failure.language, []).append(failure.vector)
        containing.update(set(words(failure.account)))
    mean = {
        language: _blended(np.array(vectors), background.mean.get(language))
        for language, vectors in spoken.items()
        if background.mean
    }
    mu = 0.0 if background.mean else min(0.95, background.mu)
    return Scale(mean, mu, dimension, len(failures), dict(containing))


def similarities(failures: Sequence[Failure], scale: Scale) -> NDArray[np.float64]:
    """Similarity of every two failures: float64[n, n], symmetric, 1 on the diagonal, UNLIKE across kinds.

    Where one of two has no vector, their words alone count.
    """
    rows = scale.rows(failures)
    shared = np.asarray((rows.words @ rows.words.T).todense(), dtype=np.float64)
    cosines = (rows.meaning @ rows.meaning.T).astype(np.float64)
    both = rows.told[:, None] & rows.told[None, :]
    result = np.where(both, scale.likeness(cosines, shared), shared)
    result[unlike(failures)] = UNLIKE
    result = np.clip((result + result.T) / 2, -1.0, 1.0)
    np.fill_diagonal(result, 1.0)
    return result


def unlike(failures: Sequence[Failure]) -> NDArray[np.bool_]:
    """Which pairs are known to be of different kinds: bool[n, n]."""
    result = np.zeros((len(failures), len(failures)), dtype=bool)
    for part in (0, 1):
        names = np.array([failure.kind[part] for failure in failures], dtype=object)
        known = names != ""
        result |= known[:, None] & known[None, :] & (names[:, None] != names[None, :])
    return result


def _dimension(failures: Sequence[Failure]) -> int:
    """The length of most vectors, the smaller of equals; 1 without vectors."""
    lengths = Counter(len(failure.vector) for failure in failures if failure.vector is not None)
    return max(lengths, key=lambda length: (lengths[length], -length), default=1)


def _blended(vectors: Floats, background: Floats | None) -> Floats:
    total = vectors.sum(axis=0, dtype=np.float64)
    count = len(vectors)
    if background is not None and len(background) == vectors.shape[1]:
        total, count = total + BACKGROUND_WEIGHT * background, count + BACKGROUND_WEIGHT
    return np.asarray(total / count, dtype=np.float32)
