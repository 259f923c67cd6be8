"""Looking back over the memory as a whole, over HTTP on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from graphmem.tooling.neo4j import RunningServer
from tests.neo4j_fixture import patient_store
from tests.unit.entrypoints.graphql.door import Door, opened

NEO4J = pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(900)])


@pytest.fixture(params=["sqlite", NEO4J])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """The door over a namespace of its own."""
    given: dict[str, Any] = {"namespace": f"keeping-{uuid4().hex}"}
    if request.param == "neo4j":
        server: RunningServer = request.getfixturevalue("neo4j_server")
        given["store"] = patient_store(server.bolt_uri)
    with opened(tmp_path, **given) as found:
        yield found


def test_episodes(door: Door) -> None:
    """The day as data and as Markdown; a cause of another day is named."""
    cause = door.fact("the price list is of last year", occurredAt="2026-02-27T10:00:00Z")
    door.experience(
        "write the offer",
        taskId="offer-7",
        sessionId="s-1",
        occurredAt="2026-03-01T10:00:00Z",
        causedBy=[{"id": cause["id"]}],
    )
    found = door.run("episodes", day="2026-03-01", language="zh")
    (episode,) = found["episodes"]
    assert (found["day"], found["truncated"]) == ("2026-03-01", False)
    assert (episode["taskId"], episode["sessionId"]) == ("offer-7", "s-1")
    assert [memory["ref"] for memory in episode["memories"]] == ["E-1"]
    assert "- **原因**: F-1 the price list is of last year" in found["markdown"].splitlines()
    assert door.run("episodes", day="2026-02-28")["episodes"] == []


def test_replay(door: Door) -> None:
    """A repeat that no session asked about would be caught; the first of its kind could not be."""
    mistake = {
        "context": "input [None]",
        "tool": "cleaner",
        "errorType": "boundary input",
        "manifestation": "broke on an empty cell",
    }
    for task in ("one", "two"):
        door.experience("clean the prices", taskId=task, **mistake)
    found = door.run("replay", since="2026-01-01T00:00:00Z")
    assert (found["failures"], found["repeats"], found["truncated"]) == (2, 1, False)
    assert (found["saidThen"]["value"], found["saidNow"]["value"], found["disturbed"]["n"]) == (0, 1, 0)
    second, first = found["items"]
    assert (second["failure"]["ref"], second["then"], second["now"]) == ("E-2", None, "REMIND")
    assert (first["earlier"], first["miss"], first["nearest"]) == (0, "NOTHING_KNOWN", None)


def test_diagnostics(door: Door) -> None:
    """Every check of the table, and why a repeat would not be said."""
    mistake = {"manifestation": "broke on an empty cell"}
    door.experience("clean the prices", context="input [None]", taskId="one", **mistake)
    door.experience("clean the ages of clients", context="rows = {}", taskId="two", **mistake)
    found = door.run("diagnostics", since="2026-01-01T00:00:00Z")
    rows = {row["check"]: row for row in found["rows"]}
    assert len(rows) == 10
    figures = {one["name"]: one["value"] for one in rows["WRITE_LOG"]["figures"]}
    assert (rows["WRITE_LOG"]["ok"], figures["failures"], figures["uncorrectedShare"]) == (True, 2, 1)
    assert rows["MISSES"]["command"] == "graphmem replay"
    (missed,) = found["misses"]
    assert (missed["failure"]["ref"], missed["miss"], missed["nearest"]["memory"]["ref"]) == (
        "E-2",
        "NOT_SURE",
        "E-1",
    )
