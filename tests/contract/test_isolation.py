"""Laws of isolation: a namespace never sees or influences another, however alike their names are."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.records import JobKind, RecordKind
from graphmem.ports.queries import Cursor, Direction, NamespaceState
from graphmem.ports.store import MemoryStore
from tests.builders import (
    at,
    caused,
    changed,
    changes,
    experience,
    fact,
    failure,
    generalizes,
    job,
    pattern,
    record,
    request,
)
from tests.contract.reading import (
    Reader,
    counts,
    edges_of,
    found,
    one,
    put,
    records_of,
    refused,
    snapshot,
)

ALIKE = ("a", "A", "a ", " a", "a-b", "a_b", "a%", "*", "租户", "租戶", "é", "e\u0301", "a'--", "../a", "0")
LEASE = timedelta(minutes=1)


def test_look_alike_names_are_different(store: MemoryStore) -> None:
    """What was written under one name is found under this name alone, byte by byte."""
    for name in ALIKE:
        put(store, fact(f"canary of <{name}>", namespace=name))
    for name in ALIKE:
        assert [item.text for item in found(store, name)] == [f"canary of <{name}>"]
        assert [item.namespace for item, _ in Reader(store, name).catch_up().graph.values()] == [name]
        assert counts(store, name)["FACT"] == 1
    assert list(store.namespaces()) == sorted(ALIKE)


def test_reading_makes_no_namespace(store: MemoryStore) -> None:
    """A namespace never written to is empty in every answer, and is not listed after being read."""
    put(store, fact())
    assert store.state("other") == NamespaceState(namespace="other", counts=store.state("other").counts)
    assert set(counts(store, "other").values()) == {0}
    assert graphless(store, "other")
    assert list(store.namespaces()) == ["main"]


def graphless(store: MemoryStore, name: str) -> bool:
    """Whether nothing at all is found under a name."""
    feed = store.changes_since(name, Cursor(), 10)
    return not any(
        (
            found(store, name),
            edges_of(store, name),
            feed.rows,
            feed.tombstones,
            records_of(store, RecordKind.AUDIT, name),
            store.claim(name, JobKind.ANALYSE, "w", at(9), LEASE),
            store.receipt(name, "k"),
        )
    )


@pytest.mark.parametrize("name", ["A", "a ", "租户"])
def test_foreign_ids_show_nothing(store: MemoryStore, name: str) -> None:
    """Asked by the ids, refs or keys of another namespace, a store answers as for unknown ones."""
    effect, cause = failure(namespace="a"), fact(namespace="a")
    audit = record(RecordKind.AUDIT, subject=effect.id)
    joined, key = (caused(effect, cause),), (request("k", effect),)
    put(store, effect, cause, edges=joined, records=(audit,), requests=key)
    put(store, experience(namespace=name))
    assert store.get(name, [effect.id, cause.id, "F-1"]) == {}
    assert store.expand(name, [effect.id], Direction.CAUSES) == []
    assert store.expand(name, [cause.id], Direction.EFFECTS) == []
    assert edges_of(store, name, from_ids=(effect.id,)) == []
    assert records_of(store, RecordKind.AUDIT, name, subject=effect.id) == []
    assert store.receipt(name, "k") is None


def test_edges_stay_inside(store: MemoryStore) -> None:
    """An edge to a memory of another namespace is refused exactly as one to an unknown memory."""
    effect, near = put(store, failure(namespace="a"), fact(namespace="a"))
    (foreign,) = put(store, fact(namespace="A"))
    for bad in (caused(effect, foreign), caused(effect, fact())):
        refused(store, NotFoundError, changes(namespace="a", edges=(caused(effect, near), bad)))
    refused(store, NotFoundError, changes(namespace="A", edges=(caused(effect, foreign),)))


def test_foreign_memories_cannot_be_changed(store: MemoryStore) -> None:
    """Updating a foreign memory is not found, erasing it is erasing nothing."""
    (theirs,) = put(store, fact("theirs", namespace="a"))
    put(store, fact("mine", namespace="A"))
    before = snapshot(store, "a"), store.state("A")
    mine = replace(theirs, namespace="A", statement="taken")
    refused(store, NotFoundError, changes(namespace="A", update=(changed(mine),)))
    store.apply(changes(namespace="A", erase=(theirs.id,)))
    assert (snapshot(store, "a"), store.state("A")) == before


def test_a_memory_belongs_to_the_namespace_of_its_action(store: MemoryStore) -> None:
    """A memory that says another namespace than its action is refused, new or updated."""
    (mine,) = put(store, fact(namespace="a"))
    refused(store, BadInputError, changes(fact(namespace="A"), namespace="a"))
    refused(store, BadInputError, changes(namespace="a", update=(changed(mine, namespace="A"),)))
    assert list(store.namespaces()) == ["a"]


def test_an_id_may_live_in_two_namespaces(store: MemoryStore) -> None:
    """The same id in two namespaces is two memories: changing, joining or erasing one leaves the other."""
    first, cause = put(store, failure("theirs", namespace="a"), fact(namespace="a"))
    put(store, edges=(caused(first, cause),), namespace="a")
    before = snapshot(store, "a")[:4]
    (second,) = put(store, failure("mine", namespace="A", id=first.id))
    put(store, update=(changed(second, tags=("t",)),), namespace="A")
    assert edges_of(store, "A") == []
    put(store, erase=(first.id,), namespace="A")
    assert snapshot(store, "a")[:4] == before


def test_records_and_jobs_may_share_ids(store: MemoryStore) -> None:
    """The same record or job id in two namespaces is two records or jobs."""
    mine, theirs = record(body={"n": 1}), record(body={"n": 2})
    theirs = replace(theirs, id=mine.id)
    work = job()
    for name, item in (("a", mine), ("A", theirs)):
        store.apply(changes(namespace=name, records=(item,), jobs=(work,)))
    assert records_of(store, RecordKind.SERVED, "a") == [mine]
    assert records_of(store, RecordKind.SERVED, "A") == [theirs]
    for name in ("a", "A"):
        claimed = store.claim(name, JobKind.ANALYSE, "w", at(1), LEASE)
        assert claimed is not None
        assert claimed.attempt == 1


def test_keys_are_apart(store: MemoryStore) -> None:
    """The same key in two namespaces is two keys, each with its own payload and memory."""
    for index, name in enumerate(ALIKE):
        new = fact(namespace=name)
        assert store.apply(changes(new, requests=(request("k", new, f"hash-{index}"),))).created
        stored = store.receipt(name, "k")
        assert stored is not None
        assert (stored.memory_id, stored.payload_hash) == (new.id, f"hash-{index}")


def test_refs_and_revisions_count_apart(store: MemoryStore) -> None:
    """Refs and revisions of a namespace do not depend on what others write in between."""
    seen = []
    for _ in range(3):
        for name in ("a", "A", "a "):
            receipt = store.apply(changes(fact(namespace=name)))
            seen.append((receipt.revision, receipt.memories[0].ref))
    assert seen == [(n, f"F-{n}") for n in (1, 1, 1, 2, 2, 2, 3, 3, 3)]


def test_jobs_are_claimed_at_home(store: MemoryStore) -> None:
    """A worker of one namespace never gets the job of another."""
    store.apply(changes(namespace="a", jobs=(job(),)))
    assert store.claim("A", JobKind.ANALYSE, "w", at(1), LEASE) is None
    assert store.claim("a", JobKind.ANALYSE, "w", at(1), LEASE) is not None


def test_erasing_forgets_at_home_only(store: MemoryStore) -> None:
    """Erasing a memory keeps foreign records, jobs and keys that name the same id."""
    (mine,) = put(store, fact(namespace="a"))
    item, work = record(subject=mine.id), job(subject=mine.id)
    store.apply(changes(namespace="A", records=(item,), jobs=(work,), requests=(request("k", mine.id),)))
    stored = store.receipt("A", "k")
    put(store, erase=(mine.id,), namespace="a")
    assert records_of(store, RecordKind.SERVED, "A") == [item]
    assert store.receipt("A", "k") == stored
    assert store.claim("A", JobKind.ANALYSE, "w", at(1), LEASE) is not None


def test_patterns_count_at_home(store: MemoryStore) -> None:
    """Patterns and members of the same ids in two namespaces are counted apart."""
    lesson, members = pattern(namespace="a"), [failure(namespace="a") for _ in range(4)]
    put(store, lesson, *members, edges=tuple(generalizes(lesson, item) for item in members))
    twin = replace(lesson, namespace="A")
    put(store, twin, replace(members[0], namespace="A"), edges=(generalizes(twin, members[0]),))
    assert (one(store, lesson).frequency, one(store, twin).frequency) == (4, 1)


@pytest.mark.parametrize(("mine", "others"), list(permutations(["a", "A", "a "], 2)))
def test_others_change_no_answer(store: MemoryStore, elsewhere: MemoryStore, mine: str, others: str) -> None:
    """All answers of a namespace are equal with and without the data of another."""
    lesson, member, cause = pattern(namespace=mine), failure(namespace=mine), fact(namespace=mine)
    action = changes(lesson, member, cause, edges=(generalizes(lesson, member), caused(member, cause)))
    put(store, *(fact(f"noise {number}", namespace=others) for number in range(30)))
    for where in (store, elsewhere):
        where.apply(action)
    put(store, failure(namespace=others), namespace=others, parameters_version=5)
    assert snapshot(store, mine)[:4] == snapshot(elsewhere, mine)[:4]
