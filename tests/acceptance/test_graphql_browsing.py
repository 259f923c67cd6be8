"""Looking memories up by id and by filters, and the status: saved operations over HTTP on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.entrypoints.graphql.door import Door, opened
from tests.unit.entrypoints.graphql.stories import Incident, incident


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with opened(tmp_path) as found:
        yield found


@pytest.fixture
def story(door: Door) -> Incident:
    return incident(door)


EVERYTHING: dict[str, Any] = {
    "action": "a`b'}) DETACH DELETE n //",
    "context": "第一行\n第二行\t🧠",
    "output": "o",
    "expected": "e",
    "errorType": "ValueError",
    "correction": "c",
    "generalization": "g",
    "manifestation": "m",
    "tool": "t",
    "agent": "a",
    "trace": "tr",
    "sessionId": "s-1",
    "taskId": "t-1",
    "taskType": "y",
    "tags": ["'}) DETACH DELETE n //", "租户"],
    "metadata": {"n": 9007199254740993, "deep": [1, 2.5, None, True, {"é": ""}], "min": -(2**63)},
    "writer": {"id": "w", "channel": "TOOL"},
    "rootCause": {
        "summary": "s",
        "type": "INFORMATION_GAP",
        "prevention": "p",
        "deviatedAt": 3,
        "contextSufficiency": "MISLEADING",
        "changeAt": 2,
        "source": "agent",
    },
    "occurredAt": "2026-03-01T10:00:00.123456+08:00",
}


def test_memory(door: Door) -> None:
    """Everything that was said comes back, texts byte for byte."""
    written = door.experience(**EVERYTHING)
    found = door.run("memory", id=written["ref"])
    assert found["__typename"] == "Experience"
    assert found["occurredAt"] == "2026-03-01T02:00:00.123456Z"
    assert found["writer"] == {"id": "w", "channel": "TOOL", "trust": 1.0}
    same = EVERYTHING.keys() - {"occurredAt", "writer"}
    assert {name: found[name] for name in same} == {name: EVERYTHING[name] for name in same}
    assert (found["kind"], found["state"], found["tier"], found["version"]) == (
        "EXPERIENCE",
        "ACTIVE",
        "HOT",
        1,
    )


def test_memory_that_is_not_there(door: Door) -> None:
    found = door.run("memory", id="E-404")
    assert (found["__typename"], found["code"], found["field"]) == ("NotFound", "NOT_FOUND", "id")


def test_memories_page_by_page(door: Door) -> None:
    """Pages stay apart while memories are added, and end with a null cursor."""
    for number in range(7):
        door.fact(
            f"fact {number}", occurredAt=f"2026-02-0{number + 1}T00:00:00Z", tags=["odd"] * (number % 2)
        )
    seen: list[str] = []
    after = None
    while True:
        page = door.run("memories", first=3, after=after)
        seen += [node["text"] for node in page["nodes"]]
        assert [edge["node"]["id"] for edge in page["edges"]] == [node["id"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        assert page["pageInfo"]["hasNextPage"] is (after is not None)
        door.fact("written meanwhile", occurredAt="2026-03-01T00:00:00Z")
        if after is None:
            break
    assert seen == [f"fact {number}" for number in reversed(range(7))]
    assert len(door.run("memories", filter={"tag": "odd"})["nodes"]) == 3


def test_memories_by_every_filter(door: Door, story: Incident) -> None:
    def refs(**chosen: Any) -> set[str]:
        return {node["ref"] for node in door.run("memories", filter=chosen)["nodes"]}

    setting, empty, crash, fixed = (
        item["ref"] for item in (story.setting, story.empty, story.crash, story.fixed)
    )
    assert refs() == {setting, empty, crash, fixed}
    assert refs(kinds=["FACT"]) == {setting}
    assert refs(results=["FAILURE", "PARTIAL"]) == {empty, crash}
    assert refs(states=["SUPERSEDED"]) == set()
    assert refs(taskId="nightly-7") == refs(taskType="import") == refs(agent="importer") == {empty, crash}
    assert refs(tool="cleaner") == {crash, fixed}
    assert refs(errorType="IndexError") == {crash}
    assert refs(sessionId="none") == refs(tag="none") == set()
    assert refs(during={"start": "2026-03-01T02:00:03Z", "end": "2026-03-02T02:00:00Z"}) == {crash}


def test_status(door: Door, story: Incident) -> None:
    found = door.run("status")
    assert found["counts"] == {
        "facts": 1,
        "experiences": 3,
        "failures": 1,
        "patterns": 0,
        "strategies": 0,
        "causes": 2,
        "generalizations": 0,
        "supersessions": 0,
    }
    assert (found["revision"], found["indexRevision"], found["digestMatches"]) == (4, 4, True)
    assert (found["mode"], found["withoutVectors"], found["badVectors"]) == ("HYBRID", 0, 0)
