"""Vectors are read with care and centred by the mean of their language."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphmem.analysis.vectors import centred, from_bytes
from tests.builders import vector

unhurried = settings(deadline=None)

numbers = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        vector(1.0, 0.0),
        vector(1.0, 0.0, 0.0, 0.0),
        vector(1.0, 0.0, 0.0) + b"\0",
        vector(math.nan, 0.0, 1.0),
        vector(math.inf, 0.0, 1.0),
        vector(-math.inf, 0.0, 1.0),
        vector(0.0, 0.0, 0.0),
    ],
)
def test_a_vector_that_cannot_be_compared_is_none(data: bytes) -> None:
    assert from_bytes(data, 3) is None


def test_a_good_vector_is_read_bit_by_bit() -> None:
    read = from_bytes(vector(0.6, -0.8, 0.0), 3)
    assert read is not None
    assert read.tobytes() == vector(0.6, -0.8, 0.0)


@unhurried
@given(numbers, st.none() | numbers)
@example(values=[0.0, 1e-45, 1e-45], mean=None)
def test_what_is_left_has_length_one_or_zero(values: list[float], mean: list[float] | None) -> None:
    row = np.array(values, dtype=np.float32)
    left = centred(row, None if mean is None else np.array(mean, dtype=np.float32))
    norm = float(np.linalg.norm(left))
    assert left.dtype == np.float32
    assert norm == pytest.approx(1, abs=1e-4) or norm == 0


def test_centring_takes_the_mean_away() -> None:
    mean = np.array([1.0, 0.0], dtype=np.float32)
    left = centred(np.array([1.0, 2.0], dtype=np.float32), mean)
    assert left.tolist() == [0.0, 1.0]


def test_a_vector_equal_to_its_mean_has_no_direction() -> None:
    row = np.array([0.6, 0.8], dtype=np.float32)
    assert centred(row, row).tolist() == [0.0, 0.0]


def test_the_given_vector_stays_as_it_was() -> None:
    row = np.array([3.0, 4.0], dtype=np.float32)
    centred(row, row / 2)
    assert row.tolist() == [3.0, 4.0]


def test_a_tiny_vector_has_a_direction_too() -> None:
    """Its squares are too small for 32 bits."""
    assert centred(np.array([0.0, 0.0, 1e-30], dtype=np.float32), None).tolist() == [0.0, 0.0, 1.0]
