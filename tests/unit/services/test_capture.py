"""Failures and turns: drafts that Remember writes, once and whole."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.drafts import FailureDraft, TurnDraft
from graphmem.domain.memories import AnalysisState, Channel, Experience, Fact, Result, Writer
from graphmem.domain.turns import ObservedTurn, TurnSignal
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import because, refused, remembered, state


def turn(services: Services, said: str, **fields: Any) -> ObservedTurn:
    """Observe a turn."""
    return services.capture.turn(NS, TurnDraft(said=said, **fields))


def failure(services: Services, manifestation: str, **fields: Any) -> Experience:
    """Capture a failure."""
    memory = services.capture.failure(NS, FailureDraft(manifestation=manifestation, **fields)).memory
    assert isinstance(memory, Experience)
    return memory


def test_the_three_texts_of_the_article_are_enough(services: Services) -> None:
    found = failure(services, "it stopped", task_type="import", agent_trace="1. open\n2. KeyError: x")
    assert (found.action, found.result, found.trace) == ("import", Result.FAILURE, "1. open\n2. KeyError: x")
    assert (found.error_type, found.analysis) == ("KeyError", AnalysisState.PENDING)
    assert found.root_cause is not None
    assert found.root_cause.deviated_at == 2


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"action": "copy", "tool": "cp"}, "copy"),
        ({"tool": "cp"}, "cp"),
        ({"task_type": "files", "tool": "cp"}, "files: cp"),
        ({}, "it stopped"),
    ],
)
def test_what_was_done_is_said_by_what_is_known(
    services: Services, given: dict[str, str], action: str
) -> None:
    assert failure(services, "it stopped", **given).action == action


def test_a_failure_can_name_its_causes_and_its_secrets_are_replaced(services: Services) -> None:
    cause = remembered(services, "the disk is small")
    found = failure(
        services, "disk full", caused_by=because(cause), agent_trace="API_TOKEN=fake-1234567890abcdef"
    )
    assert "fake-1234567890abcdef" not in found.trace
    assert services.explain.explain(NS, found.id).earliest == cause.memory.id


def test_a_failure_without_manifestation_is_refused(services: Services) -> None:
    assert refused(services, services.capture.failure, NS, FailureDraft(manifestation=" ")) == (
        "BAD_INPUT manifestation"
    )
    long = FailureDraft(manifestation="m", agent_trace="x" * 70_000)
    assert refused(services, services.capture.failure, NS, long) == "TOO_LARGE agent_trace"


def test_a_correction_writes_fact_and_failure_in_one_transaction(services: Services) -> None:
    before = state(services).revision
    found = turn(
        services,
        "That's wrong, the limit is 7.",
        asked="What is the limit?",
        output="It is 5.",
        session_id="s",
        task_id="t",
        writer=Writer("bot", Channel.AGENT, 0.5),
    )
    assert state(services).revision == before + 1
    assert found.fact is not None
    assert found.experience is not None
    fact, experience = found.fact.memory, found.experience.memory
    assert isinstance(fact, Fact)
    assert isinstance(experience, Experience)
    assert fact.statement == "What is the limit?: the limit is 7"
    assert fact.writer == Writer("bot", Channel.USER, 0.5)
    assert experience.manifestation == 'output "It is 5." was wrong, expected "the limit is 7"'
    assert (experience.session_id, experience.task_id, experience.writer.channel) == ("s", "t", Channel.AGENT)


def test_a_rejection_that_says_nothing_right_writes_no_fact(services: Services) -> None:
    found = turn(services, "错了", asked="上限是多少？", output="五")
    assert (found.fact, found.expected) == (None, "")
    assert found.experience is not None
    assert found.experience.memory.title.startswith("输出“五”是错的")


def test_without_a_request_the_sentence_is_the_fact(services: Services) -> None:
    found = turn(services, "No, it should be 7.")
    assert found.fact is not None
    assert found.fact.memory.text == "No, it should be 7."


def test_a_secret_in_a_correction_is_replaced_before_it_is_taken_apart(services: Services) -> None:
    """Alone, out of its place, it could not be known for one."""
    found = turn(services, "No, it should be password=hunter2xyz.", asked="login?")
    assert found.fact is not None
    assert found.experience is not None
    assert found.fact.redactions == 1
    assert "hunter2xyz" not in str((found.fact.memory, found.experience.memory))


def test_the_same_turn_again_writes_nothing(services: Services) -> None:
    first = turn(services, "No, it should be 7.", key="k")
    before = state(services)
    again = turn(services, "No, it should be 7.", key="k")
    assert state(services) == before
    assert first.fact is not None
    assert again.fact is not None
    assert (again.fact.memory, again.fact.created) == (first.fact.memory, False)


def test_another_turn_under_the_same_key_is_refused(services: Services) -> None:
    turn(services, "No, it should be 7.", key="k")
    other = TurnDraft(said="No, it should be 8.", key="k")
    assert refused(services, services.capture.turn, NS, other) == "CONFLICT key"


def test_a_restated_task_is_a_failure(services: Services) -> None:
    earlier = ("sum the sales per region", "the sales per region, summed", "region and its sales sum")
    found = turn(services, "sum of the sales for each region", asked=earlier[0], earlier=earlier)
    assert found.signal is TurnSignal.RESTATED
    assert found.experience is not None
    assert "3 times" in found.experience.memory.title


def test_praise_is_a_success_where_it_is_known_of_what(services: Services) -> None:
    found = turn(services, "Perfect!", asked="draw the plan", output="<svg>")
    assert found.experience is not None
    assert isinstance(found.experience.memory, Experience)
    assert found.experience.memory.result is Result.SUCCESS
    assert turn(services, "Perfect!").experience is None


@pytest.mark.parametrize(
    "given", [{"said": "Is it wrong?"}, {"said": "weather in Bern", "asked": "sum sales", "silence_s": 9e3}]
)
def test_no_signal_and_a_weak_one_write_nothing(services: Services, given: dict[str, Any]) -> None:
    before = state(services)
    found = turn(services, **given)
    assert (found.fact, found.experience) == (None, None)
    assert state(services) == before


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"said": ""}, "BAD_INPUT said"),
        ({"said": "no", "silence_s": float("nan")}, "BAD_INPUT silence_s"),
        ({"said": "no", "earlier": ("x" * 70_000,)}, "TOO_LARGE earlier[0]"),
    ],
)
def test_turns_that_are_none_are_refused(services: Services, given: dict[str, Any], refusal: str) -> None:
    assert refused(services, services.capture.turn, NS, TurnDraft(**given)) == refusal


def test_an_earlier_turn_may_be_long(services: Services) -> None:
    assert turn(services, "go on", earlier=("x" * 1_000,)).signal is TurnSignal.NONE


def test_a_rejection_of_nothing_that_is_known_writes_nothing(services: Services) -> None:
    bare = turn(services, "That's wrong.")
    assert (bare.signal, bare.experience, bare.fact) == (TurnSignal.CORRECTION, None, None)
    for known in ({"asked": "How many?"}, {"output": "7"}, {"tool": "count"}, {"task_type": "counting"}):
        assert turn(services, "That's wrong.", **known).experience is not None
