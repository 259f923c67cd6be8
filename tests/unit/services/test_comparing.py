"""What differs between a copy and its source is named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import CopyProgress
from graphmem.domain.errors import ConflictError
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from graphmem.wiring import Services
from tests.builders import NS, changed, fact, record
from tests.contract.reading import put
from tests.services import by_hand, remembered
from tests.unit.services.copies import batch, ended, target, told

__all__ = ["batch", "target", "told"]


def _foreign_fact(target: MemoryStore) -> None:
    put(target, fact())


def _changed_fact(target: MemoryStore) -> None:
    put(target, update=(changed(target.get(NS, ["F-1"])["F-1"], statement="x"),))


def _foreign_record(target: MemoryStore) -> None:
    put(target, records=(record(RecordKind.AUDIT),))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            _foreign_fact,
            r"FACT: 4 at the source, 5 in the copy; last reference F: 5 at .*; memories or their edges \(1\): F-6",
        ),
        (
            _changed_fact,
            r"memories or their edges \(1\): F-1; VERSION records: 3 at the source, 4 in the copy",
        ),
        (_foreign_record, r"AUDIT records: 2 at the source, 3 in the copy"),
    ],
)
def test_what_differs_is_named(
    told: Services, target: SqliteStore, spoil: Callable[[MemoryStore], None], said: str
) -> None:
    """A target that somebody else wrote to is no copy, and stays unfinished."""

    def write(how: CopyProgress) -> None:
        if how.step == "COMPARING" and not spoilt:
            spoilt.append(spoil(target))

    spoilt: list[None] = []
    with pytest.raises(ConflictError, match=said) as caught:
        told.copy.copy(NS, target, write)
    assert "copy again" in caught.value.remedy
    assert not ended(target)


def test_what_was_edited_by_hand_is_copied_as_it_reads(
    told: Services, path: Path, target: SqliteStore
) -> None:
    """The store still counts the text of before; the copy is whole when both read the same."""
    edit = "UPDATE memories SET body = replace(body, 'the disk 1 is full', 'the disk 1 was full')"
    with closing(sqlite3.connect(path)) as person, person:
        assert person.execute(edit).rowcount
    told.copy.copy(NS, target)
    assert target.get(NS, ["F-2"])["F-2"].text == "the disk 1 was full"


@pytest.mark.parametrize("ref", ["F-1", "F-2"])
def test_what_cannot_be_read_is_named_and_copied_once_it_is_right(
    told: Services, path: Path, target: SqliteStore, ref: str
) -> None:
    """Whether or not it is the cause of something."""
    by_hand(path, "CREATE TABLE before AS SELECT id, body FROM memories")
    by_hand(path, "UPDATE memories SET body = '{' WHERE ref = ?", ref)
    with pytest.raises(
        ConflictError, match=f"'main' holds what cannot be read: {ref} \\(body is no JSON"
    ) as caught:
        told.copy.copy(NS, target)
    assert caught.value.field == "source"
    assert not ended(target)
    by_hand(path, "UPDATE memories SET body = (SELECT body FROM before WHERE before.id = memories.id)")
    with closing(SqliteStore(path.with_name("again.db"))) as another:
        another.migrate()
        told.copy.copy(NS, another)
        assert ended(another)
        assert ref in another.get(NS, [ref])


def test_what_cannot_be_read_is_no_reason_once_it_is_counted_out(
    told: Services, path: Path, target: SqliteStore
) -> None:
    """As long as nothing was caused by it."""
    lonely = remembered(told, "nobody speaks of it").memory.ref
    by_hand(path, "UPDATE memories SET body = '{' WHERE ref = ?", lonely)
    told.repair.balance(NS)
    told.copy.copy(NS, target)
    assert target.get(NS, [lonely]) == {}
