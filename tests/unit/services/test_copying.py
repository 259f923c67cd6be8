"""A copy is what its source is, whatever happens while it is made."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import CopyProgress
from graphmem.domain.drafts import CauseLink, MemoryUpdate
from graphmem.domain.errors import ConflictError, UnavailableError
from graphmem.domain.records import Record, RecordKind
from graphmem.services import copying
from graphmem.services.copy import Copy
from graphmem.services.holding import Holder
from graphmem.wiring import Services
from tests.builders import NS, Clock, job, record
from tests.contract.model_store import ModelStore
from tests.contract.reading import found, put, records_of
from tests.failing_store import FailingStore
from tests.services import because, opened, remembered
from tests.unit.services.copies import SMALL, batch, copied, dump, ended, patient, target, told

__all__ = ["batch", "target", "told"]


def test_a_copy_is_equal(told: Services, target: SqliteStore) -> None:
    report = copied(told, target)
    assert (report.namespace, report.memories, report.edges) == (NS, 8, 6)


def test_only_the_namespace_asked_for_is_copied(told: Services, target: SqliteStore) -> None:
    remembered(told, "x", "other")
    copied(told, target)
    assert list(target.namespaces()) == [NS]


def test_its_progress_is_told(told: Services, target: SqliteStore) -> None:
    said: list[CopyProgress] = []
    copied(told, target, said.append)
    memories = [(how.done, how.total) for how in said if how.step == "MEMORIES"]
    assert memories == [(3, 8), (6, 8), (8, 8)]
    assert [how.step for how in said if how.step not in ("MEMORIES", "EDGES", "RECORDS")] == ["COMPARING"]
    assert {how.namespace for how in said} == {NS}


@pytest.mark.parametrize("after", [False, True], ids=["not done", "answer lost"])
def test_stopped_anywhere_it_goes_on(told: Services, after: bool) -> None:
    """Whichever call of the target fails, the copy ends as an error, and as a copy when it is called again."""
    again = patient(told, "again", [])
    for number in count(1):
        store = ModelStore()
        failing = FailingStore(store, number, after=after)
        try:
            patient(told, "first", []).copy(NS, failing)
        except UnavailableError:
            assert failing.failed
            if not ended(store):
                again.copy(NS, failing)
            assert dump(store) == dump(told.store)
        else:
            break
    assert number > 30


@pytest.mark.parametrize("step", ["MEMORIES", "EDGES", "RECORDS", "COMPARING"])
def test_what_was_copied_is_not_copied_again(told: Services, target: SqliteStore, step: str) -> None:
    """The second call begins at the batch that the first one did not finish."""

    def stop(how: CopyProgress) -> None:
        if how.step == step and (how.done or step == "COMPARING"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        told.copy.copy(NS, target, stop)
    done, said = len(found(target)), list[CopyProgress]()
    copied(told, target, said.append)
    again = [how for how in said if how.step == "MEMORIES"]
    assert all(how.done > done or how.done == how.total for how in again)
    assert len(again) == {"MEMORIES": 2, "EDGES": 0, "RECORDS": 0, "COMPARING": 1}[step]


def test_what_is_written_meanwhile_is_followed(told: Services, target: SqliteStore) -> None:
    """New, changed and forgotten memories, new edges and records of every step end in the copy."""
    written: set[str] = set()

    def write(how: CopyProgress) -> None:
        if how.step in written or not how.done:
            return
        written.add(how.step)
        new = remembered(told, f"while {how.step}", key=how.step)
        told.link.link(NS, CauseLink(effect="E-2", cause=because(new)[0], by="b"))
        told.revise.update(NS, MemoryUpdate(id="F-1", add_tags=(how.step,)))
        gone = {"MEMORIES": "F-2", "EDGES": "F-3", "RECORDS": "E-1"}[how.step]
        told.forget.forget(NS, gone)
        put(told.store, records=(record(), record(RecordKind.AUDIT)), jobs=(job(),))

    copied(told, target, write)
    assert written == {"MEMORIES", "EDGES", "RECORDS"}


def test_a_source_of_another_history_is_refused(told: Services, target: SqliteStore, tmp_path: Path) -> None:
    """A file that was replaced by an older one since the copy began is not mixed with it."""

    def stop(how: CopyProgress) -> None:
        if how.step == "EDGES":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        told.copy.copy(NS, target, stop)
    with opened(tmp_path / "older.db") as older:
        remembered(older, "x")
        again = Copy(older.store, told.copy._name, Holder("again", Clock(), lambda _: None))
        with pytest.raises(ConflictError, match="another history"):
            again.copy(NS, target)


def test_no_more_than_a_batch_is_written_at_once(
    told: Services, target: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many edges a memory owns."""
    sizes: list[int] = []
    restore = SqliteStore.restore

    def counted(store: SqliteStore, batch: copying.RestoreBatch) -> None:
        assert batch.job is not None
        sizes.append(batch.size)
        restore(store, batch)

    monkeypatch.setattr(SqliteStore, "restore", counted)
    copied(told, target)
    assert max(sizes) == SMALL


def test_the_space_comes_before_the_first_vector(told: Services, target: SqliteStore) -> None:
    """Who reads the target meanwhile knows by whom its vectors were made."""
    seen: list[tuple[list[Record], int]] = []

    def look(how: CopyProgress) -> None:
        seen.append((records_of(target, RecordKind.SPACE), target.state(NS).parameters_version))

    copied(told, target, look)
    space = records_of(told.store, RecordKind.SPACE)
    assert space
    assert all(found == (space, 1) for found in seen)


def test_the_revision_of_every_receipt_is_reached(told: Services, target: SqliteStore) -> None:
    copied(told, target)
    assert target.state(NS).revision >= told.store.state(NS).revision
