"""One searched field of one kind: its words and its vectors, changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmem.analysis.lexical import IncrementalBM25
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.analysis.vectors import Floats, centred, from_bytes
from graphmem.domain.records import SpaceParameters

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query text once cut into tokens and, where there is an embedder, centred. vector None = words only."""

    text: str
    tokens: tuple[str, ...]
    language: str
    vector: Floats | None


@dataclass(frozen=True, slots=True)
class FieldScores:
    """Scores per row of a shelf: raw BM25; deviations = (cosine - mu) / sd, NaN where nothing can be compared."""

    lexical: Scores
    deviations: Scores


class Space:
    """The learnt numbers of one embedding space, as arrays."""

    def __init__(self, parameters: SpaceParameters) -> None:
        self.parameters = parameters
        self.dimension = parameters.space.dimension
        self._means: Mapping[str, Floats] = {
            language: np.asarray(mean, dtype=np.float32) for language, mean in parameters.mean.items()
        }

    def prepare(self, data: bytes, language: str) -> Floats | None:
        """The centred unit vector of a text in this language; None when the bytes are no usable vector."""
        vector = from_bytes(data, self.dimension)
        return None if vector is None else centred(vector, self._means.get(language))

    def deviations(self, cosines: Scores) -> Scores:
        """Cosines as standard deviations above unrelated texts."""
        return (cosines - self.parameters.mu) / self.parameters.sd

    def cosine(self, deviation: float) -> float:
        """The centred cosine that a deviation stands for, in [-1, 1]."""
        return min(1.0, max(-1.0, deviation * self.parameters.sd + self.parameters.mu))


class Partition:
    """Rows of one field. A row is the caller's number of a memory; a slot is the word index's own."""

    def __init__(self, space: Space | None) -> None:
        self._space = space
        self._words = IncrementalBM25()
        self._slot_of: dict[int, int] = {}
        self._row_of = np.full(16, -1, dtype=np.int64)
        # One column a slot: adding up whole rows of this layout is faster than a product per slot.
        self._vectors = np.zeros((space.dimension if space else 0, 16), dtype=np.float32)
        self._has_vector = np.zeros(16, dtype=bool)
        self.languages: dict[str, int] = {}
        self._language_of: dict[int, str] = {}
        self.without_vector: set[int] = set()
        self.bad_vector: set[int] = set()

    def put(self, row: int, text: str, vector: bytes | None) -> None:
        """Index a row's text and vector, in place of what was there."""
        self.remove(row)
        slot = self._words.add(tokenize(text))
        self._reserve(slot + 1)
        self._slot_of[row] = slot
        self._row_of[slot] = row
        language = language_of(text)
        self._language_of[row] = language
        self.languages[language] = self.languages.get(language, 0) + 1
        self._put_vector(row, slot, vector, language)

    def remove(self, row: int) -> None:
        """Take a row out; unknown rows are ignored."""
        slot = self._slot_of.pop(row, None)
        if slot is None:
            return
        self._words.remove(slot)
        self._row_of[slot] = -1
        self._has_vector[slot] = False
        self.languages[self._language_of.pop(row)] -= 1
        self.without_vector.discard(row)
        self.bad_vector.discard(row)

    def score(self, query: PreparedQuery, rows: int) -> FieldScores:
        """Scores of every row below `rows`; rows that are not in this field score 0 and NaN."""
        lexical = np.zeros(rows)
        deviations = np.full(rows, np.nan)
        words = self._words.scores(query.tokens)
        live = np.flatnonzero(self._row_of[: len(words)] >= 0)
        lexical[self._row_of[live]] = words[live]
        if query.vector is not None and self._space is not None:
            slots = np.flatnonzero(self._has_vector)
            # einsum, not @: BLAS hands a product this small to several threads and waits for the slowest.
            cosines = np.einsum("d,ds->s", query.vector, self._vectors)[slots].astype(np.float64)
            deviations[self._row_of[slots]] = self._space.deviations(cosines)
        return FieldScores(lexical, deviations)

    def present(self, rows: int) -> NDArray[np.bool_]:
        """Which of the first rows have a text in this field."""
        mask = np.zeros(rows, dtype=bool)
        mask[self._row_of[self._row_of >= 0]] = True
        return mask

    def __len__(self) -> int:
        return len(self._slot_of)

    def is_mixed(self, language: str) -> bool:
        """Whether at least a tenth of the texts are in another language than the query's."""
        total = sum(self.languages.values())
        return total > 0 and 10 * (total - self.languages.get(language, 0)) >= total

    def _put_vector(self, row: int, slot: int, data: bytes | None, language: str) -> None:
        vector = self._space.prepare(data, language) if self._space and data is not None else None
        self._has_vector[slot] = vector is not None
        if vector is not None:
            self._vectors[:, slot] = vector
        elif data is None:
            self.without_vector.add(row)
        else:
            self.bad_vector.add(row)

    def _reserve(self, slots: int) -> None:
        size = len(self._row_of)
        if slots <= size:
            return
        grown = max(slots, 2 * size)
        self._row_of = np.concatenate([self._row_of, np.full(grown - size, -1, dtype=np.int64)])
        self._has_vector = np.concatenate([self._has_vector, np.zeros(grown - size, dtype=bool)])
        vectors = np.zeros((self._vectors.shape[0], grown), dtype=np.float32)
        vectors[:, :size] = self._vectors
        self._vectors = vectors
