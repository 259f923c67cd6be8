"""Laws of failures: a store that cannot answer says so, changed nothing, and goes on afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Memory
from graphmem.domain.records import JobKind, JobState, RecordKind
from graphmem.ports.changes import Changes, JobFinish, RestoreBatch
from graphmem.ports.queries import (
    Cursor,
    Direction,
    EdgeSelection,
    FreeJobs,
    PageRequest,
    RecordSelection,
    Selection,
)
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
    full_fact,
    full_memories,
    generalizes,
    job,
    pattern,
    record,
    request,
)
from tests.contract.conftest import Reopen
from tests.contract.faults import Faults
from tests.contract.reading import put, snapshot

LEASE = timedelta(minutes=1)
CALLS: dict[str, Callable[[MemoryStore], object]] = {
    "migrate": lambda store: store.migrate(),
    "receipt": lambda store: store.receipt(NS, "k"),
    "apply": lambda store: store.apply(changes(fact())),
    "restore": lambda store: store.restore(RestoreBatch(namespace=NS, memories=(fact(ref="F-9"),))),
    "get": lambda store: store.get(NS, ["F-1"]),
    "find": lambda store: store.find(NS, Selection(), PageRequest()),
    "changes_since": lambda store: store.changes_since(NS, Cursor(), 10),
    "expand": lambda store: store.expand(NS, ["x"], Direction.CAUSES),
    "edges": lambda store: store.edges(NS, EdgeSelection(), PageRequest()),
    "records": lambda store: store.records(NS, RecordKind.AUDIT, RecordSelection(), PageRequest()),
    "claim": lambda store: store.claim(NS, JobKind.EMBED, "w", at(), LEASE),
    "state": lambda store: store.state(NS),
    "namespaces": lambda store: store.namespaces(),
    "namespaces with jobs": lambda store: store.namespaces(FreeJobs(kinds=(JobKind.EMBED,), at=at())),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_closed_store_says_so(store: MemoryStore, name: str) -> None:
    """After close every call raises UnavailableError: never an empty answer."""
    put(store, fact())
    store.close()
    store.close()
    with pytest.raises(UnavailableError):
        CALLS[name](store)


def test_a_restart_changes_nothing(store: MemoryStore, reopen: Reopen) -> None:
    """What was acknowledged is there after closing and opening again, and the counters go on."""
    effect, cause, lesson, gone = failure(), fact(), pattern(), fact()
    put(
        store,
        *(effect, cause, lesson, gone, *full_memories()),
        edges=(caused(effect, cause), generalizes(lesson, effect)),
        records=(record(), record(RecordKind.AUDIT)),
        requests=(request("k", effect),),
        jobs=(job(),),
        parameters_version=3,
    )
    put(store, erase=(gone.id,))
    before, stored = snapshot(store), store.receipt(NS, "k")
    again = reopen()
    assert snapshot(again) == before
    assert again.receipt(NS, "k") == stored
    assert again.claim(NS, JobKind.ANALYSE, "w", at(1), LEASE) is not None
    receipt = again.apply(changes(fact()))
    assert (receipt.revision, receipt.memories[0].ref) == (3, "F-4")


def test_migrating_twice_does_nothing(store: MemoryStore, reopen: Reopen) -> None:
    """migrate on a store that is up to date applies no step, keeps the version and the data."""
    put(store, fact())
    before, version = snapshot(store), store.migrate().version
    assert store.migrate().applied == ()
    again = reopen()
    report = again.migrate()
    assert (report.version, report.applied) == (version, ())
    assert snapshot(again) == before


def test_two_open_stores_see_each_other(store: MemoryStore, reopen: Reopen) -> None:
    """A store that was opened later goes on where the first one stopped, with all versions guarded."""
    (read,) = put(store, fact())
    again = reopen()
    (new,) = put(again, update=(changed(read, statement="second"),))
    assert (new.version, new.revision) == (2, 2)


@dataclass
class Setting:
    """What the actions below work on, in a namespace of its own."""

    namespace: str
    lesson: Memory
    members: tuple[Memory, ...]
    job_id: str


def prepare(store: MemoryStore, namespace: str = NS) -> Setting:
    """Write a pattern over three failures, two causes, a record and a job that is held."""
    lesson = pattern(namespace=namespace)
    members = tuple(failure(task_id=f"t{number}", namespace=namespace) for number in range(3))
    joined = (*(generalizes(lesson, item) for item in members), caused(members[0], members[1]))
    about, work = record(subject=members[1].id), job()
    _, *stored = put(store, lesson, *members, edges=joined, records=(about,), jobs=(work,))
    store.claim(namespace, JobKind.ANALYSE, "w", at(1), LEASE)
    return Setting(namespace, lesson, tuple(stored), work.id)


def everything(there: Setting) -> Changes:
    """One action that uses every part of Changes."""
    new, cause = (make(namespace=there.namespace) for make in (failure, fact))
    first, second, _ = there.members
    return changes(
        new,
        cause,
        full_fact(namespace=there.namespace),
        update=(changed(first, correction="ask"),),
        edges=(caused(new, cause), caused(new, first), generalizes(there.lesson, new)),
        erase=(second.id,),
        records=(record(RecordKind.AUDIT), record(subject=new.id)),
        jobs=(job(subject=new.id),),
        finish=JobFinish(job_id=there.job_id, owner="w", attempt=1, state=JobState.DONE),
        tight={there.lesson.id: True},
        parameters_version=2,
    )


def small(there: Setting) -> Changes:
    """The most frequent action: one memory with its key."""
    return changes(experience(namespace=there.namespace))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("build", "least"), [(small, 1), (everything, 5)], ids=["small", "everything"])
def test_every_statement_may_fail(
    faults: Faults, build: Callable[[Setting], Changes], least: int, after: bool
) -> None:
    """Whichever statement of an action fails: nothing changed before its commit, and a retry does it once.

    A statement fails before it does anything, or after it has done it; then even the commit is answered by
    an error, and only the retry with the same key tells that the action was done.
    """
    store = faults.store
    for nth in range(1, 1000):
        there = prepare(store, f"round {nth}")
        action = build(there)
        action = replace(action, requests=(request("k", action.create[0]),))
        before = snapshot(store, there.namespace)
        faults.arm(nth, after=after)
        told = outcome(store, action)
        if not faults.fired:
            break
        committed = faults.committed
        assert committed or told == "unavailable"
        assert (snapshot(store, there.namespace) == before) is not committed
        assert outcome(store, action) == ("known" if committed else "done")
        assert store.state(there.namespace).revision == 2
    assert least < nth < 1000


def outcome(store: MemoryStore, action: Changes) -> str:
    """What came of an action that may be broken."""
    try:
        return "done" if store.apply(action).created else "known"
    except UnavailableError:
        return "unavailable"


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"migrate", "namespaces", "namespaces with jobs"}))
def test_every_call_may_fail(faults: Faults, name: str) -> None:
    """Whichever statement of any call fails is told as UnavailableError, and the next call is answered."""
    store = faults.store
    prepare(store)
    for nth in range(1, 100):
        faults.arm(nth, after=False)
        try:
            CALLS[name](store)
        except UnavailableError:
            assert faults.fired
        if not faults.fired:
            break
        store.state(NS)
    assert 1 < nth < 100
