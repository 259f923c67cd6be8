"""A real Neo4j server for the tests: fetched when it is missing, one for a whole run, ended at its end.

Its absence is a failure. GRAPHMEM_TEST_NEO4J=0 leaves these tests out, openly; not where CI=true. Another version than
the default is named by GRAPHMEM_TEST_NEO4J_VERSION. The licence of the server is accepted here: who runs the tests
fetches it for testing, into the data folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import GraphmemError
from graphmem.tooling import neo4j
from graphmem.tooling.neo4j import Installation, Java, RunningServer, ServerOptions

SWITCH = "GRAPHMEM_TEST_NEO4J"
VERSION = "GRAPHMEM_TEST_NEO4J_VERSION"
FETCHING_S = 900
SHORT_LIVED = "-XX:TieredStopAtLevel=1"
"""Half the processor time of a start and of the first writes: no server of a test lives long enough to be optimised."""
STARTING_S = 600.0
"""How long a server may take to start here, and"""
PATIENCE_S = 60.0
"""a store to answer: what is tested is what they answer, on machines that do other work too. Deadlines are tested on
their own (test_deadlines, test_outages)."""


@dataclass(frozen=True)
class Neo4jKit:
    """What a test needs to run servers of its own."""

    installation: Installation
    java: Java
    environment: dict[str, str]

    def start(self, home: Path, options: ServerOptions) -> RunningServer:
        """Start the server of a data folder; its password is kept beside that folder."""
        return neo4j.start(
            self.installation,
            home,
            java=self.java,
            environment=self.environment,
            passwords=home.parent / "config",
            options=options,
        )

    @contextmanager
    def running(
        self, home: Path, *, authentication: bool = False, heap: str = "512m"
    ) -> Iterator[RunningServer]:
        """A server that runs as long as the block, however busy the machine is."""
        try:
            yield self.start(
                home, ServerOptions(authentication=authentication, heap=heap, timeout_s=STARTING_S)
            )
        finally:
            neo4j.stop(home, force=True)


def patient_store(uri: str, **options: Any) -> Neo4jStore:
    """The store on a server, with the patience that a busy machine asks for."""
    return Neo4jStore(uri, deadline_s=PATIENCE_S, **options)


@pytest.fixture(scope="session")
def neo4j_kit() -> Neo4jKit:
    """The installed server; fetched when it is missing."""
    if os.environ.get(SWITCH) == "0":
        if os.environ.get("CI") == "true":
            pytest.fail(f"{SWITCH}=0 leaves Neo4j out, but CI=true asks for it", pytrace=False)
        pytest.skip(f"Neo4j is left out: {SWITCH}=0")
    environment = {"JAVA_TOOL_OPTIONS": SHORT_LIVED, **os.environ}
    data = environment.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    version = environment.get(VERSION, neo4j.DEFAULT_VERSION)
    try:
        java = neo4j.find_java(environment, neo4j.release(version).java)
        folder = Path(data) / "graphmem" / "neo4j"
        installation = neo4j.install(
            folder, environment, version=version, accept_license=True, limit_s=FETCHING_S
        )
    except GraphmemError as error:
        pytest.fail(f"no Neo4j server for the tests: {error}. {SWITCH}=0 leaves them out.", pytrace=False)
    return Neo4jKit(installation, java, environment)


@pytest.fixture(scope="session")
def neo4j_server(neo4j_kit: Neo4jKit, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for the whole run: empty, without a password, on ports of its own.

    All tests share it: keep to a namespace of your own.
    """
    home = tmp_path_factory.mktemp("neo4j") / "home"
    with neo4j_kit.running(home) as server:
        yield server


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the first test that needs a server the time to fetch and start it."""
    for item in items:
        if "neo4j_kit" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(FETCHING_S + 300), append=False)
            return
