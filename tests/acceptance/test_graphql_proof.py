"""The proof over HTTP, on both stores: what a session was told, what came of it, and what withholding shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from graphmem.domain.recurrence import exposure_id, withheld
from graphmem.tooling.neo4j import RunningServer
from tests.builders import Ids, changes, failure, generalizes, pattern
from tests.neo4j_fixture import patient_store
from tests.unit.entrypoints.graphql.door import Door, opened

NEO4J = pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(900)])
SITUATION = "clean the price column, input [None]"
SEED = "graphmem"


@pytest.fixture(params=["sqlite", NEO4J])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """The door over a namespace of its own; half of what would be listed is withheld in sessions named x…"""
    given: dict[str, Any] = {"namespace": f"proof-{uuid4().hex}", "holdout": 0.5}
    if request.param == "neo4j":
        server: RunningServer = request.getfixturevalue("neo4j_server")
        given["store"] = patient_store(server.bolt_uri)
    with opened(tmp_path, **given) as found:
        yield found


def sessions(lineage: str, hidden: bool) -> Iterator[str]:
    """Names of sessions from which the coin withholds a lineage, or to which it shows it."""
    return (f"x{n}" for n in range(10_000) if withheld(SEED, f"x{n}", lineage, 0.5) is hidden)


def fail(door: Door, **fields: Any) -> dict[str, Any]:
    """The mistake."""
    given = {"errorType": "boundary input", "tool": "cleaner", "correction": "return an empty result"}
    return door.experience(SITUATION, **(given | fields))


def test_from_a_reminder_to_a_rate(door: Door) -> None:
    """One session heeds the warning, one does not, one does something else, one goes on."""
    first = fail(door, taskId="first")
    names = sessions(first["id"], hidden=False)
    heeding, ignoring, elsewhere, going_on = (next(names) for _ in range(4))
    ids = {}
    for name in (heeding, ignoring, elsewhere, going_on):
        asked = {"situation": SITUATION, "sessionId": name, "taskId": f"task of {name}"}
        (reminder,) = door.run("recall", **asked, keys={"tool": "cleaner"})["reminders"]
        assert reminder["subject"]["id"] == first["id"]
        ids[name] = reminder["exposureId"]
    noted = door.written("answer_reminder", "Exposure", exposureId=ids[heeding], answer="APPLIED", note="好")
    assert (noted["sessionId"], noted["lineage"], noted["memoryId"]) == (heeding, first["id"], first["id"])
    assert (noted["strength"], noted["shown"], noted["rate"], noted["note"]) == ("REMIND", True, 0.5, "好")
    door.experience(SITUATION, sessionId=heeding, result="SUCCESS", tool="cleaner")
    fail(door, sessionId=ignoring)
    door.experience("read the news", sessionId=elsewhere, result="SUCCESS", tool="browser")
    for name in (heeding, ignoring, elsewhere):
        ended = door.run("end_session", id=name)
        assert (ended["__typename"], ended["already"]) == ("EndedSession", False)
    assert door.run("end_session", id=heeding)["already"] is True
    found = door.run("recurrence", subject=first["ref"])
    assert found["subject"]["id"] == first["id"]
    counts = {name: found["shown"][name] for name in ("exposures", "recurred", "avoided", "censored", "open")}
    assert counts == {"exposures": 4, "recurred": 1, "avoided": 1, "censored": 1, "open": 1}
    assert (found["shown"]["rate"]["value"], found["shown"]["rate"]["n"]) == (0.5, 2)
    assert found["answers"] == {"applied": 1, "notApplicable": 0, "refuted": 0}
    assert (found["before"]["n"], found["after"]["n"], found["truncated"]) == (0, 2, False)


def test_a_brief_is_an_exposure_as_well(door: Door) -> None:
    first = fail(door)
    hidden, shown = (next(sessions(first["id"], side)) for side in (True, False))
    assert door.run("brief", task=SITUATION, sessionId=hidden)["likelyFailures"] == []
    told = door.run("brief", task=SITUATION, sessionId=shown)
    assert told["recollection"]["reminders"][0]["exposureId"]
    assert door.run("recurrence")["withheld"] == 1


def test_the_coin_recovers_a_known_effect(door: Door) -> None:
    """Told, the agent never fails; not told, always. Half are told; the interval is far from 0, no alarm."""
    space, ids = door.services.settings.namespace, Ids(seed=7)
    lesson = pattern("return an empty result", namespace=space, id=ids())
    held: dict[str, Any] = {"namespace": space, "cluster_id": "c1", "tool": "cleaner"}
    first = failure(SITUATION, id=ids(), **held)
    door.services.store.apply(changes(lesson, first, edges=(generalizes(lesson, first),)))
    told, untold = sessions("c1", False), sessions("c1", True)
    for name in [next(side) for side in (told, untold) for _ in range(8)]:
        warned = bool(door.run("recall", situation=SITUATION, sessionId=name)["errors"])
        if warned:
            door.experience(SITUATION, sessionId=name, result="SUCCESS", tool="cleaner")
        else:
            now = door.services.remember._clock()
            again = failure(SITUATION, id=ids(), session_id=name, occurred_at=now, **held)
            door.services.store.apply(changes(again))
        door.run("end_session", id=name)
    found = door.run("experiment", subject=lesson.id)
    assert (found["rate"], found["shown"]["rate"]["value"], found["withheld"]["rate"]["value"]) == (0.5, 0, 1)
    assert (found["shown"]["avoided"], found["withheld"]["recurred"]) == (8, 8)
    assert found["effect"]["difference"] == -1
    assert found["effect"]["high"] < -0.5
    assert (found["effect"]["lift"], found["effect"]["harm"], found["retirements"]) == (1, False, [])
    assert found["effect"]["p"] == pytest.approx(2 / 12_870)


def test_outcomes_of_sessions_fit_the_gate(door: Door) -> None:
    """What is shown is applied, what is withheld never comes back: with the far questions, labels of both kinds."""
    first = fail(door)
    told, untold = sessions(first["id"], False), sessions(first["id"], True)
    near = "clean the price column of the new list, input [None], before the report"
    assert door.run("recall", situation=near)["reminders"] == []
    for _ in range(45):
        name = next(told)
        door.run("recall", situation=near, sessionId=name)
        exposure = exposure_id(name, first["id"])
        door.written("answer_reminder", "Exposure", exposureId=exposure, answer="APPLIED")
    for _ in range(12):
        name = next(untold)
        door.run("recall", situation="paint the column", sessionId=name)
        door.experience("paint the column", sessionId=name, result="SUCCESS", tool="cleaner")
        door.run("end_session", id=name)
    tried = door.run("calibrate", dryRun=True)
    assert (tried["labels"], tried["relevant"], tried["withheld"], tried["changed"]) == (57, 45, 12, True)
    assert door.run("recall", situation=near)["reminders"] == []
    found = door.run("calibrate")
    assert found["trial"]["better"]
    assert found["gate"] == found["trial"]["refitted"] == tried["gate"]
    (reminder,) = door.run("recall", situation=near)["reminders"]
    assert reminder["strength"] == "REMIND"
    assert door.run("calibrate")["changed"] is False


def test_what_is_not_there_is_a_problem_and_changes_nothing(door: Door) -> None:
    fail(door)
    before = door.run("status")
    wrong = {"exposureId": "0" * 32, "answer": "REFUTED"}
    assert door.problem("answer_reminder", **wrong) == ("NotFound", "exposureId")
    assert door.run("end_session", id="nobody")["__typename"] == "NotFound"
    assert door.run("end_session", id="")["__typename"] == "InvalidInput"
    assert door.run("end_session", id="x" * 300)["__typename"] == "TooLarge"
    assert door.run("status") == before
