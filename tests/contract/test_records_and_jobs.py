"""Laws of service records and jobs: kept apart from memories, handed out to one worker at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graphmem.domain.errors import NotFoundError, StaleError
from graphmem.domain.records import Job, JobKind, JobState, RecordKind
from graphmem.ports.changes import JobFinish
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NOTED,
    NS,
    at,
    caused,
    changed,
    changes,
    fact,
    failure,
    job,
    new_id,
    record,
    request,
)
from tests.contract.reading import at_once, found, one, put, records_of, refused

LEASE = timedelta(seconds=60)


def claim(
    store: MemoryStore, owner: str = "w", seconds: float = 10, kind: JobKind = JobKind.ANALYSE
) -> Job | None:
    """Claim a job at a time."""
    return store.claim(NS, kind, owner, at(seconds), LEASE)


def claimed(store: MemoryStore, owner: str = "w", seconds: float = 10) -> Job:
    """Claim a job that must be there."""
    held = claim(store, owner, seconds)
    assert held is not None
    return held


def finish(held: Job, state: JobState = JobState.DONE, owner: str = "", attempt: int = 0) -> JobFinish:
    """The end of a claimed job."""
    return JobFinish(job_id=held.id, owner=owner or held.owner, attempt=attempt or held.attempt, state=state)


@pytest.mark.parametrize("kind", NOTED)
def test_records_are_kept_by_kind(store: MemoryStore, kind: RecordKind) -> None:
    """A record of any kind is found under its kind, equal, and under no other."""
    kept = record(kind, subject=new_id(), body={"n": 2**62, "文": ["a", {"b": None}], "f": 0.1})
    store.apply(changes(records=(kept,)))
    assert {other: records_of(store, other) for other in RecordKind if records_of(store, other)} == {
        kind: [kept]
    }


def test_records_are_selected_by_subject_and_time(store: MemoryStore) -> None:
    """records gives those about the subject, and those not before since, oldest first."""
    subject = new_id()
    about = [record(subject=subject, at=at(number)) for number in (3, 1, 2)]
    others = [record(subject=new_id(), at=at(2)), record(at=at(0))]
    store.apply(changes(records=(*about, *others)))
    by_time = sorted(about, key=lambda item: item.at)
    assert records_of(store, RecordKind.SERVED, subject=subject) == by_time
    assert records_of(store, RecordKind.SERVED, subject=subject, since=at(2)) == by_time[1:]
    assert len(records_of(store, RecordKind.SERVED, since=at(2))) == 3
    assert len(records_of(store, RecordKind.SERVED)) == 5
    assert records_of(store, RecordKind.SERVED, since=at(3.000001)) == []


@pytest.mark.parametrize("first", [1, 100])
def test_records_about_several_subjects_come_in_one_order(store: MemoryStore, first: int) -> None:
    """records gives those about any of the subjects, oldest first whatever they are about, page by page."""
    one, other = new_id(), new_id()
    about = [record(subject=name, at=at(number)) for number, name in enumerate((one, other, one, other))]
    store.apply(changes(records=(*about, record(subject=new_id(), at=at(1)), record(at=at(1)))))
    asked = {"subjects": (one, other)}
    assert records_of(store, RecordKind.SERVED, first=first, **asked) == about
    assert records_of(store, RecordKind.SERVED, first=first, since=at(2), **asked) == about[2:]
    assert records_of(store, RecordKind.SERVED, first=first, subject=one, subjects=(other,)) == about


@pytest.mark.parametrize("kind", [RecordKind.REQUEST, RecordKind.JOB])
def test_keys_and_jobs_about_several_memories(store: MemoryStore, kind: RecordKind) -> None:
    """Kinds with a place of their own are selected in the same way."""
    made = [failure() for _ in range(3)]
    for memory in made:
        asked = (request(memory.id, memory),)
        store.apply(changes(memory, requests=asked, jobs=(job(subject=memory.id),)))
    found = records_of(store, kind, subjects=(made[0].id, made[2].id))
    assert sorted(item.subject for item in found) == sorted([made[0].id, made[2].id])


@pytest.mark.parametrize("first", [1, 2, 3, 100])
def test_records_come_in_pages(store: MemoryStore, first: int) -> None:
    """Pages of any size give every record once, by (at, id), oldest first."""
    kept = [record(at=at(-(number // 2))) for number in range(7)]
    store.apply(changes(records=tuple(kept)))
    expected = sorted(kept, key=lambda item: (item.at, item.id))
    assert records_of(store, RecordKind.SERVED, first=first) == expected


def test_a_record_written_again_is_replaced(store: MemoryStore) -> None:
    """A record with the kind and id of another takes its place: an exposure gets its outcome."""
    first = record(RecordKind.EXPOSURE, body={"outcome": ""})
    second = record(RecordKind.EXPOSURE, id=first.id, body={"outcome": "AVOIDED"}, at=at(1))
    other = record(RecordKind.SERVED, id=first.id)
    store.apply(changes(records=(first, other)))
    store.apply(changes(records=(second,)))
    assert records_of(store, RecordKind.EXPOSURE) == [second]
    assert records_of(store, RecordKind.SERVED) == [other]


def test_records_are_no_memories(store: MemoryStore) -> None:
    """Records and jobs are in no count, page or feed of memories."""
    store.apply(changes(records=(record(),), jobs=(job(),)))
    state = store.state(NS)
    assert (state.revision, state.graph_digest, sum(state.counts.values())) == (0, 0, 0)
    assert found(store) == []
    assert list(store.namespaces()) == [NS]


def test_the_oldest_job_comes_first(store: MemoryStore) -> None:
    """Jobs of a kind are handed out by (created_at, id), each once while its lease runs."""
    jobs = [job(created_at=at(number)) for number in (3, 1, 2)] + [job(JobKind.EMBED, created_at=at(0))]
    store.apply(changes(jobs=tuple(jobs)))
    assert [claimed(store).id for _ in range(3)] == [jobs[1].id, jobs[2].id, jobs[0].id]
    assert claim(store) is None
    embed = claim(store, kind=JobKind.EMBED)
    assert embed is not None
    assert embed.id == jobs[3].id
    assert claim(store, kind=JobKind.ASSIGN) is None


def test_assignments_are_done_one_at_a_time(store: MemoryStore) -> None:
    """While one job ASSIGN is held nobody gets another, not even its holder; other kinds are not held up."""
    store.apply(changes(jobs=(*(job(JobKind.ASSIGN, created_at=at(number)) for number in range(3)), job())))
    first = claim(store, "a", kind=JobKind.ASSIGN)
    assert first is not None
    assert [claim(store, owner, kind=JobKind.ASSIGN) for owner in ("a", "b")] == [None, None]
    assert claim(store, "b") is not None
    store.apply(changes(finish=finish(first)))
    second = claim(store, "b", kind=JobKind.ASSIGN)
    assert second is not None
    assert claim(store, "c", 69, JobKind.ASSIGN) is None
    lapsed = claim(store, "c", 71, JobKind.ASSIGN)
    assert lapsed is not None
    assert (lapsed.id, lapsed.attempt) == (second.id, 2)


def test_an_assignment_of_one_namespace_holds_up_no_other(store: MemoryStore) -> None:
    """One at a time is said of each namespace."""
    for namespace in (NS, "other"):
        store.apply(changes(namespace=namespace, jobs=(job(JobKind.ASSIGN),)))
        assert store.claim(namespace, JobKind.ASSIGN, "w", at(10), LEASE) is not None


def test_many_claim_one_assignment(store: MemoryStore) -> None:
    """Of many workers that claim at once one gets an assignment."""
    store.apply(changes(jobs=tuple(job(JobKind.ASSIGN, created_at=at(number)) for number in range(9))))
    held = at_once(lambda number: claim(store, f"w{number}", kind=JobKind.ASSIGN), 16)
    assert len([item for item in held if item is not None]) == 1


def test_a_claim_shows_the_job(store: MemoryStore) -> None:
    """A claimed job is as it was written, RUNNING, with owner, lease and one more attempt."""
    written = job(subject=new_id(), body={"hint": "提示", "n": 2**62})
    store.apply(changes(jobs=(written,)))
    assert claimed(store) == Job(
        id=written.id,
        kind=written.kind,
        created_at=written.created_at,
        subject=written.subject,
        body=written.body,
        state=JobState.RUNNING,
        owner="w",
        lease_until=at(10) + LEASE,
        attempt=1,
    )


def test_a_lease_runs_out(store: MemoryStore) -> None:
    """A job whose worker died is handed out again after its lease, and not before, with one more attempt."""
    store.apply(changes(jobs=(job(),)))
    claimed(store, "dead", 10)
    assert claim(store, "w", 69.999999) is None
    again = claimed(store, "w", 70.000001)
    assert (again.owner, again.attempt) == ("w", 2)


@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED])
def test_a_finished_job_is_not_handed_out(store: MemoryStore, state: JobState) -> None:
    """A job that is done or failed stays so, also after its lease."""
    store.apply(changes(jobs=(job(),)))
    store.apply(changes(finish=finish(claimed(store), state)))
    assert claim(store, seconds=10_000) is None


def test_a_job_that_is_done_leaves(store: MemoryStore) -> None:
    """Only jobs that are still to be done and those that failed are kept; its holder may have moved it as well."""
    store.apply(changes(jobs=tuple(job(created_at=at(number)) for number in range(3))))
    first, second, third = (claimed(store) for _ in range(3))
    moved = replace(first, body={"cursor": 1})
    store.apply(changes(jobs=(moved,), finish=finish(first)))
    store.apply(changes(finish=finish(second, JobState.FAILED)))
    states = {item.id: item.body["state"] for item in records_of(store, RecordKind.JOB)}
    assert states == {second.id: "FAILED", third.id: "RUNNING"}


def test_a_returned_job_is_handed_out_again(store: MemoryStore) -> None:
    """A worker may give a job back: finished as PENDING it is claimed at once."""
    store.apply(changes(jobs=(job(),)))
    store.apply(changes(finish=finish(claimed(store), JobState.PENDING)))
    assert claimed(store).attempt == 2


def test_a_lost_job_writes_nothing(store: MemoryStore) -> None:
    """A worker whose job was given to another cannot finish it, and its whole action is refused."""
    store.apply(changes(jobs=(job(),)))
    slow = claimed(store, "slow", 10)
    fast = claimed(store, "fast", 100)
    late = changes(fact("late"), finish=finish(slow), records=(record(),), requests=(request("k"),))
    refused(store, StaleError, late)
    assert store.receipt(NS, "k") is None
    assert store.apply(changes(fact("in time"), finish=finish(fast))).created
    assert [item.text for item in found(store)] == ["in time"]


def test_finishing_is_fenced(store: MemoryStore) -> None:
    """Another owner, another attempt, an unknown or a finished job: each is refused."""
    store.apply(changes(jobs=(job(), job(created_at=at(1)))))
    held = claimed(store)
    waiting = job()
    for wrong in (
        finish(held, owner="other"),
        finish(held, attempt=2),
        finish(waiting, owner="w", attempt=1),
        JobFinish(job_id=waiting.id, owner="", attempt=0, state=JobState.DONE),
    ):
        refused(store, StaleError, changes(finish=wrong))
    store.apply(changes(finish=finish(held)))
    refused(store, StaleError, changes(finish=finish(held)))


def test_the_same_owner_again_is_another_attempt(store: MemoryStore) -> None:
    """A restarted worker of the same name cannot finish with the attempt of its former life."""
    store.apply(changes(jobs=(job(),)))
    before = claimed(store, "w", 10)
    after = claimed(store, "w", 100)
    refused(store, StaleError, changes(finish=finish(before)))
    store.apply(changes(finish=finish(after)))


def test_a_failed_action_keeps_the_job(store: MemoryStore) -> None:
    """When the action that finishes a job is refused, the job is still held."""
    store.apply(changes(jobs=(job(),)))
    held = claimed(store)
    effect = failure()
    refused(store, NotFoundError, changes(effect, edges=(caused(effect, fact()),), finish=finish(held)))
    store.apply(changes(effect, finish=finish(held)))


def test_a_result_is_stored_once(store: MemoryStore) -> None:
    """A worker that repeats its finishing action with the same key gets the first receipt."""
    (read,) = put(store, failure(), jobs=(job(),))
    action = changes(
        update=(changed(read, correction="c"),), finish=finish(claimed(store)), requests=(request("k", read),)
    )
    assert store.apply(action).created
    assert not store.apply(action).created
    assert one(store, read).version == 2


def test_each_job_goes_to_one_worker(store: MemoryStore) -> None:
    """Of many workers that claim at once each gets another job, and nobody the same."""
    store.apply(changes(jobs=tuple(job(created_at=at(number / 100)) for number in range(20))))
    held = at_once(lambda number: claim(store, f"w{number}"), 32)
    ids = [item.id for item in held if item is not None]
    assert len(ids) == len(set(ids)) == 20


def test_of_many_finishers_one_wins(store: MemoryStore) -> None:
    """Of many actions that finish one job at once exactly one is committed."""
    store.apply(changes(jobs=(job(),)))
    held = claimed(store)

    def end(number: int) -> bool:
        try:
            return store.apply(changes(fact(f"result {number}"), finish=finish(held))).created
        except StaleError:
            return False

    assert sum(at_once(end, 12)) == 1
    assert len(found(store)) == 1
