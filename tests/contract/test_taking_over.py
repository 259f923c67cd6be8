"""Laws of what a store keeps of keys, erasures and jobs: it is listed, and whoever restores it goes on from there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graphmem.domain.errors import BadInputError, ForgottenError, GraphmemError, StaleError
from graphmem.domain.records import LISTED_ONLY, JobKind, JobState, Record, RecordKind
from graphmem.ports.changes import JobFinish, RestoreBatch, StoredReceipt
from graphmem.ports.listing import erasure_record, key_hash
from graphmem.ports.queries import Cursor
from graphmem.ports.store import MemoryStore
from tests.builders import NS, at, changes, experience, fact, failure, job, pattern, record, request
from tests.contract.reading import found, put, records_of, refused, snapshot
from tests.contract.test_restoring import batches, written

LEASE = timedelta(minutes=1)


def taken_over(store: MemoryStore, elsewhere: MemoryStore, size: int = 3) -> None:
    """Copy a namespace with all that the port can list and tell of it."""
    state = store.state(NS)
    for batch in batches(store, size):
        elsewhere.restore(batch)
    elsewhere.restore(
        RestoreBatch(
            namespace=NS, ref_counters=state.ref_counters, parameters_version=state.parameters_version
        )
    )


def restored(store: MemoryStore, *records: Record) -> None:
    """Restore records alone."""
    store.restore(RestoreBatch(namespace=NS, records=records))


def test_keys_are_listed(store: MemoryStore) -> None:
    """A key is listed with the memory that it made, the time of the action and what the receipt tells."""
    made = fact()
    put(store, made, requests=(request("k", made),))
    assert records_of(store, RecordKind.REQUEST) == [
        Record(
            kind=RecordKind.REQUEST,
            id="k",
            at=changes().at,
            subject=made.id,
            body={"payload_hash": "hash-1", "revision": 1},
        )
    ]
    assert records_of(store, RecordKind.REQUEST, subject=made.id) == records_of(store, RecordKind.REQUEST)
    assert records_of(store, RecordKind.REQUEST, subject="other") == []


def test_erasures_are_listed(store: MemoryStore) -> None:
    """Of a forgotten key only its hash is listed, with the time at which it was forgotten."""
    gone = fact()
    put(store, gone, requests=(request("k", gone),))
    store.apply(changes(erase=(gone.id,), at=at(7)))
    assert records_of(store, RecordKind.REQUEST) == []
    assert records_of(store, RecordKind.ERASURE) == [
        Record(kind=RecordKind.ERASURE, id=key_hash(NS, "k"), at=at(7))
    ]
    assert records_of(store, RecordKind.ERASURE, subject=gone.id) == []


def test_jobs_are_listed(store: MemoryStore) -> None:
    """A job is listed in the state that it is in, about its subject."""
    subject = fact()
    waiting, taken = job(subject=subject.id), job(JobKind.EMBED, created_at=at(1), body={"n": 1})
    put(store, subject, jobs=(waiting, taken))
    held = store.claim(NS, JobKind.EMBED, "w", at(5), LEASE)
    assert held is not None
    listed = records_of(store, RecordKind.JOB)
    assert [(item.id, item.at, item.body.get("state")) for item in listed] == [
        (waiting.id, at(0), None),
        (taken.id, at(1), "RUNNING"),
    ]
    assert records_of(store, RecordKind.JOB, subject=subject.id) == listed[:1]


@pytest.mark.parametrize("kind", sorted(LISTED_ONLY))
@pytest.mark.parametrize("first", [1, 2])
def test_lists_are_paged_by_time(store: MemoryStore, kind: RecordKind, first: int) -> None:
    """Pages of any size hold all, oldest first, and from a time on where it is asked for."""
    for number in (3, 1, 1, 2):
        gone, kept = fact(), fact()
        keys = request(f"k{kept.id}", kept), request(f"g{gone.id}", gone)
        waiting = job(created_at=at(number))
        store.apply(changes(gone, kept, requests=keys, jobs=(waiting,), at=at(number)))
        store.apply(changes(erase=(gone.id,), at=at(number)))
    listed = records_of(store, kind, first=first)
    assert [item.at for item in listed] == [at(1), at(1), at(2), at(3)]
    assert listed == sorted(listed, key=lambda item: (item.at, item.id))
    assert records_of(store, kind, first=first, since=at(2)) == listed[2:]
    assert records_of(store, kind, "other") == []


@pytest.mark.parametrize("kind", sorted(LISTED_ONLY))
def test_an_action_cannot_write_them_as_records(store: MemoryStore, kind: RecordKind) -> None:
    """Keys, erasures and jobs have parts of an action of their own."""
    refused(store, BadInputError, changes(fact(), records=(record(kind),)))


@pytest.mark.parametrize("kind", [RecordKind.REQUEST, RecordKind.JOB])
def test_a_record_that_is_none_is_refused(store: MemoryStore, kind: RecordKind) -> None:
    """A body without what the kind needs is refused, and nothing of its batch stays."""
    before = snapshot(store)
    with pytest.raises(BadInputError):
        restored(store, record(), record(kind, body={"n": 1}))
    assert snapshot(store) == before


@pytest.mark.parametrize("size", [1, 100])
def test_what_is_listed_is_restored(store: MemoryStore, elsewhere: MemoryStore, size: int) -> None:
    """Restored lists, counters and numbers are equal, and so are the digests."""
    written(store)
    put(store, parameters_version=4)
    taken_over(store, elsewhere, size)
    for kind in LISTED_ONLY:
        assert records_of(store, kind)
        assert records_of(elsewhere, kind) == records_of(store, kind)
    here, there = store.state(NS), elsewhere.state(NS)
    assert replace(there, revision=here.revision) == here
    assert elsewhere.changes_since(NS, Cursor(), 1).parameters_version == 4


def test_keys_work_as_before(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """A re-sent key gives the first receipt; the key of a forgotten memory is known as such."""
    written(store)
    taken_over(store, elsewhere)
    assert store.receipt(NS, "k") is not None
    assert elsewhere.receipt(NS, "k") == store.receipt(NS, "k")
    assert elsewhere.receipt(NS, "gone") == StoredReceipt(key="gone", erased=True)
    again = elsewhere.apply(changes(fact(), requests=(request("k"),)))
    assert not again.created
    assert again.receipts == (store.receipt(NS, "k"),)
    refused(elsewhere, ForgottenError, changes(fact(), requests=(request("gone"),)))


def test_erasures_are_restored(store: MemoryStore) -> None:
    """A hash that is restored refuses its key, and is kept with the time that came with it."""
    hash = key_hash(NS, "gone")
    restored(store, erasure_record(hash, at(1)))
    restored(store, erasure_record(hash, at(2)))
    assert store.receipt(NS, "gone") == StoredReceipt(key="gone", erased=True)
    assert [item.at for item in records_of(store, RecordKind.ERASURE)] == [at(2)]


def test_erasures_hold_in_their_namespace_only(store: MemoryStore) -> None:
    """The same key of another namespace is a new one."""
    gone = fact()
    put(store, gone, requests=(request("k", gone),))
    put(store, erase=(gone.id,))
    assert store.receipt("other", "k") is None
    assert records_of(store, RecordKind.ERASURE, "other") == []


def test_jobs_go_on(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """A pending job can be claimed after it was restored, one that was done cannot."""
    waiting, ended = job(attempt=2, body={"n": 1}, created_at=at(3)), job(created_at=at(1))
    put(store, jobs=(waiting, ended))
    held = store.claim(NS, JobKind.ANALYSE, "w", at(5), LEASE)
    assert held is not None
    end = JobFinish(job_id=held.id, owner=held.owner, attempt=held.attempt, state=JobState.DONE)
    put(store, finish=end)
    taken_over(store, elsewhere)
    found_there = elsewhere.claim(NS, JobKind.ANALYSE, "w", at(5), LEASE)
    assert found_there is not None
    assert (found_there.id, found_there.attempt, found_there.body) == (waiting.id, 3, {"n": 1})
    assert elsewhere.claim(NS, JobKind.ANALYSE, "w", at(6), LEASE) is None


def test_refs_go_on_past_the_counter(store: MemoryStore, elsewhere: MemoryStore) -> None:
    """The next ref is past those of memories that were forgotten before the copy, and never goes back."""
    gone = put(store, fact(), fact(), failure())
    put(store, erase=(gone[1].id, gone[2].id))
    taken_over(store, elsewhere)
    assert elsewhere.state(NS).ref_counters == {"E": 1, "F": 2}
    elsewhere.restore(RestoreBatch(namespace=NS, ref_counters={"F": 1}))
    assert [item.ref for item in put(elsewhere, fact(), failure(), pattern())] == ["F-3", "E-2", "P-1"]


def test_pending_jobs_are_counted(store: MemoryStore) -> None:
    """Jobs that wait or are at work are counted, ended ones and those of other namespaces are not."""
    put(store, fact(), jobs=(job(JobKind.NOTIFY), job(JobKind.NOTIFY), job(JobKind.EMBED)))
    store.apply(changes(fact(namespace="other"), namespace="other", jobs=(job(JobKind.NOTIFY),)))
    assert store.state(NS).pending_jobs == 3
    held = store.claim(NS, JobKind.NOTIFY, "w", at(5), LEASE)
    assert held is not None
    assert store.state(NS).pending_jobs == 3
    end = JobFinish(job_id=held.id, owner=held.owner, attempt=held.attempt, state=JobState.FAILED)
    put(store, finish=end)
    assert store.state(NS).pending_jobs == 2


def test_what_waits_for_an_analyst_is_counted_apart(store: MemoryStore) -> None:
    """An analyst may never come: what waits for one keeps nobody waiting who asks whether all work is done."""
    put(store, fact(), jobs=(job(JobKind.ANALYSE), job(JobKind.GENERALIZE), job(JobKind.ASSIGN)))
    assert (store.state(NS).pending_jobs, store.state(NS).pending_analyses) == (1, 2)
    held = store.claim(NS, JobKind.ANALYSE, "w", at(5), LEASE)
    assert held is not None
    assert store.state(NS).pending_analyses == 2
    put(store, finish=JobFinish.of(held))
    assert (store.state(NS).pending_jobs, store.state(NS).pending_analyses) == (1, 1)


@pytest.mark.parametrize("first", [1, 2, 9])
def test_open_jobs_are_listed_by_kind(store: MemoryStore, first: int) -> None:
    """Those of a kind that wait or are at work, oldest first, from a time on; those that ended and others are not."""
    jobs = [job(created_at=at(number), id=f"j{number}") for number in (5, 1, 4, 1.5, 2)]
    put(store, jobs=(*jobs, job(JobKind.EMBED)))
    failing, held = (store.claim(NS, JobKind.ANALYSE, "w", at(9), LEASE) for _ in range(2))
    assert failing is not None
    assert held is not None
    put(store, finish=JobFinish.of(failing, JobState.FAILED))
    expected = [held.id, "j2", "j4", "j5"]
    listed = records_of(store, RecordKind.JOB, first=first, open_jobs=JobKind.ANALYSE)
    assert [item.id for item in listed] == expected
    assert listed[0].body["owner"] == "w"
    later = records_of(store, RecordKind.JOB, first=first, open_jobs=JobKind.ANALYSE, since=at(2))
    assert [item.id for item in later] == expected[1:]
    assert records_of(store, RecordKind.JOB, open_jobs=JobKind.GENERALIZE) == []


def test_a_batch_may_say_its_revision(store: MemoryStore) -> None:
    """A revision that receipts name is reached; one that is past already moves on by one."""
    early, late, after = experience(ref="E-1"), experience(ref="E-2"), experience(ref="E-3")
    store.restore(RestoreBatch(namespace=NS, memories=(early,), revision=40))
    store.restore(RestoreBatch(namespace=NS, memories=(late,), revision=7))
    assert store.state(NS).revision == 41
    assert {item.id: item.revision for item in found(store)} == {early.id: 40, late.id: 41}
    restored(store, record())
    assert store.state(NS).revision == 41
    put(store, replace(after, ref=""))
    assert store.changes_since(NS, Cursor(41, "~"), 10).next == Cursor(42, after.id)


def test_a_batch_moves_its_job(store: MemoryStore) -> None:
    """The cursor of the job that restores moves with the batch, or neither does."""
    put(store, jobs=(job(JobKind.COPY, id="copy"),))
    held = store.claim(NS, JobKind.COPY, "w", at(5), LEASE)
    assert held is not None
    moved = replace(held, body={"at": 1}, lease_until=at(100))
    store.restore(RestoreBatch(namespace=NS, memories=(fact(ref="F-1"),), job=moved))
    assert records_of(store, RecordKind.JOB)[0].body["body"] == {"at": 1}
    assert store.claim(NS, JobKind.COPY, "v", at(99), LEASE) is None
    taken = store.claim(NS, JobKind.COPY, "v", at(101), LEASE)
    assert taken is not None
    before = snapshot(store)
    with pytest.raises(StaleError):
        store.restore(RestoreBatch(namespace=NS, memories=(fact(ref="F-2"),), job=moved))
    assert snapshot(store) == before


def test_a_memory_is_named_once_in_a_batch(store: MemoryStore) -> None:
    """Two values of one memory in one batch are refused."""
    kept = fact(ref="F-1")
    with pytest.raises(GraphmemError):
        store.restore(RestoreBatch(namespace=NS, memories=(kept, replace(kept, statement="x"))))
    assert list(store.namespaces()) == []


def test_vectors_of_other_parameters_are_refused(store: MemoryStore) -> None:
    """Who made vectors under parameters that have changed since must make them again."""
    first = changes(fact(), parameters_version=1, expected_parameters_version=0)
    store.apply(first)
    refused(store, StaleError, changes(fact(), expected_parameters_version=0))
    refused(store, StaleError, changes(fact(), expected_parameters_version=2))
    store.apply(changes(fact(), expected_parameters_version=1))
    store.apply(changes(fact()))
    assert store.state(NS).counts["FACT"] == 3


def test_a_known_key_is_answered_under_any_parameters(store: MemoryStore) -> None:
    """The receipt goes before everything else."""
    made = fact()
    put(store, made, requests=(request("k", made),), parameters_version=2)
    action = changes(fact(), requests=(request("k"),), expected_parameters_version=1)
    assert not store.apply(action).created
