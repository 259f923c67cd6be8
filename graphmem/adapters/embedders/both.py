"""e5-small and use-multilingual side by side: the cosine of two texts is the sum of their two z-scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.loading import WINDOW, packed, shipped
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.domain.records import EmbeddingSpace, SpaceParameters
from graphmem.ports.embedder import Embedder


class Both:
    """Joins the halves so that neither outweighs the other: each is centred by the mean of the text's language,
    made a unit vector again and divided by the square root of its sd.

    So the cosine is (c1/sd1 + c2/sd2) / (1/sd1 + 1/sd2), c1 and c2 being the centred cosines of the halves: the sum
    of their z-scores, moved and scaled by constants. Means and sd are those that ship with the halves, not those of
    a namespace: a text's vector depends on nothing but the text. Halves that are centred only after they are joined
    would weigh as their texts happen to lie, so the language is asked for here (language_of: text to 'zh' or 'en').
    """

    def __init__(self, language_of: Callable[[str], str]) -> None:
        self._language_of = language_of
        self._halves: tuple[Embedder, ...] = (E5Small(), UseMultilingual())

    @cached_property
    def space(self) -> EmbeddingSpace:
        """Identity with the sha256 of both models and of the numbers by which they are joined; loads no model.

        Raises UnavailableError without either package.
        """
        spaces = [half.space for half in self._halves]
        return EmbeddingSpace(
            provider="both",
            model="+".join(space.model for space in spaces),
            revision="+".join(space.revision for space in spaces),
            dimension=sum(space.dimension for space in spaces),
            pooling=f"halves centred by language, numbers {self._numbers()}, {WINDOW}",
            prefix="+".join(space.prefix for space in spaces),
        )

    @cached_property
    def parameters(self) -> SpaceParameters:
        """The shipped prior: mu and sd of unrelated cosines; the means are 0, since the halves are centred."""
        return shipped("both", self.space)

    def warm_up(self) -> None:
        """Load both models now. Raises UnavailableError when one cannot be loaded."""
        self.embed(["warm up"])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector of 896 little-endian float32 per text.

        Raises UnavailableError when a model cannot be loaded or answers with no vector.
        """
        if not texts:
            return []
        languages = [self._language_of(text) for text in texts]
        halves = [_weighed(half.embed(texts), half.parameters, languages) for half in self._halves]
        return packed(np.concatenate(halves, axis=1), len(texts), self.space.dimension)

    def _numbers(self) -> str:
        """What tells the shipped means and deviations of the halves from others, in 12 hexadecimal digits."""
        said = [(half.parameters.sd, sorted(half.parameters.mean.items())) for half in self._halves]
        return hashlib.sha256(repr(said).encode()).hexdigest()[:12]


def _weighed(
    vectors: Sequence[bytes], prior: SpaceParameters, languages: Sequence[str]
) -> NDArray[np.float32]:
    """float32[n, d]: each vector without its language's mean, at length 1/sqrt(sd); at 0 where nothing is left."""
    means = {language: np.asarray(mean, dtype=np.float32) for language, mean in prior.mean.items()}
    rows = np.array([np.frombuffer(data, dtype="<f4") for data in vectors], dtype=np.float32)
    for row, language in zip(rows, languages, strict=True):
        row -= means.get(language, np.float32(0))
        norm = float(np.linalg.norm(row.astype(np.float64)))
        row /= np.float32(norm * prior.sd**0.5) if norm else np.float32(1)
    return rows
