"""Vectors as numpy rows: reading, checking, centring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def from_bytes(data: bytes, dimension: int) -> Floats | None:
    """The vector as float32[dimension], None when it cannot be compared: other length, NaN, infinity, zero."""
    if len(data) != 4 * dimension:
        return None
    vector = np.frombuffer(data, dtype="<f4")
    if not np.isfinite(vector).all() or not vector.any():
        return None
    return vector


_LEAST = float(np.finfo(np.float32).tiny)
"""A shorter vector has no direction: its numbers are too few bits to be divided by their length."""


def centred(vector: Floats, mean: Floats | None) -> Floats:
    """The unit vector that is left once the mean of its language is taken away.

    Multilingual models place each language in its own region; without its mean, the nearest text is the one
    in the same language rather than the one with the same meaning.
    """
    rest = vector if mean is None else vector - mean
    norm = float(np.linalg.norm(rest.astype(np.float64)))
    return (rest / norm if norm > _LEAST else np.zeros_like(rest)).astype(np.float32)
