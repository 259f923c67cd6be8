"""An agent without a key of any model analyses what waits, through GraphQL; the lesson is said from then on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.entrypoints.graphql.door import Door, opened

CAUSE = {
    "summary": "nobody looked whether the cell was empty",
    "type": "INFORMATION_GAP",
    "prevention": "ask whether the cell is empty before it is parsed",
    "deviatedAt": 2,
    "contextSufficiency": "INSUFFICIENT",
    "changeAt": 1,
}
LESSON = "cells of a table may be empty"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with opened(tmp_path) as found:
        for number in range(3):
            found.written(
                "capture_failure",
                "Experience",
                manifestation="the parser broke on an empty price cell",
                action=f"clean file {number}",
                taskId=f"t{number}",
            )
        yield found


def held(door: Door, owner: str = "ana", limit: int = 10) -> list[Any]:
    """Work that the owner holds."""
    found: list[Any] = door.run("claim_work", owner=owner, limit=limit)
    return found


def test_an_agent_analyses_what_waits(door: Door) -> None:
    pending = door.run("pending_work", limit=10)
    assert [(item["kind"], item["attempt"], item["leaseUntil"]) for item in pending] == [
        ("PATTERN", 0, None),
        *[("FAILURE", 0, None)] * 3,
    ]
    assert door.run("status")["pendingAnalyses"] == 4
    pattern, first, *others = held(door)
    assert [item["ref"] for item in pattern["evidence"]] == ["E-1", "E-2", "E-3"]
    assert len(first["questions"]) == 4
    assert door.run("pending_work", limit=10) == []
    answer = {"workId": pattern["id"], "owner": "ana", "attempt": 1, "lesson": LESSON}
    answer |= {"triggerConditions": "tables", "rootCause": CAUSE}
    told = door.written("submit_analysis", "Pattern", **answer)
    assert (told["lesson"], told["source"], told["receipt"]["created"]) == (LESSON, "agent", True)
    for item in (first, *others):
        given = {"workId": item["id"], "owner": "ana", "attempt": 1, "rootCause": CAUSE}
        told = door.written("submit_analysis", "Experience", **given)
        assert told["analysis"] == "DONE"
        assert told["rootCause"] == CAUSE | {"source": "agent"}
    status = door.run("status")
    assert (status["pendingAnalyses"], status["pendingJobs"]) == (0, 0)
    asked = door.run("recall", situation="clean file 9")
    assert LESSON in str(asked)


def test_an_answer_is_taken_once_and_only_from_its_owner(door: Door) -> None:
    *_, item = held(door)
    given = {"workId": item["id"], "owner": "ana", "attempt": 1, "rootCause": CAUSE}
    assert door.problem("submit_analysis", **given | {"owner": "eve"}) == ("Conflict", "workId")
    assert door.problem("submit_analysis", **given | {"attempt": 2}) == ("Conflict", "workId")
    assert door.problem("submit_analysis", **given | {"lesson": "x"}) == ("InvalidInput", "lesson")
    assert door.problem("submit_analysis", **given | {"workId": "none:analyse"}) == ("NotFound", "workId")
    first = door.written("submit_analysis", "Experience", **given)["receipt"]
    again = door.written("submit_analysis", "Experience", **given)["receipt"]
    assert (first["created"], again["created"]) == (True, False)
    assert (first["key"], first["revision"]) == (again["key"], again["revision"])
    other = given | {"rootCause": CAUSE | {"summary": "something else"}}
    assert door.problem("submit_analysis", **other) == ("Conflict", "key")
