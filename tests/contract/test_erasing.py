"""Laws of erasing: what was forgotten is nowhere, and nothing else is gone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from graphmem.domain.errors import ForgottenError, NotFoundError, StaleError
from graphmem.domain.memories import Memory, SearchField
from graphmem.domain.records import JobKind, JobState, RecordKind
from graphmem.ports.changes import JobFinish, StoredReceipt
from graphmem.ports.queries import Cursor, Direction
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    at,
    caused,
    changed,
    changes,
    evidence,
    experience,
    fact,
    failure,
    generalizes,
    job,
    pattern,
    record,
    request,
    supersedes,
    vector,
)
from tests.contract.reading import (
    counts,
    edges_of,
    found,
    graph,
    one,
    put,
    records_of,
    refused,
    snapshot,
)

LEASE = timedelta(minutes=1)
CANARY = "zebrafish77 斑马鱼"


def test_an_erased_memory_is_in_no_answer(store: MemoryStore) -> None:
    """An erased memory and its edges are missing from every way of reading."""
    gone, effect, cause, lesson = put(store, failure(tags=("t",)), failure(), fact(), pattern())
    put(store, edges=(caused(effect, gone), caused(gone, cause), generalizes(lesson, gone)))
    put(store, erase=(gone.id,))
    assert store.get(NS, [gone.id, gone.ref]) == {}
    assert {item.id for item in found(store)} == {effect.id, cause.id, lesson.id}
    assert found(store, tag="t") == []
    assert edges_of(store) == []
    assert store.expand(NS, [effect.id, gone.id], Direction.CAUSES) == []
    assert store.expand(NS, [cause.id, gone.id], Direction.EFFECTS) == []
    assert gone.id not in graph(store)
    assert (counts(store)["EXPERIENCE"], counts(store)["CAUSED_BY"]) == (1, 0)


def test_the_text_is_nowhere(store: MemoryStore) -> None:
    """After an erasure no answer of the store holds a word of it: not old values, records or edges."""
    read = failure(CANARY, vectors={SearchField.SITUATION: vector(0.25)}, metadata={"note": CANARY})
    near, far = fact(), failure()
    kept = record(RecordKind.SERVED, subject=read.id, body={"shown": CANARY})
    edges = caused(read, near, evidence=(evidence(note=CANARY),)), caused(far, read)
    put(store, read, near, far, edges=edges, records=(kept,), requests=(request("k", read),))
    put(store, update=(changed(one(store, read), correction=CANARY),), jobs=(job(subject=read.id),))
    put(store, erase=(read.id,))
    assert CANARY.split()[0] not in repr(snapshot(store))
    assert CANARY.split()[0] not in repr(store.receipt(NS, "k"))


def test_old_values_are_erased_too(store: MemoryStore) -> None:
    """Records about an erased memory go with it, VERSION records included; only AUDIT stays."""
    gone, kept = put(store, fact("gone"), fact("kept"))
    audit = record(RecordKind.AUDIT, subject=gone.id)
    about = tuple(record(kind, subject=gone.id) for kind in (RecordKind.SERVED, RecordKind.EXPOSURE))
    others = record(RecordKind.SERVED, subject=kept.id), record(RecordKind.SERVED)
    put(store, update=(changed(gone, statement="x"), changed(kept, statement="y")), records=(audit, *about))
    put(store, records=others)
    put(store, erase=(gone.id,))
    assert records_of(store, RecordKind.AUDIT) == [audit]
    assert records_of(store, RecordKind.EXPOSURE) == []
    assert {item.id for item in records_of(store, RecordKind.SERVED)} == {item.id for item in others}
    assert [item.subject for item in records_of(store, RecordKind.VERSION)] == [kept.id]


def test_the_audit_of_an_erasure_stays(store: MemoryStore) -> None:
    """An AUDIT record of the erasing action itself is kept."""
    (gone,) = put(store, fact())
    audit = record(RecordKind.AUDIT, subject=gone.id, body={"verb": "forget"})
    put(store, erase=(gone.id,), records=(audit,))
    assert records_of(store, RecordKind.AUDIT) == [audit]


def test_jobs_are_erased_too(store: MemoryStore) -> None:
    """Jobs about an erased memory are not handed out, and one in work cannot be finished."""
    gone, kept = put(store, fact(), fact())
    put(store, jobs=(job(subject=gone.id), job(subject=gone.id, created_at=at(1))))
    put(store, jobs=(job(subject=kept.id, created_at=at(2)),))
    held = store.claim(NS, JobKind.ANALYSE, "w", at(5), LEASE)
    assert held is not None
    put(store, erase=(gone.id,))
    finish = JobFinish(job_id=held.id, owner="w", attempt=held.attempt, state=JobState.DONE)
    refused(store, StaleError, changes(finish=finish))
    left = store.claim(NS, JobKind.ANALYSE, "w", at(5), LEASE)
    assert left is not None
    assert left.subject == kept.id
    assert store.claim(NS, JobKind.ANALYSE, "w", at(5), LEASE) is None


@pytest.mark.parametrize("payload", ["hash-1", "hash-2"])
def test_a_retry_brings_nothing_back(store: MemoryStore, payload: str) -> None:
    """The key of a forgotten memory is refused for good; only that it was erased is kept."""
    gone = fact()
    put(store, gone, requests=(request("k", gone),))
    put(store, erase=(gone.id,))
    assert store.receipt(NS, "k") == StoredReceipt(key="k", erased=True)
    again = fact()
    refused(store, ForgottenError, changes(again, requests=(request("k", again, payload),)))
    put(store, erase=(gone.id,))
    refused(store, ForgottenError, changes(again, requests=(request("k", again, payload),)))


def test_only_its_own_keys_are_forgotten(store: MemoryStore) -> None:
    """Every key of a forgotten memory is marked, and the keys of others of the same action are kept."""
    gone, kept = fact(), fact()
    put(store, gone, kept, requests=(request("g", gone), request("k", kept)))
    put(store, update=(changed(one(store, gone), statement="x"),), requests=(request("g2", gone),))
    put(store, erase=(gone.id,))
    receipts = [store.receipt(NS, key) for key in ("g", "g2", "k")]
    assert [item.erased for item in receipts if item] == [True, True, False]


def test_unknown_ids_are_ignored(store: MemoryStore) -> None:
    """Erasing what is not there, or is gone already, is no error and moves nothing."""
    gone, _ = put(store, fact(), fact())
    put(store, erase=(gone.id,))
    before = snapshot(store)
    assert store.apply(changes(erase=(gone.id, fact().id))).revision == 2
    assert snapshot(store) == before


def test_unknown_ids_do_not_stop_the_others(store: MemoryStore) -> None:
    """Of known and unknown ids the known ones are erased, in one action."""
    first, second, kept = put(store, fact(), fact(), fact())
    assert store.apply(changes(erase=(first.id, fact().id, second.id))).revision == 2
    assert [item.id for item in found(store)] == [kept.id]
    assert set(store.changes_since(NS, Cursor(1, "~"), 10).tombstones) == {first.id, second.id}


def test_nobody_else_is_erased(store: MemoryStore) -> None:
    """Neighbours of an erased memory keep their values, versions, and their edges among themselves."""
    gone, a, b, c = put(store, failure(), failure(), failure(), fact())
    put(store, edges=(caused(a, gone), caused(gone, c), caused(a, b), caused(b, c)))
    before = {item.id: (item.text, item.version, item.ref) for item in found(store)}
    put(store, erase=(gone.id,))
    after = {item.id: (item.text, item.version, item.ref) for item in found(store)}
    assert after == {id: seen for id, seen in before.items() if id != gone.id}
    assert {(edge.from_id, edge.to_id) for edge in edges_of(store)} == {(a.id, b.id), (b.id, c.id)}


def test_an_erased_pattern_frees_its_members(store: MemoryStore) -> None:
    """Erasing a pattern keeps its members, and their rows lose the edge."""
    lesson, first, second = pattern(), failure(), experience()
    put(store, lesson, first, second, edges=(generalizes(lesson, first), generalizes(lesson, second)))
    put(store, erase=(lesson.id,))
    assert {id: edges for id, (_, edges) in graph(store).items()} == {first.id: [], second.id: []}
    assert one(store, first).revision == 2


def test_all_of_a_namespace_can_be_erased(store: MemoryStore) -> None:
    """Erasing every memory leaves counts and graph digest at zero, the revision and the name stay."""
    new, old = fact(), fact()
    put(store, new, old, edges=(supersedes(new, old),))
    put(store, erase=(new.id, old.id))
    state = store.state(NS)
    assert (state.revision, state.graph_digest, set(counts(store).values())) == (2, 0, {0})
    assert list(store.namespaces()) == [NS]
    assert graph(store) == {}


def test_an_erased_memory_cannot_be_updated(store: MemoryStore) -> None:
    """Who still holds the value of an erased memory cannot write it back."""
    held: tuple[Memory, ...] = put(store, fact())
    put(store, erase=(held[0].id,))
    refused(store, NotFoundError, changes(update=(changed(held[0], statement="back"),)))
