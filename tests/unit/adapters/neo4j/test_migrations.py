"""How a database comes up to date, and what is said of one that is not what it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.adapters.neo4j.versions import MIGRATIONS, check_version, object_of, version_of
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.ports.queries import Cursor
from graphmem.tooling.neo4j import RunningServer
from tests.builders import changes, fact
from tests.contract.reading import at_once
from tests.neo4j_fixture import patient_store
from tests.unit.adapters.neo4j.conftest import Say

LATEST = len(MIGRATIONS)
SET_VERSION = "MATCH (s:SchemaVersion {id: 'graphmem'}) SET s.version = $version"


@pytest.fixture
def opened(neo4j_server: RunningServer, say: Say) -> Iterator[Callable[[], Neo4jStore]]:
    """Opens stores that know nothing of each other; the schema is whole again at the end."""
    stores: list[Neo4jStore] = []

    def open_one() -> Neo4jStore:
        stores.append(patient_store(neo4j_server.bolt_uri))
        return stores[-1]

    open_one().migrate()
    yield open_one
    for store in stores:
        store.close()
    say("MERGE (s:SchemaVersion {id: 'graphmem'}) SET s.version = $version", version=LATEST)
    with closing(patient_store(neo4j_server.bolt_uri)) as last:
        last.migrate()


@pytest.mark.neo4j
def test_the_first_migration_makes_the_schema_and_the_second_does_nothing(
    opened: Callable[[], Neo4jStore], say: Say
) -> None:
    say("MATCH (s:SchemaVersion) DETACH DELETE s")
    for step in ("memory-feed", "job-open"):
        say(f"DROP INDEX {object_of(step)}")
    first, second = opened().migrate(), opened().migrate()
    assert (first.version, first.applied, first.notes) == (LATEST, tuple(range(1, LATEST + 1)), ())
    assert (second.version, second.applied, second.notes) == (LATEST, (), ())
    made = {row["name"] for row in say("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name")}
    assert made == {object_of(name) for names in MIGRATIONS for name in names}


@pytest.mark.neo4j
def test_what_a_person_dropped_is_made_again_and_told(opened: Callable[[], Neo4jStore], say: Say) -> None:
    say("DROP INDEX memory_time")
    say("DROP CONSTRAINT tombstone_id")
    report = opened().migrate()
    assert report.applied == ()
    assert report.notes == (
        "memory_time was missing and was made again",
        "tombstone_id was missing and was made again",
    )
    assert opened().migrate().notes == ()


@pytest.mark.neo4j
def test_what_a_person_added_is_left_alone_and_told(opened: Callable[[], Neo4jStore], say: Say) -> None:
    say("CREATE INDEX mine FOR (m:Mine) ON (m.name)")
    assert opened().migrate().notes == ("mine is not of graphmem",)
    say("DROP INDEX mine")


@pytest.mark.neo4j
@pytest.mark.parametrize(
    "use",
    [
        lambda store, name: store.state(name),
        lambda store, name: store.apply(changes(fact(namespace=name))),
        lambda store, name: store.changes_since(name, Cursor(), 10),
    ],
    ids=["read", "write", "feed"],
)
def test_before_the_migration_it_says_that_one_is_due(
    opened: Callable[[], Neo4jStore], say: Say, name: str, use: Callable[[Neo4jStore, str], object]
) -> None:
    say(SET_VERSION, version=0)
    store = opened()
    with pytest.raises(UnavailableError) as refusal:
        use(store, name)
    assert "migrate" in refusal.value.remedy
    store.migrate()
    use(store, name)


@pytest.mark.neo4j
def test_a_newer_database_is_left_alone(opened: Callable[[], Neo4jStore], say: Say, name: str) -> None:
    """Also one that was upgraded while the store was open: it writes nothing any more."""
    store = opened()
    store.apply(changes(fact(namespace=name)))
    say(SET_VERSION, version=LATEST + 1)
    for use in (
        opened().migrate,
        lambda: opened().state(name),
        lambda: store.apply(changes(fact(namespace=name))),
    ):
        with pytest.raises(BadInputError, match="upgrade graphmem"):
            use()
    say(SET_VERSION, version=LATEST)
    assert store.state(name).revision == 1


@pytest.mark.neo4j
def test_many_may_migrate_at_once(opened: Callable[[], Neo4jStore], say: Say) -> None:
    say("MATCH (s:SchemaVersion) DETACH DELETE s")
    for step in ("memory-feed", "job-open", "memory-session"):
        say(f"DROP INDEX {object_of(step)}")
    reports = at_once(lambda _: opened().migrate(), 6)
    assert {report.version for report in reports} == {LATEST}
    assert say("MATCH (s:SchemaVersion) RETURN s.version AS version") == [{"version": LATEST}]
    assert opened().migrate().notes == ()


@pytest.mark.neo4j
def test_warming_up_leaves_nothing(opened: Callable[[], Neo4jStore], say: Say) -> None:
    opened().migrate()
    assert say("MATCH (n) WHERE coalesce(n.namespace, n.name) STARTS WITH 'graphmem warms up' RETURN n") == []


def test_versions_are_told_apart() -> None:
    assert version_of([]) == version_of([None, "x"]) == 0
    check_version([LATEST])
    with pytest.raises(UnavailableError):
        check_version([])
    with pytest.raises(BadInputError):
        version_of([LATEST + 1])
