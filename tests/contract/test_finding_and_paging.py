"""Laws of finding: every memory that fulfils the selection, once, in order."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, MemoryKind, Result, State
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import EdgeSelection, PageRequest, RecordSelection, Selection
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    at,
    bare,
    changed,
    changes,
    experience,
    fact,
    failure,
    full_memories,
    new_id,
    pattern,
    record,
    strategy,
)
from tests.contract.model_store import fulfils
from tests.contract.reading import found, in_pages, one, put, records_of

SELECTIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "one kind": {"kinds": (MemoryKind.FACT,)},
    "two kinds": {"kinds": (MemoryKind.FACT, MemoryKind.PATTERN)},
    "a result": {"results": (Result.FAILURE,)},
    "results": {"results": (Result.FAILURE, Result.PARTIAL)},
    "a state": {"states": (State.ACTIVE,)},
    "states": {"states": (State.QUARANTINED, State.RETRACTED)},
    "session": {"session_id": "s1"},
    "task": {"task_id": "t1"},
    "task type": {"task_type": "coding"},
    "tool": {"tool": "bash"},
    "agent": {"agent": "a1"},
    "error": {"error_type": "IndexError"},
    "tag": {"tag": "租户"},
    "from": {"occurred_from": at(3)},
    "to": {"occurred_to": at(3)},
    "period": {"occurred_from": at(2), "occurred_to": at(4)},
    "empty period": {"occurred_from": at(4), "occurred_to": at(4)},
    "session and tool": {"session_id": "s1", "tool": "bash"},
    "all parts": {
        "kinds": (MemoryKind.EXPERIENCE,),
        "results": (Result.FAILURE,),
        "states": (State.ACTIVE,),
        "session_id": "s1",
        "task_id": "t1",
        "task_type": "coding",
        "tool": "bash",
        "agent": "a1",
        "error_type": "IndexError",
        "tag": "租户",
        "occurred_from": at(0),
        "occurred_to": at(9),
    },
    "another case": {"session_id": "S1"},
    "a wildcard": {"tool": "%"},
    "a part of a tag": {"tag": "租"},
    "contradiction": {"kinds": (MemoryKind.FACT,), "results": (Result.FAILURE,)},
    "nothing": {"session_id": "no such session"},
}


def zoo() -> tuple[Memory, ...]:
    """Memories that differ in one part each."""
    own: dict[str, Any] = {
        "session_id": "s1",
        "task_id": "t1",
        "task_type": "coding",
        "tool": "bash",
        "agent": "a1",
        "error_type": "IndexError",
        "tags": ("x", "租户"),
    }
    others = {name: "other" for name in own if name != "tags"} | {"tags": ("租户们",)}
    return (
        *(failure(**(own | {name: other}), occurred_at=at(2)) for name, other in others.items()),
        *(failure(**own, state=state, occurred_at=at(index)) for index, state in enumerate(State)),
        *(experience(**own, result=result, occurred_at=at(3)) for result in Result),
        fact(session_id="s1", task_id="t1", tags=("租户",), occurred_at=at(4)),
        pattern(task_type="coding", occurred_at=at(2.000001)),
        strategy(session_id="s1", occurred_at=at(3.999999)),
        *full_memories(),
    )


@pytest.mark.parametrize("wanted", SELECTIONS.values(), ids=SELECTIONS.keys())
def test_a_selection_finds_what_fulfils_every_part(store: MemoryStore, wanted: dict[str, Any]) -> None:
    """find returns exactly the memories that fulfil every part given; times from inclusive, to exclusive."""
    stored = put(store, *zoo())
    expected = {item.id for item in stored if fulfils(item, Selection(**wanted))}
    assert {item.id for item in found(store, **wanted)} == expected


def test_updates_move_a_memory_between_selections(store: MemoryStore) -> None:
    """After an update a memory is found by its new values and not by the old ones."""
    (read,) = put(store, failure(tags=("old", "both"), tool="bash", occurred_at=at(1)))
    new = {"tags": ("both", "new"), "tool": "python", "occurred_at": at(9), "state": State.RETRACTED}
    put(store, update=(changed(read, **new),))
    for wanted in ({"tag": "old"}, {"tool": "bash"}, {"occurred_to": at(5)}, {"states": (State.ACTIVE,)}):
        assert found(store, **wanted) == []
    for wanted in ({"tag": "new"}, {"tag": "both"}, {"tool": "python"}, {"occurred_from": at(9)}):
        assert found(store, **wanted) == [one(store, read)]


@pytest.mark.parametrize("first", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("ascending", [False, True])
def test_pages_cover_everything_once_in_order(store: MemoryStore, first: int, ascending: bool) -> None:
    """Pages of any size give every memory once, by (occurred_at, id), newest first unless ascending."""
    stored = put(store, *(fact(occurred_at=at(number // 3)) for number in range(11)))
    pages = in_pages(lambda page: store.find(NS, Selection(), page), first, ascending=ascending)
    expected = sorted(stored, key=lambda item: (item.occurred_at, item.id), reverse=not ascending)
    assert pages == expected


def test_the_last_page_says_so(store: MemoryStore) -> None:
    """next is empty on the last page, also when the page is exactly full, and never before."""
    put(store, *(fact() for _ in range(4)))
    first = store.find(NS, Selection(), PageRequest(first=2))
    second = store.find(NS, Selection(), PageRequest(first=2, after=first.next))
    assert (len(first.items), len(second.items), second.next) == (2, 2, "")
    assert store.find(NS, Selection(), PageRequest(first=4)).next == ""
    assert store.find("empty", Selection(), PageRequest()).items == ()


def test_pages_stand_still_while_others_write(store: MemoryStore) -> None:
    """What is written or erased between two pages makes no memory appear twice or another one vanish."""
    stored = put(store, *(fact(occurred_at=at(number)) for number in range(6)))
    first = store.find(NS, Selection(), PageRequest(first=3))
    put(store, fact(occurred_at=at(100)), erase=(first.items[-1].id,))
    rest = store.find(NS, Selection(), PageRequest(first=10, after=first.next))
    assert [item.id for item in (*first.items, *rest.items)] == [item.id for item in reversed(stored)]


def test_a_selection_is_not_starved(store: MemoryStore) -> None:
    """The page is cut after the selection: rare memories are found behind many others."""
    put(store, *(fact(f"noise {number}", occurred_at=at(number)) for number in range(300)))
    (rare,) = put(store, fact("rare", tags=("rare",), occurred_at=at(-1)))
    assert store.find(NS, Selection(tag="rare"), PageRequest(first=1)).items == (rare,)


@pytest.mark.parametrize("cursor", ["x", "null", "[]", "{}", "0", "AAAA", "' OR 1=1 --", "租户", "WyJ4Il0="])
def test_a_cursor_that_is_none_is_refused(store: MemoryStore, cursor: str) -> None:
    """A text that no page ever gave is no cursor: not the first page, and not an empty one."""
    put(store, fact(), fact())
    page = PageRequest(first=1, after=cursor)
    with pytest.raises(BadInputError):
        store.find(NS, Selection(), page)
    with pytest.raises(BadInputError):
        store.edges(NS, EdgeSelection(), page)
    with pytest.raises(BadInputError):
        store.records(NS, RecordKind.AUDIT, RecordSelection(), page)


@pytest.mark.parametrize("first", [0, -1, -(10**6)])
def test_a_page_below_one_is_refused(store: MemoryStore, first: int) -> None:
    """A page size below one is refused and never dumps the store."""
    put(store, fact(), fact())
    with pytest.raises(BadInputError):
        store.find(NS, Selection(), PageRequest(first=first))
    with pytest.raises(BadInputError):
        store.edges(NS, EdgeSelection(), PageRequest(first=first))
    with pytest.raises(BadInputError):
        store.records(NS, RecordKind.AUDIT, RecordSelection(), PageRequest(first=first))


def test_get_is_keyed_as_asked(store: MemoryStore) -> None:
    """get takes ids and refs, mixed and repeated, answers under the names asked, and leaves out the rest."""
    a, b, _ = put(store, fact("a"), experience("b"), fact("c"))
    names = [a.id, "F-1", "E-1", a.id, new_id(), "F-99", "f-1", "F-01", ""]
    assert store.get(NS, names) == {a.id: a, "F-1": a, "E-1": b}
    assert store.get(NS, []) == {}


@pytest.mark.parametrize("wanted", SELECTIONS.values(), ids=SELECTIONS.keys())
@pytest.mark.parametrize("ascending", [False, True])
def test_vectors_are_left_out_where_nobody_wants_them(
    store: MemoryStore, wanted: dict[str, Any], ascending: bool
) -> None:
    memories = zoo()
    put(store, *memories)
    selection, page = Selection(**wanted), PageRequest(first=100, ascending=ascending)
    whole = store.find(NS, selection, page).items
    assert store.find(NS, selection, page, vectors=False).items == tuple(bare(item) for item in whole)
    ids = [item.id for item in whole]
    assert store.get(NS, ids, vectors=False) == {item.id: bare(item) for item in whole}
    assert store.get(NS, ids) == {item.id: item for item in whole}


def test_the_vectors_of_the_laws_are_there(store: MemoryStore) -> None:
    memories = zoo()
    put(store, *memories)
    found = store.get(NS, [item.id for item in memories])
    assert {name: item.vectors for name, item in found.items()} == {
        item.id: item.vectors for item in memories
    }
    assert any(item.vectors for item in memories)


def test_many_are_got_at_once(store: MemoryStore) -> None:
    """get takes more ids than a statement has room for parameters."""
    stored = put(store, *(fact() for _ in range(20)))
    names = [*(new_id() for _ in range(40_000)), *(item.id for item in stored)]
    assert store.get(NS, names) == {item.id: item for item in stored}


def test_a_write_is_found_at_once(store: MemoryStore) -> None:
    """What was acknowledged is in the next answer of every kind."""
    for number in range(20):
        (stored,) = put(store, fact(f"fact {number}"))
        assert store.get(NS, [stored.ref, stored.id]) == {stored.ref: stored, stored.id: stored}
        assert store.find(NS, Selection(), PageRequest(first=100)).items[0].id == stored.id


def test_the_newest_record_of_a_kind(store: MemoryStore) -> None:
    """It alone, by (at, id), however small a page; none from a time on that it is before."""
    kept = sorted((record(at=at(number // 2)) for number in range(4)), key=lambda item: (item.at, item.id))
    others = (record(RecordKind.EXPOSURE, at=at(5)), record(RecordKind.SERVED, at=at(-1)))
    store.apply(changes(records=(*kept[::-1], *others)))
    store.apply(changes(namespace="other", records=(record(at=at(9)),)))
    for first in (1, 100):
        assert records_of(store, RecordKind.SERVED, first=first, newest=True) == [kept[-1]]
        assert records_of(store, RecordKind.SERVED, first=first, newest=True, since=at(1)) == [kept[-1]]
    assert records_of(store, RecordKind.SERVED, newest=True, since=at(1.000001)) == []
    assert records_of(store, RecordKind.AUDIT, newest=True) == []
