"""A namespace never sees or influences another, whatever field is asked (bug cases 11 to 13)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.queries import graphql_operation
from tests.unit.entrypoints.graphql.door import Door, opened
from tests.unit.entrypoints.graphql.stories import REPEAT, Incident, incident

WORD = "baseball"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with opened(tmp_path, namespace="alice") as found:
        yield found


@pytest.fixture
def bob(door: Door) -> Incident:
    """What bob has: an incident, each text with a word of his own."""
    story = incident(door, "bob")
    door.fact(f"Charlie likes {WORD}", "bob", key="bobs", tags=[WORD])
    for item in (story.setting, story.empty, story.crash):
        door.run("update_memory", "bob", input={"id": item["id"], "addTags": [WORD]})
    return story


READS: dict[str, dict[str, Any]] = {
    "recall": {"situation": f"Charlie likes {WORD}. {REPEAT}", "concern": WORD},
    "brief": {"task": f"Charlie likes {WORD}. {REPEAT}", "keys": {"taskType": "import"}},
    "memories": {"first": 100},
    "status": {},
}


@pytest.mark.parametrize("name", READS)
def test_nothing_of_bob_is_in_any_answer_to_alice(door: Door, bob: Incident, name: str) -> None:
    door.fact("Charlie likes apples")
    answer = str(door.run(name, **READS[name]))
    foreign = [WORD, *(item["id"] for item in (bob.setting, bob.empty, bob.crash, bob.fixed))]
    assert [text for text in foreign if text in answer.replace(READS[name].get("situation", "-"), "")] == []


def test_bob_sees_his_own(door: Door, bob: Incident) -> None:
    assert WORD in str(door.run("recall", "bob", **READS["recall"]))
    assert door.run("status", "bob")["counts"]["facts"] == 2
    assert door.run("status")["counts"]["facts"] == 0


BY_ID = ("explain", "impact", "suggest_causes")


@pytest.mark.parametrize("name", BY_ID)
def test_a_foreign_id_reads_like_an_unknown_one(door: Door, bob: Incident, name: str) -> None:
    foreign = door.ask(graphql_operation(name), id=bob.crash["id"])
    unknown = door.ask(graphql_operation(name), id="01900000-0000-7000-8000-000000000000")
    assert foreign.code == "NOT_FOUND"
    assert (foreign.status, foreign.data, foreign.errors) == (unknown.status, unknown.data, unknown.errors)


def test_a_foreign_id_in_memory_reads_like_an_unknown_one(door: Door, bob: Incident) -> None:
    unknown = door.run("memory", id="01900000-0000-7000-8000-000000000000")
    assert unknown["__typename"] == "NotFound"
    assert door.run("memory", id=bob.crash["id"]) == unknown


def test_incident_of_a_foreign_id_tells_nothing(door: Door, bob: Incident) -> None:
    answer = door.ask(graphql_operation("incident"), id=bob.crash["id"], situation=WORD)
    assert {error["extensions"]["code"] for error in answer.errors} == {"NOT_FOUND"}
    assert answer.data is None


WRITES: dict[str, Any] = {
    "update_memory": lambda id: {"id": id, "text": "mine now"},
    "link_cause": lambda id: {"effect": id, "cause": {"id": id}},
    "review_cause": lambda id: {"effect": id, "cause": id, "verdict": "REFUTE"},
    "review_pattern": lambda id: {"id": id, "status": "MUTED"},
    "promote_pattern": lambda id: {"pattern": id},
    "review_strategy": lambda id: {"id": id, "status": "RETIRED"},
    "remember_fact": lambda id: {"statement": "newer", "supersedes": [id]},
    "record_experience": lambda id: {"action": "a", "result": "FAILURE", "causedBy": [{"id": id}]},
    "capture_failure": lambda id: {"manifestation": "a", "causedBy": [{"id": id}]},
}


@pytest.mark.parametrize("name", WRITES)
def test_a_foreign_id_cannot_be_written_to(door: Door, bob: Incident, name: str) -> None:
    before = door.run("status", "bob")
    answers = [
        door.run(name, input=WRITES[name](id))
        for id in (bob.setting["id"], bob.crash["id"], "01900000-0000-7000-8000-000000000000")
    ]
    assert answers[0]["__typename"] == "NotFound"
    assert answers[0] == answers[1] == answers[2]
    assert door.run("status", "bob") == before
    assert door.run("status")["revision"] == 0


def test_a_foreign_memory_is_not_forgotten(door: Door, bob: Incident) -> None:
    assert door.written("forget", "Forgotten", id=bob.crash["id"])["alreadyGone"] is True
    assert door.run("memory", "bob", id=bob.crash["id"])["id"] == bob.crash["id"]


def test_a_foreign_key_names_no_cause(door: Door, bob: Incident) -> None:
    given = {"action": "a", "result": "FAILURE", "causedBy": [{"key": "setting"}]}
    assert door.problem("record_experience", **given) == ("NotFound", "causedBy[0].key")


def test_a_foreign_text_names_no_cause(door: Door, bob: Incident) -> None:
    given = {"action": "a", "result": "FAILURE", "taskId": "nightly-7", "causedBy": [{"text": "price files"}]}
    assert door.problem("record_experience", **given) == ("NotFound", "causedBy[0].text")


def test_refs_are_counted_apart(door: Door, bob: Incident) -> None:
    assert door.fact("Charlie likes apples")["ref"] == "F-1" == bob.setting["ref"]
    assert door.run("memory", id="F-1")["text"] == "Charlie likes apples"


def test_scores_do_not_move_when_others_write(door: Door) -> None:
    """No shared statistics: alice's answer is equal before and after bob wrote a hundred facts."""
    door.fact("Charlie likes apples")
    door.fact("Charlie dislikes pears")
    before = door.run("recall", situation="does Charlie like apples")
    for number in range(100):
        door.fact(f"Charlie likes apples, {number}", "bob")
    after = door.run("recall", situation="does Charlie like apples")
    assert [hit["relevance"] for hit in before["facts"]] == [hit["relevance"] for hit in after["facts"]]
    assert [hit["lexicalScore"] for hit in before["facts"]] == [hit["lexicalScore"] for hit in after["facts"]]
    assert before["revision"] == after["revision"] == 2


def test_a_small_namespace_is_not_starved_by_a_big_one(door: Door) -> None:
    """Bug case 13: the three of thirty that fit come back, however many fit elsewhere."""
    many = [{"action": f"retry number {i}", "result": "FAILURE"} for i in range(500)]
    assert door.run("record_many", "big", input=many)["created"] == 500
    for number in range(30):
        door.fact("retry with a pause" if number % 10 == 0 else f"something else {number}")
    found = door.run("recall", situation="retry", limit=20)
    assert [hit["memory"]["text"] for hit in found["facts"][:3]] == ["retry with a pause"] * 3


@pytest.mark.parametrize("first", [-1, 0, 101, 1_000_000])
def test_page_sizes_are_checked(door: Door, first: int) -> None:
    answer = door.ask(graphql_operation("memories"), first=first)
    assert (answer.code, answer.field, answer.data) == ("BAD_INPUT", "first", None)
