"""Archived experiences are found by their very situation."""

from __future__ import annotations

import pytest

from graphmem.index.repeats import Repeats, normalised
from tests.builders import at, failure


def found(repeats: Repeats, text: str) -> list[str]:
    return [memory.id for memory in repeats.find(text)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Clean the rows", "clean  the\nROWS.", True),
        ("清洗数据，空数组", "清洗数据, 空数组。", True),
        ("ｃｌｅａｎ", "clean", True),
        ("clean the rows", "clean the row", False),
        ("rows = []", "rows = {}", False),
        ("a.b", "a b", True),
    ],
)
def test_what_counts_as_the_same(one: str, other: str, same: bool) -> None:
    assert (normalised(one) == normalised(other)) is same


def test_newest_first_by_situation_and_by_action() -> None:
    repeats = Repeats()
    old = failure("clean", context="rows = []", occurred_at=at(1))
    new = failure("clean", context="rows = []", occurred_at=at(2))
    alone = failure("clean", occurred_at=at(0))
    for memory in (old, new, alone):
        repeats.put(memory)
    assert found(repeats, "Clean\nrows = []") == [new.id, old.id]
    assert found(repeats, "clean") == [new.id, old.id, alone.id]
    assert found(repeats, "write") == []


def test_a_memory_is_replaced_and_removed_whole() -> None:
    repeats = Repeats()
    first = failure("clean", context="a")
    repeats.put(first)
    repeats.put(failure("write", context="b", id=first.id))
    assert (found(repeats, "clean\na"), found(repeats, "write")) == ([], [first.id])
    repeats.remove(first.id)
    repeats.remove(first.id)
    assert (found(repeats, "write"), repeats._by_key, repeats._keys) == ([], {}, {})
