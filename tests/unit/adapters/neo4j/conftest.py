"""A store on the shared server of the run, and a look past it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from uuid import uuid4

import pytest
from neo4j import GraphDatabase

from graphmem.adapters.neo4j.grouping import Line
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.tooling.neo4j import RunningServer
from tests.neo4j_fixture import PATIENCE_S, patient_store

Say = Callable[..., list[dict[str, Any]]]


def until_stands(line: Line[Any, Any], number: int) -> None:
    """Wait until so many callers stand behind the first one."""
    give_up = time.monotonic() + PATIENCE_S
    while len(line._behind) < number:
        assert time.monotonic() < give_up
        time.sleep(0.001)


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


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements, as they are sent."""
    run, names = Session.run, list[str]()

    def noted(self: Session, name: str, **parameters: Any) -> Any:
        names.append(name)
        return run(self, name, **parameters)

    monkeypatch.setattr(Session, "run", noted)
    return names
