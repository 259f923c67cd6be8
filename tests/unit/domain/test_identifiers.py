"""Unit tests of graphmem.domain.identifiers."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.identifiers import uuid7
from tests.builders import T0, at

bits = st.integers(0, 2**74 - 1)


@given(bits)
def test_an_id_is_a_uuid_of_version_7(random_bits: int) -> None:
    made = uuid.UUID(uuid7(T0, random_bits))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert str(made) == uuid7(T0, random_bits)


def test_the_example_of_the_rfc() -> None:
    when = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
    random_bits = 0xCC3 << 62 | 0x18C4DC0C0C07398F
    assert uuid7(when, random_bits) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(bits, bits)
def test_different_bits_make_different_ids(first: int, second: int) -> None:
    assert (uuid7(T0, first) == uuid7(T0, second)) == (first == second)


@pytest.mark.parametrize("seconds", [0.002, 1, 3600, 10**8])
@given(first=bits, second=bits)
def test_later_ids_sort_later(seconds: float, first: int, second: int) -> None:
    assert uuid7(at(0), first) < uuid7(at(0) + timedelta(seconds=seconds), second)


def test_more_bits_than_fit_are_cut() -> None:
    assert uuid7(T0, 2**74 + 5) == uuid7(T0, 5)
