"""The saved writing operations, executed over HTTP on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


def test_remember_fact(door: Door) -> None:
    old = door.fact("The limit is 5", key="old", validFrom="2026-01-01T00:00:00Z")
    assert old["receipt"] == {"key": "old", "created": True, "revision": 1, "embedded": True, "redactions": 0}
    new = door.fact(
        "The limit is 7", subject="limit", validFrom="2026-02-01T00:00:00Z", supersedes=[old["ref"]]
    )
    assert new["receipt"]["key"]
    replaced = door.run("memory", id=old["id"])
    assert (replaced["state"], replaced["validTo"]) == ("SUPERSEDED", "2026-02-01T00:00:00Z")


def test_record_experience_once(door: Door) -> None:
    """A retry answers the first receipt; the key with other input is refused and the first stays."""
    first = door.experience("deploy", key="k")
    again = door.experience("deploy", key="k")
    assert (again["id"], again["receipt"]) == (first["id"], first["receipt"] | {"created": False})
    assert door.problem("record_experience", action="other", result="FAILURE", key="k") == ("Conflict", "key")
    assert door.run("status")["counts"]["experiences"] == 1
    elsewhere = door.experience("deploy", namespace="other", key="k")
    assert (elsewhere["receipt"]["created"], elsewhere["id"] != first["id"]) == (True, True)


def test_record_experience_replaces_secrets(door: Door) -> None:
    written = door.experience("export API_TOKEN=fake-1234567890abcdef")
    assert written["receipt"]["redactions"] == 1
    assert "fake-1234567890abcdef" not in str(written)


def test_capture_failure(door: Door) -> None:
    """The three texts of the article are enough: task type, manifestation, trace; and the tool."""
    found = door.written(
        "capture_failure",
        "Experience",
        manifestation="table is empty",
        taskType="import",
        agentTrace="step 1 ...",
        tool="reader",
    )
    assert (found["result"], found["manifestation"], found["trace"]) == (
        "FAILURE",
        "table is empty",
        "step 1 ...",
    )
    assert (found["action"], found["analysis"]) == ("import: reader", "PENDING")
    bare = door.written("capture_failure", "Experience", manifestation="it broke")
    assert (bare["action"], bare["errorType"], bare["rootCause"]) == ("it broke", "", None)


def test_capture_failure_fills_what_its_words_tell(door: Door) -> None:
    """The rule analyst: type, reason and steps; what the client gave is kept, and a retry changes nothing."""
    given = {
        "key": "k",
        "manifestation": "数据库一直拒绝连接，因为配额用完了。",
        "agentTrace": "1. 准备查询\n2. 连接：ConnectionRefusedError\n3. 连接：ConnectionRefusedError\n4. 放弃",
    }
    found = door.written("capture_failure", "Experience", **given)
    assert (found["errorType"], found["analysis"]) == ("ConnectionRefusedError", "PENDING")
    assert found["rootCause"] == {
        "type": "SYSTEM_LIMIT",
        "summary": "配额用完了",
        "prevention": "",
        "deviatedAt": 2,
        "contextSufficiency": "SUFFICIENT",
        "changeAt": 3,
        "source": "rule",
    }
    again = door.written("capture_failure", "Experience", **given)
    assert (again["id"], again["receipt"]["created"], again["rootCause"]) == (
        found["id"],
        False,
        found["rootCause"],
    )
    stated = door.written(
        "capture_failure", "Experience", manifestation="timeout", rootCause={"summary": "me"}
    )
    assert (stated["rootCause"]["summary"], stated["rootCause"]["type"], stated["rootCause"]["source"]) == (
        "me",
        None,
        "",
    )


def test_observe_turn_writes_the_fact_and_the_failure(door: Door) -> None:
    """One transaction: "output Y was wrong, expected X"; a retry answers the same, praise is a success."""
    turn = {
        "key": "turn-7",
        "said": "不对，应该是 3 月 5 日。",
        "asked": "发布会哪天？",
        "output": "3 月 4 日",
        "sessionId": "s",
        "taskId": "t",
    }
    found = door.written("observe_turn", "ObservedTurn", **turn)
    assert (found["signal"], found["expected"]) == ("CORRECTION", "3 月 5 日")
    assert found["fact"]["statement"] == "发布会哪天？: 3 月 5 日"
    failure = found["experience"]
    assert (failure["action"], failure["result"], failure["output"]) == (
        "发布会哪天？",
        "FAILURE",
        "3 月 4 日",
    )
    assert failure["manifestation"] == "输出“3 月 4 日”是错的，应该是“3 月 5 日”"
    assert (failure["expected"], failure["correction"]) == ("3 月 5 日", turn["said"])
    assert door.run("status")["revision"] == 1
    again = door.written("observe_turn", "ObservedTurn", **turn)
    assert again["experience"]["id"] == failure["id"]
    assert [again[part]["receipt"]["created"] for part in ("fact", "experience")] == [False, False]
    assert door.problem("observe_turn", **turn | {"said": "不对，应该是 3 月 6 日。"}) == ("Conflict", "key")
    praise = door.written("observe_turn", "ObservedTurn", said="Perfect, thanks!", asked="draw the plan")
    assert (praise["signal"], praise["fact"], praise["experience"]["result"]) == ("SUCCESS", None, "SUCCESS")
    nothing = door.written("observe_turn", "ObservedTurn", said="Is that wrong?", asked="draw the plan")
    assert (nothing["signal"], nothing["fact"], nothing["experience"]) == ("NONE", None, None)
    assert door.run("status")["counts"]["experiences"] == 2


def test_record_many(door: Door) -> None:
    """One transaction; causes name keys of the same call; known items answer created false."""
    first = {"action": "read", "result": "FAILURE", "key": "a", "occurredAt": "2026-03-01T00:00:00Z"}
    second = {"action": "load", "result": "FAILURE", "key": "b", "causedBy": [{"key": "a"}]}
    found = door.run("record_many", input=[first, second])
    assert (found["__typename"], found["created"], found["revision"]) == ("RecordedMany", 2, 1)
    again = door.run("record_many", input=[first, second, {"action": "more", "result": "SUCCESS"}])
    assert [item["receipt"]["created"] for item in again["items"]] == [False, False, True]
    assert again["created"] == 1
    assert len(door.run("explain", id=found["items"][1]["id"])["edges"]) == 1


def test_update_memory(door: Door) -> None:
    written = door.fact("The limit is 5", tags=["a", "b"], metadata={"source": "wiki"})
    changed = door.written(
        "update_memory", "Fact", id=written["ref"], text="The limit is 6", addTags=["c"], removeTags=["a"]
    )
    assert (changed["text"], changed["tags"], changed["version"]) == ("The limit is 6", ["b", "c"], 2)
    assert changed["metadata"] == {"source": "wiki"}
    stale = {"id": written["id"], "text": "7", "expectedVersion": 1}
    assert door.problem("update_memory", **stale) == ("Conflict", "expectedVersion")


def test_link_and_review_cause(door: Door) -> None:
    cause = door.experience("first", occurredAt="2026-03-01T00:00:00Z")
    effect = door.experience("second", occurredAt="2026-03-01T00:01:00Z")
    ends = {
        "effect": effect["ref"],
        "cause": {"id": cause["ref"], "confidence": 0.6, "note": "seen in the log"},
    }
    edge = door.written("link_cause", "CauseEdge", **ends, grade="TRACED", by="anna")
    assert (edge["grade"], edge["confidence"], edge["lag"], edge["active"]) == ("TRACED", 0.6, 60.0, True)
    more = door.written("link_cause", "CauseEdge", **ends, by="ben")
    assert [item["by"] for item in more["evidence"]] == ["anna", "ben"]
    both = {"effect": effect["id"], "cause": cause["id"]}
    refuted = door.written(
        "review_cause", "CauseEdge", **both, verdict="REFUTE", by="anna", reason="other host"
    )
    assert (refuted["active"], refuted["grade"], refuted["confidence"]) == (False, None, 0.0)
    confirmed = door.written("review_cause", "CauseEdge", **both, verdict="CONFIRM", by="ben")
    assert (confirmed["active"], confirmed["grade"]) == (True, "CONFIRMED")
    assert [(item["kind"], item["by"], item["reason"]) for item in confirmed["verdicts"]] == [
        ("REFUTE", "anna", "other host"),
        ("CONFIRM", "ben", ""),
    ]


def test_forget(door: Door, story: Incident) -> None:
    """First the plan, then the deed, then a clean "already gone"; the key does not bring it back."""
    plan = door.written("forget", "Forgotten", id=story.empty["ref"], dryRun=True)
    assert (plan["ids"], plan["edges"], plan["dryRun"]) == ([story.empty["id"]], 2, True)
    assert door.run("status")["counts"]["experiences"] == 3
    done = door.written("forget", "Forgotten", id=story.empty["ref"])
    assert (done["refs"], done["alreadyGone"], done["dryRun"]) == ([story.empty["ref"]], False, False)
    assert door.written("forget", "Forgotten", id=story.empty["id"])["alreadyGone"] is True
    assert door.run("memory", id=story.empty["id"])["__typename"] == "NotFound"
    assert door.run("explain", id=story.crash["id"])["edges"] == []
    again = {"action": "Read the price files", "result": "PARTIAL", "key": "read"}
    assert door.problem("record_experience", **again)[0] == "Conflict"
