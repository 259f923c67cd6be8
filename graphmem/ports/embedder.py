"""The embedder contract: texts in, unit vectors of one space out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from graphmem.domain.records import EmbeddingSpace, SpaceParameters


class Embedder(Protocol):
    """Maps texts to vectors of one space. Deterministic; safe to call from several threads."""

    @property
    def space(self) -> EmbeddingSpace:
        """The identity of the space; vectors of another one are never compared with it."""
        ...

    @property
    def parameters(self) -> SpaceParameters:
        """The shipped prior of this space: language means, and mean and deviation of unrelated cosines."""
        ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One little-endian float32 unit vector of space.dimension numbers per text.

        Raises UnavailableError when the model cannot answer.
        """
        ...
