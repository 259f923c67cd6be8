"""Each tool against the verb behind it."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.drafts import Question
from graphmem.domain.memories import Channel, Experience, Fact
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services
from tests.agents import SESSION, Agent
from tests.builders import NS
from tests.services import exposures, failed, remembered, state

FAILURE: dict[str, Any] = {"action": "clean the column", "context": "input []", "result": "failure"}


def experience(services: Services, ref: str) -> Experience:
    """What is stored."""
    found = services.browse.memory(NS, ref)
    assert isinstance(found, Experience)
    return found


def test_a_fact_is_written_with_everything_said_of_it(agent: Agent, services: Services) -> None:
    old = agent.call("write_fact", statement="The limit is 10", subject="limit")
    told = agent.call(
        "write_fact",
        statement="The limit is 20",
        subject="limit",
        valid_from="2026-01-01T00:00:00+00:00",
        supersedes=[old["ref"]],
        tags=["a"],
        task_id="t",
        key="k",
    )
    assert (told["ref"], told["kind"], told["created"], told["key"]) == ("F-2", "FACT", True, "k")
    fact = services.browse.memory(NS, "F-2")
    assert isinstance(fact, Fact)
    assert (fact.statement, fact.subject, fact.tags, fact.task_id, fact.session_id) == (
        "The limit is 20",
        "limit",
        ("a",),
        "t",
        SESSION,
    )
    assert services.browse.memory(NS, "F-1").state == "SUPERSEDED"


def test_an_experience_is_written_with_everything_said_of_it(agent: Agent, services: Services) -> None:
    agent.call("write_fact", statement="an empty input is fine")
    given = {
        "error_type": "boundary",
        "correction": "return nothing",
        "generalization": "boundary inputs need care",
        "output": "IndexError",
        "expected": "[]",
        "manifestation": "it threw",
        "tool": "clean",
        "agent": "anna",
        "task_type": "cleaning",
        "task_id": "t-1",
        "session_id": "mine",
    }
    told = agent.call(
        "write_experience",
        **FAILURE | given,
        caused_by=[{"id": "F-1", "confidence": 0.7, "note": "I trusted it"}],
        informed_by=["F-1"],
        tags=["x"],
        occurred_at="2026-01-01T00:00:00Z",
    )
    stored = experience(services, told["ref"])
    assert {name: getattr(stored, name) for name in given} == given
    assert (stored.result, stored.tags, stored.informed_by) == ("FAILURE", ("x",), ("F-1",))
    assert (stored.writer.id, stored.writer.channel) == ("anna", Channel.AGENT)
    (link,) = agent.call("explain", id=told["ref"])["links"]
    assert link == {
        "effect": "E-1",
        "cause": "F-1",
        "grade": "ASSERTED",
        "confidence": 0.7,
        "notes": ["I trusted it"],
    }


def test_a_call_with_a_key_can_be_repeated(agent: Agent, services: Services) -> None:
    first = agent.call("write_experience", **FAILURE, key="k")
    before = state(services)
    again = agent.call("write_experience", **FAILURE, key="k")
    assert again == first | {"created": False}
    assert agent.refused("write_experience", **FAILURE | {"action": "other"}, key="k") == "CONFLICT key"
    assert state(services) == before


@pytest.mark.parametrize("word", ["FAILURE", "Failure", "failure"])
def test_the_case_of_a_word_does_not_matter(agent: Agent, services: Services, word: str) -> None:
    agent.call("write_experience", **FAILURE | {"result": word})
    assert experience(services, "E-1").result == "FAILURE"


def test_lists_may_come_as_text_and_null_means_not_given(agent: Agent, services: Services) -> None:
    """As some clients send them."""
    agent.call("write_experience", **FAILURE, tags='["a", "b"]', caused_by=None, tool=None, key="one")
    agent.call("write_experience", **FAILURE, tags="lone", caused_by='[{"key": "one"}]')
    assert experience(services, "E-1").tags == ("a", "b")
    assert experience(services, "E-2").tags == ("lone",)
    assert [link["cause"] for link in agent.call("explain", id="E-2")["links"]] == ["E-1"]


@pytest.mark.parametrize("causes", ["E-1", ["E-1"], ["key:one"], '["E-1"]', [{"id": "E-1"}]])
def test_a_cause_may_be_named_by_a_text_alone(agent: Agent, causes: object) -> None:
    agent.call("write_experience", **FAILURE, key="one")
    agent.call("write_experience", action="report", result="failure", caused_by=causes)
    assert [link["cause"] for link in agent.call("explain", id="E-2")["links"]] == ["E-1"]


def test_secrets_are_replaced(agent: Agent, services: Services) -> None:
    told = agent.call("write_fact", statement="password = hunter2-hunter2-hunter2")
    assert told["redactions"] == 1
    assert "hunter2" not in services.browse.memory(NS, "F-1").text


def test_retrieving_keeps_the_sorts_apart(agent: Agent, services: Services) -> None:
    cause = remembered(services, "the column is never empty")
    agent.call("write_experience", **FAILURE, correction="return []", caused_by=[{"id": cause.memory.id}])
    agent.call("write_experience", action="clean the column", context="input [1]", result="success")
    found = agent.call("retrieve", situation="clean the column, input []", limit=2)
    refs = {
        name: [hit["memory"]["ref"] for hit in found[name]]
        for name in ("facts", "errors", "worked", "patterns", "strategies")
    }
    assert refs == {"facts": ["F-1"], "errors": ["E-1"], "worked": ["E-2"], "patterns": [], "strategies": []}
    assert found["facts"][0]["failed_here"] == ["E-1"]
    (reminder,) = found["reminders"]
    assert (reminder["strength"], reminder["subject"], reminder["evidence"]) == ("REMIND", "E-1", ["E-1"])
    assert reminder["text"] in found["prompt_text"]
    assert found["mode"] == "HYBRID"


def test_an_error_that_is_only_the_nearest_is_marked(agent: Agent, services: Services) -> None:
    """And warns of nothing: the two words have parts in common, and mean nothing to each other."""
    agent.call("write_experience", action="diskette", result="failure", error_type="E", tool="bash")
    far = agent.call("retrieve", situation="kettle")
    assert [hit["weak"] for hit in far["errors"]] == [True]
    assert (far["reminders"], far["prompt_text"]) == ([], "")
    near = agent.call("retrieve", situation="diskette")
    assert [hit["weak"] for hit in near["errors"]] == [False]


def test_the_ready_block_is_that_of_the_service(agent: Agent, services: Services) -> None:
    failed(services, "清洗一列数据", context="输入 []", correction="返回空结果")
    asked = "清洗一列数据：输入 []"
    told = agent.call("retrieve", situation=asked, language="en", max_tokens=200)["prompt_text"]
    same = prompt_text(services.recall.ask(NS, Question(situation=asked)), 200, "en")
    assert told.split("\n")[1:-1] == same.split("\n")[1:-1]
    assert agent.refused("retrieve", situation="x", language="fr") == "BAD_INPUT language"
    assert agent.refused("retrieve", situation="x", max_tokens=0) == "BAD_INPUT max_tokens"


def test_long_texts_are_cut_where_they_are_listed(agent: Agent, services: Services) -> None:
    failed(services, "clean", context="x " * 2_000)
    (hit,) = agent.call("retrieve", situation="clean")["errors"]
    assert len(hit["memory"]["text"]) == 600
    assert agent.call("explain", id="E-1")["of"]["context"] == "x " * 2_000


def test_a_session_is_known_and_can_be_another(agent: Agent, services: Services) -> None:
    agent.call("write_experience", **FAILURE)
    agent.call("retrieve", situation="clean the column, input []")
    agent.call("retrieve", situation="clean the column, input []", session_id="other")
    assert [item.session_id for item in exposures(services)] == [SESSION, "other"]


def test_feedback_is_noted(agent: Agent, services: Services) -> None:
    agent.call("write_experience", **FAILURE)
    (reminder,) = agent.call("retrieve", situation="clean the column, input []")["reminders"]
    told = agent.call("feedback", exposure_id=reminder["exposure_id"], answer="not_applicable", note="a toy")
    assert (told["answer"], told["note"]) == ("NOT_APPLICABLE", "a toy")
    (noted,) = exposures(services)
    assert (noted.id, noted.answer) == (reminder["exposure_id"], "NOT_APPLICABLE")
    assert agent.refused("feedback", exposure_id="0" * 32, answer="applied") == "NOT_FOUND exposure_id"


def test_a_brief_counts_what_is_likely(agent: Agent) -> None:
    for number in range(3):
        agent.call("write_experience", **FAILURE, error_type="boundary", tool="clean", task_id=f"t{number}")
    agent.call("write_experience", action="clean", result="success", tool="clean", task_id="t9")
    told = agent.call("brief", task="clean the column", tool="clean")
    (likely,) = told["likely_failures"]
    assert (likely["error_type"], likely["count"], likely["n"]) == ("boundary", 3, 4)
    assert likely["example"]["ref"] == "E-3"
    assert told["recollection"]["prompt_text"]


def test_an_explanation_names_memories_by_ref(agent: Agent) -> None:
    agent.call("write_fact", statement="the export is complete", key="f")
    agent.call("write_experience", **FAILURE, caused_by=[{"key": "f"}], task_id="t")
    agent.call("write_experience", action="report", result="failure", caused_by=[{"id": "E-1"}], task_id="t")
    told = agent.call("explain", id="E-2", limit=2)
    assert told["root_causes"][0]["memory"]["ref"] == "F-1"
    assert told["root_causes"][0]["grade"] == "ASSERTED"
    assert ["E-2", "E-1", "F-1"] in [path["refs"] for path in told["paths"]]
    assert told["joint_fix"] == ["F-1"]
    assert (told["of"]["ref"], told["of"]["task_id"], told["of"]["state"]) == ("E-2", "t", "ACTIVE")
    assert agent.call("explain", id="E-2", min_grade="confirmed")["links"] == []
    assert agent.call("explain", id="F-1")["of"]["kind"] == "FACT"


def test_an_explanation_brings_the_lessons_over_it(agent: Agent) -> None:
    for number in range(3):
        agent.call("write_experience", **FAILURE, manifestation="it threw", task_id=f"t{number}")
    (lesson,) = agent.call("explain", id="E-2")["lessons"]
    assert (lesson["ref"], lesson["kind"]) == ("P-1", "PATTERN")


def test_status_counts(agent: Agent) -> None:
    agent.call("write_experience", **FAILURE)
    told = agent.call("status")
    assert (told["namespace"], told["counts"]["EXPERIENCE"], told["counts"]["FAILURE"]) == (NS, 1, 1)
    assert (told["digest_matches"], told["reflect_due"], told["revision"]) == (True, False, 1)
    assert (told["pending_analyses"], told["failed_jobs"], "store" in told) == (1, {}, False)


def test_it_is_said_when_it_is_time_to_reflect(agent: Agent, services: Services) -> None:
    for number in range(50):
        failed(services, f"try number {number}", task_id="t")
    assert agent.call("status")["reflect_due"]
    agent.call("reflect")
    assert not agent.call("status")["reflect_due"]
