"""Bad input is refused with a code and the field it is about, and nothing is written (bug cases 05 to 07, 17 to 21)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.queries import graphql_operation
from tests.unit.entrypoints.graphql.door import Door, opened

HALF = "\ud800"
ACT: dict[str, Any] = {"action": "a", "result": "FAILURE"}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """The door; after each test nothing has been written and the next call works."""
    with opened(tmp_path) as found:
        yield found
        assert found.run("status")["revision"] == 0
        assert found.fact("still there")["ref"] == "F-1"


PROBLEMS: list[tuple[str, Any, str, str]] = [
    ("remember_fact", {"statement": ""}, "InvalidInput", "statement"),
    ("remember_fact", {"statement": " \n"}, "InvalidInput", "statement"),
    ("remember_fact", {"statement": "a\0b"}, "InvalidInput", "statement"),
    ("remember_fact", {"statement": HALF}, "InvalidInput", "statement"),
    ("remember_fact", {"statement": "x" * 65_537}, "TooLarge", "statement"),
    ("remember_fact", {"statement": "a", "key": "k" * 9_000}, "TooLarge", "key"),
    ("remember_fact", {"statement": "a", "key": HALF}, "InvalidInput", "key"),
    ("remember_fact", {"statement": "a", "tags": [HALF]}, "InvalidInput", "tags[0]"),
    ("remember_fact", {"statement": "a", "tags": [""]}, "InvalidInput", "tags[0]"),
    ("remember_fact", {"statement": "a", "tags": [str(i) for i in range(65)]}, "TooLarge", "tags"),
    ("remember_fact", {"statement": "a", "metadata": 5}, "InvalidInput", "metadata"),
    ("remember_fact", {"statement": "a", "metadata": [1]}, "InvalidInput", "metadata"),
    ("remember_fact", {"statement": "a", "metadata": {"n_n": 2**70}}, "InvalidInput", "metadata.n_n"),
    ("remember_fact", {"statement": "a", "metadata": {"n": HALF}}, "InvalidInput", "metadata.n"),
    ("remember_fact", {"statement": "a", "supersedes": ["F-9"]}, "NotFound", "supersedes[0]"),
    ("remember_fact", {"statement": "a", "supersedes": [HALF]}, "InvalidInput", "supersedes[0]"),
    (
        "remember_fact",
        {"statement": "a", "validFrom": "2026-02-01T00:00:00Z", "validTo": "2026-01-01T00:00:00Z"},
        "InvalidInput",
        "validTo",
    ),
    ("record_experience", ACT | {"action": ""}, "InvalidInput", "action"),
    ("record_experience", ACT | {"errorType": "e" * 257}, "TooLarge", "errorType"),
    ("record_experience", ACT | {"informedBy": [HALF]}, "InvalidInput", "informedBy[0]"),
    ("record_experience", ACT | {"causedBy": [{}]}, "InvalidInput", "causedBy[0]"),
    ("record_experience", ACT | {"causedBy": [{"id": "a", "key": "b"}]}, "InvalidInput", "causedBy[0]"),
    ("record_experience", ACT | {"causedBy": [{"id": "no-such-id"}]}, "NotFound", "causedBy[0].id"),
    ("record_experience", ACT | {"causedBy": [{"text": "x"}]}, "InvalidInput", "causedBy[0].text"),
    ("record_experience", ACT | {"rootCause": {"summary": HALF}}, "InvalidInput", "rootCause.summary"),
    ("record_experience", ACT | {"writer": {"id": HALF}}, "InvalidInput", "writer.id"),
    ("capture_failure", {"manifestation": ""}, "InvalidInput", "manifestation"),
    ("capture_failure", {"manifestation": "m", "agentTrace": "t\0"}, "InvalidInput", "agentTrace"),
    ("observe_turn", {"said": " "}, "InvalidInput", "said"),
    ("observe_turn", {"said": "no", "earlier": ["a", HALF]}, "InvalidInput", "earlier[1]"),
    ("observe_turn", {"said": "no", "silenceS": -1.0}, "InvalidInput", "silenceS"),
    ("observe_turn", {"said": "That's wrong.", "asked": "a" * 65_537}, "TooLarge", "asked"),
    ("observe_turn", {"said": "That's wrong.", "output": "5", "key": "k" * 256}, "TooLarge", "key"),
    ("record_many", [], "InvalidInput", "input"),
    ("record_many", [ACT, ACT | {"action": HALF}, ACT], "InvalidInput", "input[1].action"),
    ("record_many", [ACT, ACT | {"metadata": 5}, ACT], "InvalidInput", "input[1].metadata"),
    ("record_many", [ACT, ACT | {"causedBy": [{"key": "k"}]}], "NotFound", "input[1].causedBy[0].key"),
    ("record_many", [ACT] * 501, "TooLarge", "input"),
    ("update_memory", {"id": "E-9", "text": "a"}, "NotFound", "id"),
    ("update_memory", {"id": HALF, "text": "a"}, "InvalidInput", "id"),
    ("link_cause", {"effect": "E-8", "cause": {"id": "E-9"}}, "NotFound", "effect"),
    ("link_cause", {"effect": HALF, "cause": {"id": "E-9"}}, "InvalidInput", "effect"),
    ("link_cause", {"effect": "E-8", "cause": {"id": "a"}, "grade": "CONFIRMED"}, "InvalidInput", "grade"),
    ("review_cause", {"effect": "E-8", "cause": "E-9", "verdict": "REFUTE"}, "NotFound", "effect"),
    ("review_cause", {"effect": "E-8", "cause": HALF, "verdict": "REFUTE"}, "InvalidInput", "cause"),
    ("forget", {"id": ""}, "InvalidInput", "id"),
    ("forget", {"id": HALF}, "InvalidInput", "id"),
    ("forget", {"id": "x" * 257}, "TooLarge", "id"),
]


@pytest.mark.parametrize(("name", "given", "kind", "field"), PROBLEMS)
def test_problems_name_the_field(door: Door, name: str, given: Any, kind: str, field: str) -> None:
    found = door.run(name, input=given)
    assert (found["__typename"], found["field"]) == (kind, field)
    assert found["message"]
    assert found["remedy"]


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"situation": ""}, "situation"),
    ("recall", {"situation": "a\0"}, "situation"),
    ("recall", {"situation": HALF}, "situation"),
    ("recall", {"situation": "a", "concern": HALF}, "concern"),
    ("recall", {"situation": "a", "keys": {"plannedAction": HALF}}, "keys.plannedAction"),
    ("recall", {"situation": "a", "limit": 0}, "limit"),
    ("recall", {"situation": "a", "limit": 21}, "limit"),
    ("recall", {"situation": "a", "maxTokens": 0}, "maxTokens"),
    ("recall", {"situation": "a", "maxTokens": 4_001}, "maxTokens"),
    ("recall", {"situation": "a", "language": "fr"}, "language"),
    ("brief", {"task": "a", "limit": -1}, "limit"),
    ("explain", {"id": "E-9", "limit": 21}, "limit"),
    ("explain", {"id": "E-9"}, "id"),
    ("explain", {"id": HALF}, "id"),
    ("impact", {"id": "E-9"}, "id"),
    ("suggest_causes", {"id": ""}, "id"),
    ("memories", {"after": "no cursor"}, "after"),
    ("memories", {"after": HALF}, "after"),
    ("memories", {"filter": {"tag": HALF}}, "tag"),
    ("memories", {"filter": {"sessionId": "s" * 257}}, "sessionId"),
]


@pytest.mark.parametrize(("name", "given", "field"), REFUSED)
def test_reads_refuse_with_a_code(door: Door, name: str, given: dict[str, Any], field: str) -> None:
    answer = door.ask(graphql_operation(name), **given)
    assert answer.status == 200
    assert answer.code in ("BAD_INPUT", "TOO_LARGE", "NOT_FOUND")
    assert answer.field == field
    assert answer.errors[0]["extensions"]["remedy"]


@pytest.mark.parametrize("hops", [-1, 0, 51, 2**31 - 1])
def test_hops_are_bounded(tmp_path: Path, hops: int) -> None:
    """Bug case 20: a depth above the limit is refused, not cut."""
    with opened(tmp_path) as door:
        known = door.experience("a")["id"]
        for name in ("explain", "impact"):
            answer = door.ask(graphql_operation(name), id=known, maxHops=hops)
            assert (answer.code, answer.field) == ("BAD_INPUT", "maxHops")


TIMES = ["2026-03-01T10:00:00", "2026-03-01", "yesterday", "", "2026-13-01T00:00:00Z", 5, True]


@pytest.mark.parametrize("time", [*TIMES, "0001-01-01T00:00:00+08:00"])
def test_times_without_a_zone_are_refused(door: Door, time: Any) -> None:
    """Bug case 17, in variables, in the document, in writes and in filters."""
    variable = door.ask(graphql_operation("remember_fact"), input={"statement": "a", "occurredAt": time})
    assert (variable.status, variable.code, variable.field) == (400, "BAD_INPUT", "occurredAt")
    assert variable.errors[0]["extensions"]["remedy"]
    item = door.ask(graphql_operation("record_many"), input=[ACT, ACT | {"occurredAt": time}])
    assert (item.status, item.field) == (400, "input[1].occurredAt")
    during = door.ask(graphql_operation("recall"), situation="a", during={"start": time})
    assert (during.status, during.field) == (400, "start")
    literal = f"{{ memories(filter: {{ during: {{ end: {json.dumps(time)} }} }}) {{ nodes {{ id }} }} }}"
    assert door.ask(literal).status == 400


def test_numbers_that_are_none_are_refused(door: Door) -> None:
    """Bug case 21: 1e400 is valid JSON and arrives as infinity."""
    wide = b'{"query": %s, "variables": {"input": {"statement": "a", "metadata": {"n": %s}}}}'
    document = json.dumps(graphql_operation("remember_fact")).encode()
    for number in (b"1e400", b"-1e400", str(2**63).encode()):
        found = door.send(wide % (document, number)).data["rememberFact"]
        assert (found["__typename"], found["code"], found["field"]) == (
            "InvalidInput",
            "BAD_INPUT",
            "metadata.n",
        )
    for number in (b"NaN", b"Infinity"):
        assert door.send(wide % (document, number)).status == 400
    for literal in ("1e400", "1180591620717411303424"):
        given = f'{{ statement: "a", metadata: {{ n: {literal} }} }}'
        text = f"mutation {{ rememberFact(input: {given}) {{ __typename }} }}"
        assert door.get(text) == {"__typename": "InvalidInput"}


@pytest.mark.parametrize("confidence", ["0", "-0.5", "1.01", "1e400"])
def test_confidences_are_probabilities(door: Door, confidence: str) -> None:
    text = (
        'mutation { recordExperience(input: { action: "a", result: FAILURE, causedBy: [{ id: "E-1", confidence: '
        + confidence
        + " }] }) { __typename ... on Problem { field } } }"
    )
    assert door.get(text) == {"__typename": "InvalidInput", "field": "causedBy[0].confidence"}
    body = json.dumps({"query": graphql_operation("record_experience"), "variables": {"input": ACT}})
    sent = body.replace('"result"', f'"causedBy": [{{"id": "E-1", "confidence": {confidence}}}], "result"')
    answer = door.send(sent.encode())
    assert answer.status == 400 or answer.data["recordExperience"]["field"] == "causedBy[0].confidence"


@pytest.mark.parametrize(
    "change",
    [{"result": "FAIL"}, {"result": None}, {"action": 5}, {"kind": "X` SET n.admin=true //"}, {"tags": [5]}],
)
def test_wrong_kinds_of_values_are_refused(door: Door, change: dict[str, Any]) -> None:
    """Bug case 05: what is outside a fixed list never reaches a store."""
    answer = door.ask(graphql_operation("record_experience"), input=ACT | change)
    assert (answer.status, answer.data) == (400, None)
    assert answer.code == "BAD_INPUT"


def test_texts_of_two_million_characters_are_refused(door: Door) -> None:
    """Bug case 07: refused by the size of the body, before any work on the text."""
    answer = door.ask(graphql_operation("remember_fact"), input={"statement": "x" * 2_000_000})
    assert (answer.status, answer.code) == (413, "TOO_LARGE")


def test_ids_answered_can_be_asked_for_at_once(tmp_path: Path) -> None:
    """Bug case 19: what is acknowledged is there."""
    with opened(tmp_path) as door:
        written = [door.fact("a"), door.experience("b"), *door.run("record_many", input=[ACT] * 3)["items"]]
        for item in written:
            for name in (item["id"], item["ref"]):
                assert door.run("memory", id=name)["id"] == item["id"]


def test_cycles_end(tmp_path: Path) -> None:
    """Bug case 20: thirty experiences, ninety edges with cycles; each node once; a self-loop is refused."""
    with opened(tmp_path) as door:
        same = "2026-03-01T00:00:00Z"
        items = door.run("record_many", input=[ACT | {"occurredAt": same} for _ in range(30)])["items"]
        ids = [item["id"] for item in items]
        for step in (1, 7, 11):
            for index, effect in enumerate(ids):
                ends = {"effect": effect, "cause": {"id": ids[(index + step) % 30]}}
                door.written("link_cause", "CauseEdge", **ends)
        found = door.run("explain", id=ids[0])
        assert len({node["id"] for node in found["nodes"]}) == len(found["nodes"]) <= 30
        assert door.problem("link_cause", effect=ids[0], cause={"id": ids[0]}) == ("InvalidInput", "cause")


def test_a_text_that_fits_several_causes_is_refused_with_candidates(tmp_path: Path) -> None:
    with opened(tmp_path) as door:
        task = {"taskId": "t"}
        refs = [door.experience(f"read file {name}", **task)["ref"] for name in "ab"]
        found = door.run("record_experience", input=ACT | task | {"causedBy": [{"text": "read file"}]})
        assert (found["__typename"], found["field"]) == ("InvalidInput", "causedBy[0].text")
        assert sorted(found["candidates"]) == refs
