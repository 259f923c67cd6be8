"""memory_reflect: what it asks, and what becomes of the answers."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Experience, Pattern
from graphmem.domain.rules import is_witness
from graphmem.entrypoints.mcp import arguments
from graphmem.services.reflect import Reflect
from graphmem.wiring import Services
from tests.agents import Agent
from tests.builders import NS
from tests.lessons import broke
from tests.services import failed, recorded, remembered, state

RULE = "A cell can be empty: say what that means before you parse"


def lesson(*about: str, **fields: Any) -> dict[str, Any]:
    """An answer."""
    return {"about": list(about)} | fields


def test_nothing_asks_nothing(agent: Agent) -> None:
    told = agent.call("reflect")
    assert (told["clusters"], told["pending"], told["written"]) == ([], [], [])
    assert (told["cluster_questions"], told["pending_questions"]) == ([], [])
    assert told["looked"]["failures"] == 0


def test_a_pattern_is_asked_about_until_somebody_worded_it(agent: Agent, services: Services) -> None:
    for number in range(3):
        broke(services, number)
    told = agent.call("reflect")
    (cluster,) = told["clusters"]
    assert (cluster["about"], cluster["size"], cluster["worded"]) == (["P-1"], 3, False)
    assert [member["ref"] for member in cluster["members"]] == ["E-1", "E-2", "E-3"]
    assert (cluster["pattern"]["ref"], cluster["pattern"]["source"]) == ("P-1", "rule")
    assert len(told["cluster_questions"]) == 1
    answered = agent.call("reflect", lessons=[lesson("P-1", generalization=RULE)])
    assert (answered["written"], answered["looked"]) == (["P-1"], None)
    (cluster,) = answered["clusters"]
    assert (cluster["worded"], cluster["pattern"]["lesson"]) == (True, RULE)
    assert answered["cluster_questions"] == []
    assert [member["generalization"] for member in cluster["members"]] == [RULE] * 3


def test_what_an_agent_worded_outlives_later_looks(agent: Agent, services: Services) -> None:
    for number in range(3):
        broke(services, number)
    agent.call("reflect", lessons=[lesson("P-1", generalization=RULE)])
    broke(services, 3, correction="throw the row away")
    assert agent.call("reflect")["looked"]["reworded"] == 0
    pattern = services.browse.memory(NS, "P-1")
    assert isinstance(pattern, Pattern)
    assert (pattern.lesson, pattern.source, pattern.episodes) == (RULE, "agent", 4)


def test_a_cluster_too_small_for_a_pattern_is_answered_by_its_members(
    agent: Agent, services: Services
) -> None:
    for number in range(2):
        broke(services, number)
    (cluster,) = agent.call("reflect")["clusters"]
    assert (cluster["about"], cluster["pattern"], cluster["worded"]) == (["E-1", "E-2"], None, False)
    told = agent.call("reflect", lessons=[lesson(*cluster["about"], generalization=RULE)])
    assert told["written"] == ["E-1", "E-2"]
    assert [item["worded"] for item in told["clusters"]] == [True]


def test_clusters_that_wait_for_words_come_first(agent: Agent, services: Services) -> None:
    for number in range(4):
        broke(services, number)
    agent.call("reflect", lessons=[lesson("P-1", generalization=RULE)])
    for number in range(3):
        failed(
            services, "fly", manifestation="the network of the third region was gone", task_id=f"n{number}"
        )
    told = agent.call("reflect")
    assert [cluster["about"] for cluster in told["clusters"]] == [["P-2"], ["P-1"]]
    assert [cluster["about"] for cluster in agent.call("reflect", limit=1)["clusters"]] == [["P-2"]]


def test_the_four_questions_are_asked_and_answered(agent: Agent, services: Services) -> None:
    failed(services, "refund the order", manifestation="refunded twice")
    recorded(services, "refund the order")
    told = agent.call("reflect")
    (pending,) = told["pending"]
    assert (pending["about"], len(told["pending_questions"])) == (["E-1"], 4)
    answer = lesson(
        "E-1",
        root_cause="The first answer was lost",
        root_cause_type="misleading_feedback",
        prevention="ask for the state before a second refund",
        context_sufficiency="misleading",
        deviated_at=2,
        change_at=1,
        generalization="A timeout says nothing about the outcome",
    )
    assert agent.call("reflect", lessons=[answer])["pending"] == []
    stored = services.browse.memory(NS, "E-1")
    assert isinstance(stored, Experience)
    assert stored.root_cause is not None
    assert (stored.root_cause.summary, stored.root_cause.source) == ("The first answer was lost", "agent")
    assert (stored.root_cause.type, stored.root_cause.deviated_at) == ("MISLEADING_FEEDBACK", 2)
    assert (stored.analysis, stored.generalization_source) == ("DONE", "agent")
    assert agent.call("explain", id="E-1")["of"]["root_cause"]["change_at"] == 1


def test_the_questions_follow_the_language(agent: Agent, services: Services) -> None:
    for number in range(3):
        failed(services, "解析价格列", manifestation="遇到空单元格报错", task_id=f"t{number}")
    told = agent.call("reflect")
    assert "通用规则" in told["cluster_questions"][0]
    assert told["pending_questions"][0].startswith("Agent 的决策在哪里偏离了正确方向")


def test_a_question_names_the_arguments_of_its_answer(agent: Agent, services: Services) -> None:
    for number in range(3):
        broke(services, number)
    told = agent.call("reflect")
    (about_all,), about_one = told["cluster_questions"], told["pending_questions"]
    assert about_all.endswith("(generalization)")
    answers = "".join(about_one)
    named = {name for name in arguments.Lesson.model_fields if name in answers}
    assert named == set(arguments.Lesson.model_fields) - {"about", "generalization"}


def test_an_answer_ends_what_waits_for_it(agent: Agent, services: Services) -> None:
    """The pattern and each failure that gets its root cause; a rule alone leaves a failure to be analysed."""
    for number in range(3):
        broke(services, number)
    assert agent.call("status")["pending_analyses"] == 4
    agent.call("reflect", lessons=[lesson("P-1", generalization=RULE), lesson("E-1", generalization="x")])
    assert agent.call("status")["pending_analyses"] == 3
    told = agent.call("reflect", lessons=[lesson("E-2", "E-1", root_cause="nobody looked")])
    assert told["written"] == ["E-2", "E-1"]
    assert [item["about"] for item in told["pending"]] == [["E-3"]]
    assert agent.call("status")["pending_analyses"] == 1


def test_what_another_analyst_holds_is_not_asked_and_not_answered(agent: Agent, services: Services) -> None:
    failed(services, "fly over the sea")
    failed(services, "bake brown bread")
    services.analyse.claim(NS, "ana", 1)
    assert [item["about"] for item in agent.call("reflect")["pending"]] == [["E-2"]]
    before = state(services)
    answers = [lesson("E-2", root_cause="y"), lesson("E-1", root_cause="x")]
    assert agent.refused("reflect", lessons=answers) == "CONFLICT id"
    assert state(services) == before


def test_what_the_session_was_served_and_hands_back_is_no_witness(agent: Agent, services: Services) -> None:
    """By the session of the connection, or the one that is named; own words are a witness."""
    told = failed(services, "clean the column", correction=RULE).memory
    for task in ("fly over the sea", "bake brown bread", "paint the wall"):
        failed(services, task)
    agent.call("retrieve", situation="clean the column")
    agent.call("retrieve", situation="clean the column", session_id="named")
    agent.call("reflect", lessons=[lesson("E-2", root_cause="x", prevention=RULE)])
    agent.call("reflect", lessons=[lesson("E-3", generalization=RULE)], session_id="named")
    agent.call("reflect", lessons=[lesson("E-4", root_cause="x", prevention="let it dry first")])
    found = [services.browse.memory(NS, ref) for ref in ("E-2", "E-3", "E-4")]
    informed = [told.id in memory.informed_by for memory in found if isinstance(memory, Experience)]
    assert informed == [True, True, False]
    assert [is_witness(memory) for memory in found] == [False, False, True]


WRONG: list[tuple[list[dict[str, Any]], str]] = [
    ([lesson("E-9", generalization="x")], "NOT_FOUND id"),
    ([lesson("F-1", generalization="x")], "BAD_INPUT lessons[0].about"),
    ([lesson(generalization="x")], "BAD_INPUT lessons[0].about"),
    ([lesson("E-1")], "BAD_INPUT lessons[0]"),
    ([lesson("E-1", prevention="x")], "BAD_INPUT lessons[0].prevention"),
    ([lesson("E-1", root_cause="x", deviated_at=0)], "BAD_INPUT lessons[0].deviated_at"),
    ([lesson("E-1", root_cause="x", root_cause_type="bad luck")], "BAD_INPUT lessons[0].root_cause_type"),
    (
        [lesson("E-1", generalization="fine"), lesson("P-1", root_cause="x")],
        "BAD_INPUT lessons[1].root_cause",
    ),
    (
        [lesson("E-1", generalization="fine"), lesson("P-1", generalization=" ")],
        "BAD_INPUT lessons[1].generalization",
    ),
    ([lesson("E-1", generalization="x")] * 21, "BAD_INPUT lessons"),
]


@pytest.mark.parametrize(("lessons", "expected"), WRONG)
def test_one_wrong_lesson_refuses_all(
    agent: Agent, services: Services, lessons: list[dict[str, Any]], expected: str
) -> None:
    remembered(services, "a fact")
    for number in range(3):
        broke(services, number)
    before = state(services)
    assert agent.refused("reflect", lessons=lessons) == expected
    assert state(services) == before


def test_the_same_answer_twice_changes_nothing_more(agent: Agent, services: Services) -> None:
    for number in range(3):
        broke(services, number)
    first = agent.call("reflect", lessons=[lesson("P-1", generalization=RULE)])
    before = state(services)
    assert agent.call("reflect", lessons=[lesson("P-1", generalization=RULE)]) == first
    assert state(services) == before


def test_another_process_at_work_is_no_refusal(
    agent: Agent, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    broke(services, 0)

    def busy(*_: object) -> None:
        raise UnavailableError("another process is assigning failures", remedy="ask again in a minute")

    monkeypatch.setattr(Reflect, "reflect", busy)
    told = agent.call("reflect")
    assert (told["looked"], len(told["pending"])) == (None, 1)


def test_one_correction_in_another_language_does_not_turn_the_questions(agent: Agent) -> None:
    for task, correction in enumerate(
        ("空列表应该返回空结果，不要报错", "drop the None values", "drop each None")
    ):
        agent.call(
            "write_experience",
            action="clean rows",
            context="rows = []",
            result="failure",
            error_type="E",
            correction=correction,
            task_id=f"t{task}",
        )
    told = agent.call("reflect")
    assert "generalization" in told["cluster_questions"][0]
    assert "通用规则" not in told["cluster_questions"][0]
    assert "Agent 的决策" not in told["pending_questions"][0]
