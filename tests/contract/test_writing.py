"""Laws of writing: one action is one transaction, and versions guard what was read."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier

import pytest

from graphmem.domain.errors import BadInputError, GraphmemError, NotFoundError, StaleError, TooLargeError
from graphmem.domain.memories import Experience, Memory, Result, SearchField
from graphmem.domain.records import JobKind, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    at,
    caused,
    changed,
    changes,
    experience,
    fact,
    failure,
    job,
    new_id,
    pattern,
    record,
    refuted,
    request,
    strategy,
    vector,
)
from tests.contract.reading import at_once, edges_of, found, one, put, records_of, refused, snapshot


def test_the_receipt_shows_what_is_stored(store: MemoryStore) -> None:
    """What `apply` answers is what `get` returns, in the order given."""
    stored = put(store, fact("b"), experience("a"), fact("c"))
    assert [item.text for item in stored] == ["b", "a", "c"]
    assert store.get(NS, [item.id for item in stored]) == {item.id: item for item in stored}


def test_a_new_memory_has_version_one_and_the_revision_of_its_action(store: MemoryStore) -> None:
    """A created memory starts at version 1 and carries the revision that the receipt tells."""
    receipt = store.apply(changes(fact(), fact()))
    assert [(item.version, item.revision) for item in receipt.memories] == [(1, receipt.revision)] * 2


def test_refs_count_each_kind(store: MemoryStore) -> None:
    """Refs count up from 1 for each kind, in the order given."""
    stored = put(store, fact(), experience(), pattern(), strategy(), fact(), failure())
    assert [item.ref for item in stored] == ["F-1", "E-1", "P-1", "S-1", "F-2", "E-2"]


def test_refs_are_never_reused(store: MemoryStore) -> None:
    """A ref that was erased is not given to another memory."""
    put(store, fact())
    last = fact()
    put(store, last)
    store.apply(changes(erase=(last.id,)))
    assert put(store, fact())[0].ref == "F-3"


def test_a_refused_action_uses_up_no_ref(store: MemoryStore) -> None:
    """An action that was refused changes nothing, the reference counters included."""
    new = fact()
    refused(store, BadInputError, changes(new, experience(), edges=(caused(new, experience(id=new.id)),)))
    assert put(store, fact())[0].ref == "F-1"


def test_the_store_gives_refs(store: MemoryStore) -> None:
    """A ref that the caller put into a new or changed memory is not taken over."""
    (stored,) = put(store, fact(ref="F-77"))
    assert stored.ref == "F-1"
    assert put(store, update=(changed(stored, ref="F-78"),))[0].ref == "F-1"


def test_one_action_is_whole(store: MemoryStore) -> None:
    """Memories, edges, keys, records and jobs of one action are all there afterwards."""
    effect, cause, audit, work = failure(), fact(), record(RecordKind.AUDIT), job()
    store.apply(
        changes(
            effect,
            cause,
            edges=(caused(effect, cause),),
            requests=(request("k", effect),),
            records=(audit,),
            jobs=(work,),
        )
    )
    assert {item.id for item in found(store)} == {effect.id, cause.id}
    assert edges_of(store) == [caused(effect, cause)]
    assert records_of(store, RecordKind.AUDIT) == [audit]
    assert store.receipt(NS, "k") is not None
    claimed = store.claim(NS, JobKind.ANALYSE, "w", at(1), at(60) - at(0))
    assert claimed is not None
    assert claimed.id == work.id


def test_an_action_fails_whole(store: MemoryStore) -> None:
    """One bad part refuses the whole action: no memory, edge, key, record, job or namespace stays."""
    effect, cause = failure(), fact()
    action = changes(
        effect,
        cause,
        edges=(caused(effect, cause), caused(effect, fact())),
        requests=(request("k", effect),),
        records=(record(RecordKind.AUDIT), record(RecordKind.SPACE)),
        jobs=(job(),),
        parameters_version=3,
    )
    refused(store, NotFoundError, action)
    assert store.receipt(NS, "k") is None
    assert store.claim(NS, JobKind.ANALYSE, "w", at(1), at(60) - at(0)) is None
    assert list(store.namespaces()) == []


def test_the_last_bad_part_takes_back_the_erasure(store: MemoryStore) -> None:
    """An action that fails after erasing and updating has erased and updated nothing."""
    kept, read, other = put(store, fact("kept"), fact("read"), failure())
    action = changes(
        erase=(kept.id,), update=(changed(read, statement="new"),), edges=(caused(other, fact()),)
    )
    refused(store, NotFoundError, action)


def test_an_update_raises_the_version_by_one(store: MemoryStore) -> None:
    """An update stores the new value under the next version, whatever version the value says."""
    (old,) = put(store, fact("old", tags=("a",)))
    (new,) = put(store, update=(changed(old, statement="new", version=9),))
    assert (new.text, new.tags, new.version, new.ref, new.id) == ("new", ("a",), 2, old.ref, old.id)
    assert one(store, old) == new


def test_a_stale_update_is_refused(store: MemoryStore) -> None:
    """An update that expects another version than the stored one is refused; the first update stays."""
    (read,) = put(store, fact("old"))
    put(store, update=(changed(read, statement="first"),))
    refused(store, StaleError, changes(update=(changed(read, statement="second"),)))
    refused(store, StaleError, changes(update=(changed(replace(read, version=3), statement="third"),)))
    assert one(store, read).text == "first"


def test_one_stale_update_refuses_the_others(store: MemoryStore) -> None:
    """Of several updates in one action all are stored or none."""
    first, second = put(store, fact("one"), fact("two"))
    put(store, update=(changed(second, statement="newer"),))
    stale = changed(first, statement="x"), changed(second, statement="y")
    refused(store, StaleError, changes(update=stale))


def test_concurrent_updates_lose_nothing(store: MemoryStore) -> None:
    """Writers that read, add and retry when stale end with everything that any of them added."""
    (shared,) = put(store, fact())
    together = Barrier(8, timeout=60)

    def add(number: int) -> None:
        first = True
        while True:
            read = one(store, shared)
            if first:
                together.wait()
            first = False
            try:
                store.apply(changes(update=(changed(read, tags=(*read.tags, f"tag-{number}")),)))
            except StaleError:
                continue
            return

    at_once(add, 24, threads=together.parties)
    assert sorted(one(store, shared).tags) == sorted(f"tag-{number}" for number in range(24))
    assert one(store, shared).version == 25


def test_an_update_keeps_the_old_value(store: MemoryStore) -> None:
    """Every update leaves one VERSION record about the memory that holds the old text."""
    (read,) = put(store, fact("磁盘 old one"))
    (read,) = put(store, update=(changed(read, statement="old two"),))
    put(store, update=(changed(read, statement="now"),))
    kept = [str(dict(item.body)) for item in records_of(store, RecordKind.VERSION, subject=read.id)]
    assert len(kept) == 2
    assert sum("磁盘 old one" in body for body in kept) == 1
    assert sum("old two" in body for body in kept) == 1


def test_an_edge_makes_no_version(store: MemoryStore) -> None:
    """Writing an edge changes neither the version nor the history of its ends."""
    effect, cause = put(store, failure(), fact())
    put(store, edges=(caused(effect, cause, verdicts=(refuted(),)),))
    assert (one(store, effect).version, one(store, cause).version) == (1, 1)
    assert records_of(store, RecordKind.VERSION) == []


@pytest.mark.parametrize("result", [Result.SUCCESS, Result.PARTIAL])
def test_a_result_never_changes(store: MemoryStore, result: Result) -> None:
    """A failure that really happened cannot be rewritten into another result."""
    (read,) = put(store, failure())
    refused(store, BadInputError, changes(update=(changed(read, result=result),)))


def test_a_kind_never_changes(store: MemoryStore) -> None:
    """An update cannot turn a memory into another kind."""
    (read,) = put(store, fact())
    refused(store, BadInputError, changes(update=(changed(experience(id=read.id)),)))


def test_an_unknown_memory_cannot_be_updated(store: MemoryStore) -> None:
    """An update of a memory that is not there is refused as not found."""
    put(store, fact())
    refused(store, NotFoundError, changes(update=(changed(fact()),)))


def test_an_id_is_created_once(store: MemoryStore) -> None:
    """Creating an id that is there is refused, and the first value stays."""
    (first,) = put(store, fact("first"))
    before = snapshot(store)
    with pytest.raises(GraphmemError):
        store.apply(changes(fact("second", id=first.id)))
    assert snapshot(store) == before


def test_a_new_memory_cannot_have_a_history(store: MemoryStore) -> None:
    """A created memory whose version is not 1 is refused."""
    refused(store, BadInputError, changes(fact(version=2)))


@pytest.mark.parametrize("part", ["create", "edges", "erase", "mixed"])
def test_an_action_is_bounded(store: MemoryStore, part: str) -> None:
    """An action that touches more than MAX_ITEMS memories and edges is refused before anything is written."""
    effect, cause = put(store, failure(), fact())
    over = MAX_ITEMS + 1
    new: tuple[Memory, ...] = tuple(fact() for _ in range(over if part == "create" else over - 1))
    actions = {
        "create": changes(*new),
        "edges": changes(edges=(caused(effect, cause),) * over),
        "erase": changes(erase=tuple(new_id() for _ in range(over))),
        "mixed": changes(*new, edges=(caused(effect, cause),)),
    }
    refused(store, TooLargeError, actions[part])


def test_an_action_may_be_as_large_as_the_limit(store: MemoryStore) -> None:
    """MAX_ITEMS memories fit into one action and are all there."""
    new: list[Experience] = [experience(f"step {number}") for number in range(MAX_ITEMS)]
    receipt = store.apply(changes(*new))
    assert [item.ref for item in receipt.memories] == [f"E-{number + 1}" for number in range(MAX_ITEMS)]
    assert {item.id for item in found(store)} == {item.id for item in new}


def test_vectors_alone_leave_no_old_value(store: MemoryStore) -> None:
    """An update of vectors moves version and revision, and keeps no VERSION: nothing that anybody said has changed."""
    made = put(store, fact(vectors={SearchField.TEXT: vector(1, 0)}))[0]
    embedded = put(store, update=(changed(made, vectors={SearchField.TEXT: vector(0, 1)}),))[0]
    assert (embedded.version, embedded.revision) == (2, 2)
    assert one(store, embedded).vectors == {SearchField.TEXT: vector(0, 1)}
    assert records_of(store, RecordKind.VERSION) == []
    put(store, update=(changed(embedded, statement="x", vectors={}),))
    (old,) = records_of(store, RecordKind.VERSION)
    assert (old.subject, old.body["memory"]["version"]) == (made.id, 2)
