"""Which files the store opens, which it refuses, and how it leaves them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.migrations import MIGRATIONS
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import BadInputError, GraphmemError, UnavailableError
from graphmem.ports.store import Capability
from tests.builders import NS, changes, fact


def edit(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def ours(file: Path) -> None:
    with closing(SqliteStore(file)) as store:
        store.migrate()


def test_folder_and_file_are_made_for_their_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "new" / "store.db"
    with closing(SqliteStore(file)) as store:
        store.migrate()
        store.apply(changes(fact()))
        assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}
        assert file.parent.stat().st_mode & 0o777 == 0o700


def test_the_first_migration_makes_the_schema_and_the_second_does_nothing(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "store.db")) as store:
        first, second = store.migrate(), store.migrate()
    assert (first.version, first.applied) == (len(MIGRATIONS), tuple(range(1, len(MIGRATIONS) + 1)))
    assert (second.version, second.applied) == (len(MIGRATIONS), ())


def test_it_says_what_it_is_able_to_do(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "store.db")) as store:
        assert store.capabilities == {Capability.SHARED_FILE}


def test_the_file_is_kept_in_a_durable_mode(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "store.db")) as store:
        store.migrate()
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        settings = store._writer.run(
            lambda connection: [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
        )
    assert settings == ["wal", 2, 1, 1]


@pytest.mark.parametrize("use", [lambda store: store.state(NS), lambda store: store.apply(changes(fact()))])
def test_before_the_migration_it_says_that_one_is_due(
    tmp_path: Path, use: Callable[[SqliteStore], object]
) -> None:
    with closing(SqliteStore(tmp_path / "store.db")) as store:
        with pytest.raises(UnavailableError) as refusal:
            use(store)
        assert "migrate" in refusal.value.remedy
        store.migrate()
        use(store)


def make_foreign(file: Path) -> None:
    edit(file, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")


def make_versioned(file: Path) -> None:
    edit(file, "PRAGMA user_version = 1")


def make_newer(file: Path) -> None:
    ours(file)
    edit(file, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def make_text(file: Path) -> None:
    file.write_bytes(b"These are notes and no database at all.\n" * 100)


@pytest.mark.parametrize("make", [make_foreign, make_versioned, make_newer, make_text])
def test_what_is_no_store_of_this_version_is_refused_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    file = tmp_path / "store.db"
    make(file)
    before = file.read_bytes()
    with pytest.raises(BadInputError) as refusal:
        SqliteStore(file)
    assert refusal.value.field == "store"
    assert refusal.value.remedy
    assert file.read_bytes() == before


def test_a_file_that_was_upgraded_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with closing(SqliteStore(file)) as store:
        store.migrate()
        make_newer(file)
        for use in (lambda: store.apply(changes(fact())), lambda: store.state(NS), store.migrate):
            with pytest.raises(BadInputError, match="upgrade graphmem"):
                use()


def test_a_place_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "store.db"):
        with pytest.raises(UnavailableError, match="permissions") as refusal:
            SqliteStore(place)
        assert str(place) in refusal.value.message


def test_a_damaged_file_is_reported_as_such(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with closing(SqliteStore(file)) as store:
        store.migrate()
        store.apply(changes(*(fact("a long statement " * 50) for _ in range(100))))
    file.write_bytes(file.read_bytes()[:4096] + b"\xff" * (file.stat().st_size - 4096))
    with pytest.raises(GraphmemError), closing(SqliteStore(file)) as store:
        store.state(NS)


def test_a_file_that_many_open_at_once_is_made_once(tmp_path: Path) -> None:
    def write(number: int) -> None:
        with closing(SqliteStore(tmp_path / "store.db")) as store:
            store.migrate()
            store.apply(changes(fact(f"fact {number}")))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    with closing(SqliteStore(tmp_path / "store.db")) as store:
        assert store.state(NS).counts["FACT"] == 8


def test_closing_leaves_one_file_behind(tmp_path: Path) -> None:
    ours(tmp_path / "store.db")
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]
