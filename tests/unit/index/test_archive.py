"""COLD experiences are set apart: not searched by default, indexed only when somebody asks for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graphmem.domain.memories import Memory, MemoryKind, State, Tier
from graphmem.domain.replaying import Hindsight
from graphmem.index.search import Candidate, Search, compared
from tests.builders import at, experience, fact, failure
from tests.unit.index.test_search import found, furnished, ids, index_of, prepared, put, remove

EXPERIENCE = MemoryKind.EXPERIENCE


def cold(action: str, **fields: Any) -> Memory:
    return furnished(failure(action, tier=Tier.COLD, **fields))


def test_cold_experiences_are_not_searched_by_default() -> None:
    near = furnished(failure("copy the file to the disk"))
    old = cold("copy the file to the tape")
    warm = furnished(failure("copy the file to the cloud", tier=Tier.WARM))
    index = index_of(near, old, warm)
    assert set(ids(found(index, "copy the file", EXPERIENCE))) == {near.id, warm.id}
    assert set(ids(found(index, "copy the file", EXPERIENCE, include_archived=True))) == {
        near.id,
        old.id,
        warm.id,
    }


def test_they_are_indexed_when_first_asked_for() -> None:
    old = cold("copy the file to the tape")
    index = index_of(old, furnished(fact("tapes are slow")))
    found(index, "copy the file", EXPERIENCE)
    assert (len(index._archive), list(index._unread)) == (0, [old.id])
    found(index, "copy the file", EXPERIENCE, include_archived=True)
    assert (len(index._archive), list(index._unread)) == (1, [])


@pytest.mark.parametrize("read", [False, True], ids=["unread", "read"])
def test_a_memory_is_in_one_place_wherever_it_moves(read: bool) -> None:
    memory = furnished(failure("copy the file to the disk"))
    index = index_of(memory)
    for tier in (Tier.COLD, Tier.WARM, Tier.COLD):
        put(index, replace(memory, tier=tier))
        if read:
            assert len(index.archive) == (tier is Tier.COLD)
        listed = found(index, "copy the file", EXPERIENCE)
        everywhere = found(index, "copy the file", EXPERIENCE, include_archived=True) if read else listed
        assert (ids(listed), len(everywhere)) == (
            [memory.id] if tier is Tier.WARM else [],
            read or tier is Tier.WARM,
        )
    remove(index, memory)
    assert found(index, "copy the file", EXPERIENCE, include_archived=True) == []
    assert index.repeats.find("copy the file to the disk") == []


def test_an_exact_repeat_is_found_without_the_archive() -> None:
    """Whatever its age: best of the list, with its keys, and nothing was indexed for it."""
    old = cold("copy the file", context="to the tape", tool="cp")
    near = furnished(failure("copy the file to the disk"))
    index = index_of(old, near)
    first, second = found(index, "Copy the file\nto the tape.", EXPERIENCE, keys={"tool": "cp", "agent": "a"})
    assert (first.id, first.repeat, first.relevance, first.equal_keys) == (old.id, True, 1.0, ("tool",))
    assert (second.id, second.repeat) == (near.id, False)
    assert 0.9 <= first.decay <= 1
    assert len(index._archive) == 0


@pytest.mark.parametrize(
    ("fields", "given"),
    [
        ({"state": State.SUPERSEDED}, {}),
        ({"occurred_at": at(-10)}, {"start": at(-5)}),
        ({"occurred_at": at(-10)}, {"end": at(-10)}),
    ],
    ids=["superseded", "before the period", "after the period"],
)
def test_an_exact_repeat_obeys_state_and_period(fields: dict[str, Any], given: dict[str, Any]) -> None:
    index = index_of(cold("copy the file", **fields))
    assert found(index, "copy the file", EXPERIENCE, **given) == []


def test_in_hindsight_everything_known_then_is_searched() -> None:
    """What is cold today was not cold then."""
    old = cold("copy the file to the tape", recorded_at=at(-9))
    late = cold("copy the file to the cloud", recorded_at=at(-1))
    index = index_of(old, late)
    hits = found(index, "copy the file", EXPERIENCE, hindsight=Hindsight(at(-5)))
    assert ids(hits) == [old.id]


def test_memories_are_compared_wherever_they_are() -> None:
    old, near = cold("copy the file to the tape"), furnished(failure("copy the file"))
    index = index_of(old, near, furnished(experience("read")))
    wanted = Search(kind=EXPERIENCE, situation=prepared("copy the file"), concern=None, keys={}, now=at(0))
    hits: list[Candidate] = compared(index, wanted, [old.id, near.id, "unknown"])
    assert ids(hits) == [near.id, old.id]


def test_counts_hold_for_the_archive_too() -> None:
    without = failure("copy", tier=Tier.COLD)
    index = index_of(without, furnished(failure("move")))
    assert (index.without_vectors(), index.unusable()) == (1, [without.id])
    assert index.counts()["EXPERIENCE"] == 2
