"""Many failures at once over HTTP, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.tooling.neo4j import RunningServer
from tests.unit.entrypoints.graphql.door import Door, opened

NEO4J = pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(900)])


@pytest.fixture(params=["sqlite", NEO4J])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """The door over a namespace of its own."""
    given: dict[str, Any] = {"namespace": f"overview-{uuid4().hex}"}
    if request.param == "neo4j":
        server: RunningServer = request.getfixturevalue("neo4j_server")
        given["store"] = Neo4jStore(server.bolt_uri)
    with opened(tmp_path, **given) as found:
        yield found


def minute(number: int) -> str:
    """A time on the day of the story."""
    return f"2026-03-01T08:{number:02}:00Z"


def test_from_the_fact_to_the_curve(door: Door) -> None:
    """A wrong fact led to three failures of four; one chain leads through the middle."""
    fact = door.fact("prices are in cents", validFrom=minute(0))
    last = fact
    for number, action in enumerate(("convert", "sum", "report"), start=1):
        last = door.experience(action, occurredAt=minute(number), causedBy=[{"id": last["id"]}])
    alone = door.experience("click", occurredAt=minute(9))
    found = door.run("priorities")
    assert (found["failures"], found["orphans"], found["cut"]) == (4, 1, 2)
    first, second = found["items"]
    assert (first["id"], first["failures"], first["gained"], first["covered"]) == (fact["id"], 3, 3, 0.75)
    assert [item["ref"] for item in first["causes"]] == [fact["ref"]]
    assert (second["id"], second["count"], second["covered"]) == (alone["id"], 1, 1.0)
    points = door.run("choke_points", limit=1)
    assert [(item["memory"]["title"], item["chains"]) for item in points] == [("convert", 2)]
    late = door.run("priorities", since=minute(5))
    assert (late["failures"], [item["id"] for item in late["items"]]) == (1, [alone["id"]])


def test_refusals_name_the_argument(door: Door) -> None:
    for operation in ("priorities", "choke_points"):
        answer = door.ask(
            f"{{ {operation.replace('choke_points', 'chokePoints')}(limit: 101) {{ __typename }} }}"
        )
        assert (answer.code, answer.field) == ("BAD_INPUT", "limit")
