"""The article's loop as an agent lives it through MCP: told once, wrong three times, taught, and met the next time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.config import Settings
from graphmem.wiring import build
from tests.agents import Agent, agent_of
from tests.article import NEW, ORDINARY, WORDS
from tests.contract.neo4j_places import neo4j_places, neo4j_runs
from tests.contract.stores import REAL, parameters

__all__ = ["neo4j_places", "neo4j_runs"]

RULE = {
    "zh": "边界输入需要特殊处理：先判断有没有可用的元素，没有就返回空结果",
    "en": "Boundary inputs need special handling: without a usable element the result is empty",
}
SAID = ("REMIND", "ASK")
LEASES_S = 130
"""Seconds after which a look that a stalled server cut off has been taken up again, with some to spare."""


@pytest.fixture(params=WORDS)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=parameters(REAL))
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    """An agent whose memory has the default embedder over a real store."""
    store = REAL[request.param](tmp_path / "store")
    services = build(Settings(store="sqlite:///here.db", embed_timeout_s=60.0), store=store)
    try:
        with agent_of(services, timeout_s=120.0) as found:
            found.patience = 10
            yield found
    finally:
        services.close()


def fail(agent: Agent, language: str, number: int) -> str:
    """Make one of the three mistakes, hear what was right, and write both down."""
    action, *failures = WORDS[language]
    context, wrong, right = failures[number]
    told = agent.call(
        "write_experience",
        action=action,
        context=context,
        result="failure",
        error_type="boundary input",
        correction=right,
        manifestation=wrong,
        tool="clean_rows",
        task_id=f"task {number}",
        key=f"mistake {number}",
    )
    return str(told["ref"])


def reflected(agent: Agent) -> dict[str, Any]:
    """Look at all failures; where it is not done yet, call again, as the answer asks."""
    told = agent.call("reflect")
    for _ in range(LEASES_S):
        if told["looked"] is not None:
            break
        time.sleep(1)
        told = agent.call("reflect")
    return told


def test_an_agent_learns_from_its_own_mistakes(agent: Agent, language: str) -> None:
    _, first, *_ = WORDS[language]
    assert agent.call("write_fact", statement=first[2], subject="input", key="told")["ref"] == "F-1"
    assert agent.call("brief", task=WORDS[language][0])["recollection"]["reminders"] == []
    assert [fail(agent, language, number) for number in range(3)] == ["E-1", "E-2", "E-3"]

    asked = reflected(agent)
    (cluster,) = asked["clusters"]
    assert (cluster["size"], cluster["about"], cluster["worded"]) == (3, ["P-1"], False)
    assert [item["about"] for item in asked["pending"]] == [["E-1"], ["E-2"], ["E-3"]]
    lesson = {"about": cluster["about"], "generalization": RULE[language]}
    cause = {
        "about": ["E-1"],
        "root_cause": "the input was not looked at before the first element was taken",
        "root_cause_type": "capability_gap",
        "prevention": "look before you take",
    }
    told = agent.call("reflect", lessons=[lesson, cause])
    assert told["written"] == ["P-1", "E-1"]
    assert [item["about"] for item in told["pending"]] == [["E-2"], ["E-3"]]
    assert agent.call("status")["pending_analyses"] == 2
    assert reflected(agent)["looked"]["reworded"] == 0

    for situation in NEW[language]:
        met = agent.call("retrieve", situation=situation, tool="clean_rows")
        (reminder,) = met["reminders"]
        assert (reminder["strength"] in SAID, reminder["subject"]) == (True, "P-1")
        assert RULE[language] in reminder["text"]
        assert RULE[language] in met["prompt_text"]
        assert [hit["memory"]["kind"] for hit in met["facts"]] in ([], ["FACT"])
        assert {hit["memory"]["kind"] for hit in met["errors"]} == {"EXPERIENCE"}
    begun = agent.call("brief", task=NEW[language][0], tool="clean_rows")
    assert RULE[language] in begun["recollection"]["prompt_text"]
    assert begun["likely_failures"][0]["count"] == begun["likely_failures"][0]["n"] == 3
    assert agent.call("retrieve", situation=ORDINARY[language], tool="clean_rows")["reminders"] == []

    answer = agent.call("feedback", exposure_id=reminder["exposure_id"], answer="applied")
    assert answer["answer"] == "APPLIED"
    counts = agent.call("status")["counts"]
    assert (counts["FACT"], counts["FAILURE"], counts["PATTERN"]) == (1, 3, 1)
