"""Neo4j behind the laws: two servers of their own, since a law may look at all namespaces of a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.tooling import neo4j
from graphmem.tooling.neo4j import ServerOptions
from tests.neo4j_faults import Neo4jFaults, neo4j_faults
from tests.neo4j_fixture import STARTING_S, Neo4jKit, patient_store

NEO4J = "neo4j"
SLOWLY = [pytest.mark.neo4j, pytest.mark.timeout(900)]
"""Marks of a test with this store: the first one fetches and starts a server."""
SMALL = ServerOptions(authentication=False, heap="256m", page_cache="16m", timeout_s=STARTING_S)
_EMPTY = "MATCH (n) WHERE NOT n:SchemaVersion CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"

_addresses: dict[str, str] = {}
_used: dict[str, Path] = {}


def open_neo4j(place: Path) -> Neo4jStore:
    """The store at a place: a server holds one place at a time, and is emptied for a new one."""
    name = "elsewhere" if place.name == "elsewhere" else "store"
    if _used.get(name) != place:
        with GraphDatabase.driver(_addresses[name]) as driver, driver.session() as session:
            session.run(_EMPTY).consume()
        _used[name] = place
    return patient_store(_addresses[name])


def open_neo4j_faults(place: Path) -> AbstractContextManager[Neo4jFaults]:
    """The store at a place, whose statements can be made to fail."""
    return neo4j_faults(open_neo4j(place))


class Neo4jPlaces:
    """The servers that the laws need, started when they do."""

    def __init__(self, kit: Neo4jKit, folder: Path) -> None:
        self._kit, self._folder = kit, folder
        self._started: list[str] = []

    def need(self, name: str) -> None:
        """Have a server for the places of this name."""
        if name not in _addresses:
            _addresses[name] = self._kit.start(self._folder / name / "home", SMALL).bolt_uri
            self._started.append(name)

    def close(self) -> None:
        """End the servers that were started here: a folder of tests that imports the fixture has places of its own."""
        for name in self._started:
            neo4j.stop(self._folder / name / "home", force=True)
            del _addresses[name]


@pytest.fixture(scope="session")
def neo4j_places(neo4j_kit: Neo4jKit, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jPlaces]:
    """The servers of the laws; they are ended at the end of the run."""
    places = Neo4jPlaces(neo4j_kit, tmp_path_factory.mktemp("laws"))
    yield places
    places.close()


@pytest.fixture(autouse=True)
def neo4j_runs(request: pytest.FixtureRequest) -> None:
    """Have the servers running that a test with this store opens."""
    call = getattr(request.node, "callspec", None)
    if call is not None and NEO4J in call.params.values():
        places: Neo4jPlaces = request.getfixturevalue("neo4j_places")
        places.need("store")
        if "elsewhere" in request.fixturenames:
            places.need("elsewhere")
