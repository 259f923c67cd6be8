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
"""Share of the vectors in the similarity of two failures told in one language; the rest is the words'. Across
languages words cannot match and the vectors alone count.
"""
BACKGROUND_WEIGHT = 50
"""How many failures the background counts for, in the means and in the words' frequencies. With a store's own
numbers alone, three failures of one family would be compared with themselves and nothing would be alike.
"""
SAME_TYPE = 0.15
"""Added where both failures have the same error type, times the share of failures that have another or none: whoever
gave the type saw the same in both, but a type that everything has tells nothing.
"""
UNLIKE = -1.0
"""Similarity of two failures that are known to be of different kinds."""
_BLOCK = 512
"""Rows compared at a time: it bounds the memory beside the result."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of an embedding space before the first failure: SpaceParameters' mean per language
    (float32[d]), and mu, the cosine of unrelated texts, for spaces whose means nobody measured.
    """

    mean: Mapping[str, Floats] = field(default_factory=dict)
    mu: float = 0.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Statistics of a set of failures, on which any failures can be compared: the mean vector per language,
    the number of failures and in how many of them each word stands. mu is taken off cosines where there are no
    means to take off the vectors.
    """

    mean: Mapping[str, Floats]
    mu: float
    dimension: int
    documents: int
    containing: Mapping[str, int]
    typed: Mapping[str, int]

    def type_bonus(self, error_type: str) -> float:
        """What two failures of this normalised error type are more alike for it; 0 for the unknown type ''."""
        if not error_type:
            return 0.0
        return SAME_TYPE * (1 - self.typed.get(error_type, 0) / (BACKGROUND_WEIGHT + self.documents))

    def weights(self, text: str) -> dict[str, float]:
        """TF-IDF of the words of a text as a unit vector: (1 + ln tf) * (1 + ln((1 + N) / (1 + n))), N with the
        background's failures, in none of which the word stands.
        """
        raw = {
            word: (1 + math.log(count)) * self._rarity(word) for word, count in Counter(words(text)).items()
        }
        norm = math.sqrt(math.fsum(value * value for value in raw.values()))
        return {word: value / norm for word, value in sorted(raw.items())}

    def meaning(self, failure: Failure) -> Floats | None:
        """The centred unit vector of a failure, None where it has none that can be compared."""
        if failure.vector is None or not is_comparable(failure.vector, self.dimension):
            return None
        rest = centred(failure.vector, self.mean.get(failure.language))
        return rest if rest.any() else None

    def rescaled(self, cosines: Matrix) -> Matrix:
        """Cosines of centred vectors, 0 for unrelated ones and at most 1."""
        return (cosines - self.mu) / (1 - self.mu)

    def _rarity(self, word: str) -> float:
        seen = 1 + self.containing.get(word, 0)
        return 1 + math.log((1 + BACKGROUND_WEIGHT + self.documents) / seen)


def scale_of(failures: Sequence[Failure], background: Background) -> Scale:
    """The scale that a set of failures gives, blended with the background: per language, own mean and
    background mean weighted by their numbers. Without means in the background, mu is taken off the cosines until
    there are as many failures as the background would count for.
    """
    dimension = dimension_of(failures)
    spoken: dict[str, list[Floats]] = {}
    containing: Counter[str] = Counter()
    typed = Counter(failure.kind[0] for failure in failures)
    for failure in failures:
        if failure.vector is not None and is_comparable(failure.vector, dimension):
            spoken.setdefault(failure.language, []).append(failure.vector)
        containing.update(set(words(failure.account)))
    mean, mu = {}, 0.0
    if background.mean or sum(map(len, spoken.values())) >= BACKGROUND_WEIGHT:
        mean = {name: _blended(np.array(rows), background.mean.get(name)) for name, rows in spoken.items()}
    else:
        mu = float(np.clip(background.mu, 0.0, 0.95))
    return Scale(mean, mu, dimension, len(failures), dict(containing), dict(typed))


def similarities(failures: Sequence[Failure], scale: Scale) -> Matrix:
    """Similarity of every two failures: float64[n, n] in [-1, 1], symmetric, 1 on the diagonal, UNLIKE across
    kinds. Where one of two has no vector, their words alone count.
    """
    meaning, told = _meanings(failures, scale)
    rows = _rows(failures, scale)
    language = np.array([failure.language for failure in failures])
    types = np.array([failure.kind[0] for failure in failures], dtype=object)
    bonus = np.array([scale.type_bonus(name) for name in types])
    result = np.empty((len(failures), len(failures)))
    for start in range(0, len(failures), _BLOCK):
        part = slice(start, start + _BLOCK)
        shared = (rows[part] @ rows.T).toarray()
        cosines = scale.rescaled((meaning[part] @ meaning.T).astype(np.float64))
        share = np.where(language[part, None] == language[None, :], MEANING, 1.0)
        both = told[part, None] & told[None, :]
        result[part] = np.where(both, share * cosines + (1 - share) * shared, shared)
        result[part] += bonus[part, None] * (types[part, None] == types[None, :])
        result[part][_unlike(failures[part], failures)] = UNLIKE
    # A product of matrices may differ in its last bit above and below the diagonal.
    result = np.clip(np.round((result + result.T) / 2, 9), -1.0, 1.0)
    np.fill_diagonal(result, 1.0)
    return result


def _rows(failures: Sequence[Failure], scale: Scale) -> sparse.csr_matrix:
    """The words of each failure as a unit row, zero where there are none."""
    columns: dict[str, int] = {}
    starts, places, values = [0], list[int](), list[float]()
    for failure in failures:
        for word, value in scale.weights(failure.account).items():
            places.append(columns.setdefault(word, len(columns)))
            values.append(value)
        starts.append(len(places))
    return sparse.csr_matrix((values, places, starts), shape=(len(failures), max(1, len(columns))))


def _meanings(failures: Sequence[Failure], scale: Scale) -> tuple[Floats, NDArray[np.bool_]]:
    """Centred unit vectors, float32[n, d], and which of the failures have one; the others' rows are zero."""
    rows = np.zeros((len(failures), scale.dimension), dtype=np.float32)
    told = np.zeros(len(failures), dtype=bool)
    for place, failure in enumerate(failures):
        vector = scale.meaning(failure)
        if vector is not None:
            rows[place], told[place] = vector, True
    return rows, told


def _unlike(some: Sequence[Failure], failures: Sequence[Failure]) -> NDArray[np.bool_]:
    """Which pairs are known to be of different kinds: bool[len(some), len(failures)]."""
    result = np.zeros((len(some), len(failures)), dtype=bool)
    for part in (0, 1):
        first = np.array([failure.kind[part] for failure in some], dtype=object)[:, None]
        second = np.array([failure.kind[part] for failure in failures], dtype=object)[None, :]
        result |= ((first != "") & (second != "") & (first != second)).astype(bool)
    return result


def dimension_of(failures: Sequence[Failure]) -> int:
    """The length of most vectors, the smaller of equals; 1 without vectors."""
    lengths = Counter(len(failure.vector) for failure in failures if failure.vector is not None)
    return max(lengths, key=lambda length: (lengths[length], -length), default=1)


def is_comparable(vector: Floats, dimension: int) -> bool:
    """Whether a vector has so many numbers, all finite and not all zero."""
    return len(vector) == dimension and bool(np.isfinite(vector).all()) and bool(vector.any())


def _blended(vectors: Floats, background: Floats | None) -> Floats:
    total = vectors.sum(axis=0, dtype=np.float64)
    count = len(vectors)
    if background is not None and len(background) == vectors.shape[1]:
        total, count = total + BACKGROUND_WEIGHT * background, count + BACKGROUND_WEIGHT
    return np.asarray(total / count, dtype=np.float32)
