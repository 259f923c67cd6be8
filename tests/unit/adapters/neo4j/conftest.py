"""A store on the shared server of the run, and a look past it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from uuid import uuid4

import pytest
from neo4j import GraphDatabase

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.tooling.neo4j import RunningServer
from tests.neo4j_fixture import patient_store

Say = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def name() -> str:
    """A namespace that no other test knows."""
    return f"test {uuid4()}"


@pytest.fixture
def store(neo4j_server: RunningServer) -> Iterator[Neo4jStore]:
    """A store on the shared server."""
    with closing(patient_store(neo4j_server.bolt_uri)) as opened:
        opened.migrate()
        yield opened


@pytest.fixture
def say(neo4j_server: RunningServer) -> Iterator[Say]:
    """Run a statement as a person does in Neo4j Browser; the rows."""
    with GraphDatabase.driver(neo4j_server.bolt_uri, notifications_min_severity="OFF") as driver:
        yield lambda text, **values: [row.data() for row in driver.execute_query(text, values).records]
