"""Signed feature hashing (Weinberger et al. 2009): vectors from words alone, for tests that need no model."""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b

from graphmem.domain.errors import BadInputError
from graphmem.domain.records import EmbeddingSpace, SpaceParameters

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_WORD = re.compile(r"[a-z0-9_]+")
_WHOLE = 1.0
_PART = 0.4


class HashingEmbedder:
    """Equal words make near vectors; meaning is not seen. Deterministic on every machine; tests only.

    Features: words and their character trigrams, Han bigrams and single Han characters, each added with a
    hashed sign at a hashed place. A text without any (the empty text, punctuation) is one feature: itself.
    """

    def __init__(self, dimension: int = 384) -> None:
        if dimension < 1:
            raise BadInputError("the dimension must be at least 1", field="dimension")
        self._dimension = dimension

    @cached_property
    def space(self) -> EmbeddingSpace:
        """The identity of the space; differs by dimension only."""
        return EmbeddingSpace(
            provider="hash", model="signed-features", revision="1", dimension=self._dimension, pooling="sum"
        )

    @cached_property
    def parameters(self) -> SpaceParameters:
        """No means; cosines of unrelated texts have mean 0 and deviation 1/sqrt(dimension)."""
        return SpaceParameters(space=self.space, mu=0.0, sd=1 / math.sqrt(self._dimension))

    def warm_up(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector of `dimension` little-endian float32 per text; never fails."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        sums: defaultdict[int, float] = defaultdict(float)
        for feature, weight in _features(text):
            self._add(sums, feature, weight)
        if not any(sums.values()):
            sums.clear()
            self._add(sums, f"text:{text}", _WHOLE)
        norm = math.sqrt(math.fsum(value * value for value in sums.values()))
        row = [sums.get(place, 0.0) / norm for place in range(self._dimension)]
        return struct.pack(f"<{self._dimension}f", *row)

    def _add(self, sums: dict[int, float], feature: str, weight: float) -> None:
        hashed = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(hashed, "little")
        sums[(number >> 1) % self._dimension] += weight if number & 1 else -weight


def _features(text: str) -> Iterator[tuple[str, float]]:
    folded = unicodedata.normalize("NFKC", text).lower()
    for run in _HAN.findall(folded):
        yield from ((f"han:{char}", _PART) for char in run)
        yield from ((f"han:{run[at : at + 2]}", _WHOLE) for at in range(len(run) - 1))
    for word in _WORD.findall(folded):
        yield f"word:{word}", _WHOLE
        yield from ((f"part:{word[at : at + 3]}", _PART) for at in range(len(word) - 2))
