"""Laws of restoring: a copy is equal to what it was copied from, and goes on from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import pytest

from graphmem.domain.errors import GraphmemError, NotFoundError, TooLargeError
from graphmem.domain.memories import Level, Memory, Pattern
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import RestoreBatch, StoredReceipt
from graphmem.ports.listing import request_record
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    T0,
    caused,
    changed,
    evidence,
    experience,
    fact,
    failure,
    full_memories,
    generalizes,
    job,
    pattern,
    record,
    refuted,
    request,
    supersedes,
)
from tests.contract.reading import (
    Reader,
    by_ends,
    counts,
    edges_of,
    found,
    one,
    put,
    records_of,
    snapshot,
)

_T = TypeVar("_T")


def written(store: MemoryStore) -> None:
    """Write a history of every kind of change."""
    lesson, gone, *rest = put(store, pattern(), fact(), failure(), failure(), failure(), fact(), fact())
    a, b, c, old, new = rest
    put(store, *full_memories(), records=(record(subject=a.id), record(RecordKind.AUDIT)))
    put(store, edges=tuple(generalizes(lesson, item) for item in (a, b, c)), tight={lesson.id: True})
    put(store, edges=(caused(b, a), caused(c, b), caused(a, old), supersedes(new, old)))
    put(store, edges=(caused(b, a, evidence=(evidence(0.25, note="again"),), verdicts=(refuted(),)),))
    put(store, requests=(request("k", a), request("gone", gone)), jobs=(job(subject=a.id), job()))
    put(store, update=(changed(one(store, a), correction="first ask"),), erase=(gone.id,))


def kept_key(receipt: StoredReceipt) -> Record:
    """A key as it is listed."""
    return request_record(receipt, T0)


def batches(store: MemoryStore, size: int) -> list[RestoreBatch]:
    """All of a namespace: memories first, then edges, then records."""
    memories, edges = found(store), edges_of(store)
    records = [item for kind in RecordKind for item in records_of(store, kind)]
    return [
        *(RestoreBatch(namespace=NS, memories=part) for part in batched(memories, size)),
        *(RestoreBatch(namespace=NS, edges=part) for part in batched(edges, size)),
        *(RestoreBatch(namespace=NS, records=part) for part in batched(records, size)),
    ]


def batched(items: Sequence[_T], size: int) -> list[tuple[_T, ...]]:
    """The items in parts of a size."""
    return [tuple(items[start : start + size]) for start in range(0, len(items), size)]


def unrevised(store: MemoryStore, namespace: str = NS) -> dict[str, Memory]:
    """All memories without their revisions."""
    return {item.id: replace(item, revision=0) for item in found(store, namespace)}


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_copy_is_equal(store: MemoryStore, elsewhere: MemoryStore, size: int) -> None:
    """A copy in batches of any size has equal memories, edges, records, counts and digests."""
    written(store)
    for batch in batches(store, size):
        elsewhere.restore(batch)
    assert unrevised(elsewhere) == unrevised(store)
    assert by_ends(edges_of(elsewhere)) == by_ends(edges_of(store))
    for kind in RecordKind:
        assert records_of(elsewhere, kind) == records_of(store, kind)
    assert counts(elsewhere) == counts(store)
    there, here = elsewhere.state(NS), store.state(NS)
    assert (there.digest, there.graph_digest) == (here.digest, here.graph_digest)


def test_one_batch_may_hold_all(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """Ends of edges may be in the same batch."""
    written(store)
    records = tuple(item for kind in RecordKind for item in records_of(store, kind))
    memories, edges = tuple(found(store)), tuple(edges_of(store))
    elsewhere.restore(RestoreBatch(namespace=NS, memories=memories, edges=edges, records=records))
    assert elsewhere.state(NS).digest == store.state(NS).digest


def test_restoring_twice_changes_nothing(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """A batch that is sent again after an unknown outcome adds nothing."""
    written(store)
    for batch in batches(store, 4):
        elsewhere.restore(batch)
        elsewhere.restore(batch)
    again, there = batches(store, 5), snapshot(elsewhere)[1:]
    for batch in again:
        elsewhere.restore(batch)
    assert unrevised(elsewhere) == unrevised(store)
    assert elsewhere.state(NS).digest == store.state(NS).digest
    assert (counts(elsewhere), *snapshot(elsewhere)[3:]) == (there[0], *there[2:])


def test_a_copy_is_in_the_feed(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """A reader that follows the copy while it is made ends with all of it."""
    written(store)
    reader = Reader(elsewhere)
    for batch in batches(store, 2):
        elsewhere.restore(batch)
        reader.catch_up(1)
    assert reader.digest == elsewhere.state(NS).graph_digest == store.state(NS).graph_digest
    assert elsewhere.state(NS).revision == reader.cursor.revision


def test_refs_go_on_after_a_copy(store: MemoryStore) -> None:
    """Restored refs are kept, and new memories get refs past the highest one."""
    kept = experience(ref="E-41"), experience(ref="E-7"), fact(ref="F-3")
    store.restore(RestoreBatch(namespace=NS, memories=kept))
    assert set(store.get(NS, ["E-41", "E-7", "F-3"])) == {"E-41", "E-7", "F-3"}
    stored = put(store, experience(), fact(), pattern())
    assert [item.ref for item in stored] == ["E-42", "F-4", "P-1"]


def test_versions_are_kept(store: MemoryStore) -> None:
    """A restored memory keeps its version, and updates go on from it."""
    kept = fact(ref="F-1", version=7)
    store.restore(RestoreBatch(namespace=NS, memories=(kept,)))
    read = one(store, kept)
    assert read.version == 7
    assert put(store, update=(changed(read, statement="new"),))[0].version == 8


def test_counts_are_kept_and_go_on(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """A restored pattern has its counts and level, records no transition, and counts on when it changes."""
    written(store)
    before = len(records_of(store, RecordKind.TRANSITION))
    for batch in batches(store, 2):
        elsewhere.restore(batch)
    assert len(records_of(elsewhere, RecordKind.TRANSITION)) == before == 1
    (lesson,) = [item for item in found(elsewhere) if isinstance(item, Pattern) and item.frequency]
    assert (lesson.frequency, lesson.level) == (3, Level.MEDIUM)
    member = failure()
    put(elsewhere, member, edges=(generalizes(lesson, member),))
    assert one(elsewhere, lesson).frequency == 4


def test_a_batch_is_whole(store: MemoryStore) -> None:
    """A batch with an edge whose end is missing is refused, and nothing of it stays."""
    effect, cause = failure(ref="E-5"), fact(ref="F-5")
    before = snapshot(store)
    bad = RestoreBatch(
        namespace=NS,
        memories=(effect, cause),
        edges=(caused(effect, cause), caused(effect, fact())),
        records=(
            record(),
            kept_key(StoredReceipt(key="k", payload_hash="h", memory_id=effect.id, revision=1)),
        ),
        ref_counters={"E": 90},
        parameters_version=3,
    )
    with pytest.raises(NotFoundError):
        store.restore(bad)
    assert snapshot(store) == before
    assert store.receipt(NS, "k") is None
    assert put(store, failure())[0].ref == "E-1"


def test_a_batch_is_bounded(store: MemoryStore) -> None:
    """A batch of more than MAX_ITEMS items is refused, one of MAX_ITEMS is stored."""
    memories = tuple(fact(ref=f"F-{number + 1}") for number in range(MAX_ITEMS + 1))
    with pytest.raises(TooLargeError):
        store.restore(RestoreBatch(namespace=NS, memories=memories))
    assert list(store.namespaces()) == []
    store.restore(RestoreBatch(namespace=NS, memories=memories[:-1]))
    assert counts(store)["FACT"] == MAX_ITEMS


def test_restoring_stays_inside(store: MemoryStore) -> None:
    """A batch cannot write into another namespace than its own."""
    foreign = fact(namespace="A", ref="F-1")
    with pytest.raises(GraphmemError):
        store.restore(RestoreBatch(namespace="a", memories=(foreign,)))
    assert list(store.namespaces()) == []
