"""Laws of the past: what the store answered at a time can be told later, from what updates kept and edges carry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from graphmem.domain.causation import Edge
from graphmem.domain.encoding import memory_json
from graphmem.domain.memories import Memory, SearchField, State
from graphmem.domain.past import edge_as_of
from graphmem.ports.store import MemoryStore
from graphmem.services import past
from tests.builders import (
    NS,
    at,
    caused,
    changed,
    changes,
    confirmed,
    evidence,
    fact,
    failure,
    refuted,
    vector,
)
from tests.contract.reading import by_ends, edges_of, one

Told = tuple[dict[str, str], list[Edge]]


def now(store: MemoryStore, ids: Sequence[str]) -> Told:
    """What the store answers now."""
    held = store.get(NS, ids)
    return {name: memory_json(memory) for name, memory in held.items()}, by_ends(edges_of(store))


def then(store: MemoryStore, ids: Sequence[str], time: datetime) -> Told:
    """What is told of that time today."""
    held = past.memories_as_of(store, NS, store.get(NS, ids), time)
    edges = [edge_as_of(edge, time) for edge in edges_of(store)]
    return {name: memory_json(memory) for name, memory in held.items()}, by_ends([e for e in edges if e])


def history(store: MemoryStore) -> tuple[list[str], list[Told]]:
    """Memories that are changed again and again, an edge that is doubted and confirmed; what is told every second."""
    cause, effect, late = (fact("the folder is /srv/a"), failure(), failure("later", recorded_at=at(3)))
    ids = [cause.id, effect.id, late.id]
    answers: list[Told] = []

    def step(*create: Memory, **fields: Any) -> None:
        store.apply(changes(*create, at=at(len(answers)), **fields))
        answers.append(now(store, ids))

    step(cause, effect, edges=(caused(effect, cause),))
    step(update=(changed(one(store, cause), statement="the folder is /srv/b"),))
    step(edges=(caused(effect, cause, evidence=(), verdicts=(refuted(2),)),))
    step(late, update=(changed(one(store, effect), correction="look first"),))
    more = evidence(0.9, note="seen again", seconds=4)
    step(edges=(caused(late, cause, recorded_at=at(4), evidence=(more,)),))
    step(edges=(caused(effect, cause, evidence=(more,), verdicts=(confirmed(5),)),))
    step(update=(changed(one(store, cause), state=State.SUPERSEDED),))
    step(update=(changed(one(store, effect), correction="look first, then write"),))
    return ids, answers


def test_every_answer_of_the_past_can_be_told_later(store: MemoryStore) -> None:
    """Memories, states, edges, evidence and verdicts as of each time equal what was answered then."""
    ids, answers = history(store)
    told = [then(store, ids, at(second)) for second in range(len(answers))]
    # Evidence of the fifth second came with the sixth action: it is told from its own time on.
    assert [memories for memories, _ in told] == [memories for memories, _ in answers]
    assert [edges for _, edges in told[:4]] == [edges for _, edges in answers[:4]]
    assert [edges for _, edges in told[5:]] == [edges for _, edges in answers[5:]]


def test_between_two_changes_the_earlier_one_holds(store: MemoryStore) -> None:
    """The past is told to the microsecond."""
    ids, answers = history(store)
    assert then(store, ids, at(1.999999)) == answers[1]


def test_before_the_first_there_is_nothing(store: MemoryStore) -> None:
    """A memory is there from when it was recorded, an edge from when it was stated."""
    ids, _ = history(store)
    assert then(store, ids, at(-0.000001)) == ({}, [])


def test_what_was_erased_since_stays_erased(store: MemoryStore) -> None:
    """Neither the memory nor an old value of it comes back, nor an edge at it."""
    ids, answers = history(store)
    store.apply(changes(at=at(8), erase=(ids[0],)))
    for second, (memories, _) in enumerate(answers):
        told, edges = then(store, ids, at(second))
        assert told == {name: text for name, text in memories.items() if name != ids[0]}
        assert edges == []


def test_a_change_of_vectors_alone_is_no_other_value(store: MemoryStore) -> None:
    """Vectors have no past."""
    ids, answers = history(store)
    effect = one(store, failure(id=ids[1]))
    vectors = {SearchField.SITUATION: vector(1.0)}
    store.apply(changes(at=at(9), update=(changed(effect, vectors=vectors),)))
    assert then(store, ids, at(3)) == answers[3]


@pytest.mark.parametrize("page", [1, 2, 3])
def test_the_past_is_read_in_pages(store: MemoryStore, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many old values there are, of however many memories."""
    ids, answers = history(store)
    monkeypatch.setattr(past, "_PAGE", page)
    for second in (0, 3, 7):
        assert then(store, ids, at(second))[0] == answers[second][0]
