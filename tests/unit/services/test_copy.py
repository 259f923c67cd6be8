"""A copy begins where nothing is, goes on where it stopped, and two do not meet."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import CopyProgress
from graphmem.domain.errors import ConflictError, GraphmemError, NotFoundError, UnavailableError
from graphmem.domain.records import JobKind
from graphmem.ports.store import MemoryStore
from graphmem.services.copy import JOB_ID, Copy
from graphmem.services.holding import LEASE, Holder
from graphmem.wiring import Services
from tests.builders import NS, Clock, fact, job
from tests.contract.reading import put
from tests.services import asked, listed, opened, remembered
from tests.unit.services.copies import batch, copied, dump, patient, target, told

__all__ = ["batch", "target", "told"]


def test_the_copy_goes_on_as_the_source_would(told: Services, target: SqliteStore) -> None:
    """The same questions are answered alike, a re-sent key is known, a forgotten one too, and refs go on."""
    copied(told, target)
    with opened(target, seed=7) as there:
        first, again = asked(told, "copy the disk", limit=9), asked(there, "copy the disk", limit=9)
        assert {hit.memory.id: hit.similarity for hit in listed(again)} == {
            hit.memory.id: hit.similarity for hit in listed(first)
        }
        known = remembered(there, "the disk 1 is full", key="k1")
        assert (known.created, known.memory.ref) == (False, "F-2")
        assert asked(there, "disk", min_revision=known.revision).revision >= known.revision
        with pytest.raises(ConflictError):
            remembered(there, "the disk 4 is full", key="k4")
        assert remembered(there, "new").memory.ref == "F-6"
        assert there.store.claim(NS, JobKind.ANALYSE, "w", Clock()(), LEASE) is not None


def test_one_that_was_killed_is_waited_for(told: Services, target: SqliteStore) -> None:
    """A job that nobody gave back is taken when its lease has run out, and not before."""
    clock = Clock()
    put(target, jobs=(job(JobKind.COPY, id=JOB_ID, body={"source": told.copy._name}),))
    assert target.claim(NS, JobKind.COPY, "killed", clock.now, LEASE) is not None
    looks: list[float] = []
    said: list[CopyProgress] = []
    patient(told, "next", looks).copy(NS, target, said.append)
    assert LEASE / 2 < timedelta(seconds=2 * sum(looks)) <= 2 * LEASE
    assert [how.step for how in said].count("WAITING") == len(looks)
    assert dump(target) == dump(told.store)


def test_two_do_not_copy_into_one(told: Services, target: SqliteStore) -> None:
    """While one copies, another one is refused; one that lost its lease does not write any more."""
    clock = Clock()
    clock.now += timedelta(days=1)
    first = Copy(told.store, told.copy._name, Holder("first", clock, lambda _: None))
    looks: list[float] = []

    def beside(how: CopyProgress) -> None:
        if how.step == "EDGES" and not looks:
            with pytest.raises(UnavailableError, match="another process"):
                patient(told, "second", looks).copy(NS, target)
            clock.now += timedelta(days=1)
            assert target.claim(NS, JobKind.COPY, "third", clock.now, LEASE) is not None

    with pytest.raises(ConflictError, match="not held"):
        first.copy(NS, target, beside)
    assert looks


def test_a_source_that_never_rests_is_said(told: Services, target: SqliteStore) -> None:
    """After some rounds it is an error; when the writers stopped, the same call ends it."""

    def write(how: CopyProgress) -> None:
        if how.step == "COMPARING":
            remembered(told, "once more")

    with pytest.raises(ConflictError, match=r"FACT: 7 at the source, 6 in the copy"):
        told.copy.copy(NS, target, write)
    copied(told, target)


def refusal(services: Services, target: MemoryStore, namespace: str = NS) -> GraphmemError:
    """The error that a copy ends in before it wrote anything."""
    before = dump(target)
    with pytest.raises(GraphmemError) as caught:
        services.copy.copy(namespace, target)
    assert dump(target) == before
    assert caught.value.remedy
    return caught.value


def test_a_namespace_that_is_not_empty_is_refused(told: Services, target: SqliteStore) -> None:
    gone = fact()
    put(target, gone)
    put(target, erase=(gone.id,))
    assert "is not empty" in str(refusal(told, target))


def test_a_finished_copy_is_not_written_to(told: Services, target: SqliteStore) -> None:
    copied(told, target)
    remembered(told, "later")
    assert "is not empty" in str(refusal(told, target))


def test_the_copy_of_another_store_is_refused(told: Services, target: SqliteStore) -> None:
    put(target, jobs=(job(JobKind.COPY, id=JOB_ID, body={"source": "sqlite:///other.db"}),))
    assert "unfinished copy of sqlite:///other.db" in str(refusal(told, target))


def test_a_namespace_that_is_not_there_is_refused(told: Services, target: SqliteStore) -> None:
    assert isinstance(refusal(told, target, "other"), NotFoundError)
    assert list(target.namespaces()) == []


def test_a_copy_of_a_copy_is_equal(told: Services, target: SqliteStore, tmp_path: Path) -> None:
    """The job of the first copy is not copied on, and does not stand in the way."""
    copied(told, target)
    with opened(target, seed=3) as second, closing(SqliteStore(tmp_path / "third.db")) as third:
        third.migrate()
        copied(second, third)
        assert dump(third) == dump(told.store)
