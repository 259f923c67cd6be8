"""Answers that nobody claimed: they end what waits, and give way to who holds it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graphmem.domain.analyses import Analysis, WorkItem
from graphmem.domain.errors import StaleError
from graphmem.domain.memories import AnalysisState, Experience, Pattern, RootCause
from graphmem.domain.records import RecordKind
from graphmem.ports.changes import Changes
from graphmem.services import analyse
from graphmem.wiring import Services
from tests.analyses import CAUSE, LESSON, TASKS, claimed, left, submitted, waiting
from tests.builders import NS, Clock
from tests.contract.reading import records_of
from tests.lessons import broke
from tests.services import failed, refusal, refused, remembered


def test_an_answer_that_nobody_claimed_ends_what_waits(services: Services) -> None:
    """By ref, and the same words again change nothing."""
    for number in range(3):
        broke(services, number)
    said = [("P-1", Analysis(lesson=LESSON)), ("E-2", Analysis(root_cause=CAUSE, generalization="look"))]
    pattern, failure = services.analyse.answer(NS, said)
    assert isinstance(pattern, Pattern)
    assert isinstance(failure, Experience)
    assert (pattern.lesson, pattern.source) == (LESSON, "agent")
    assert (failure.root_cause, failure.analysis) == (replace(CAUSE, source="agent"), AnalysisState.DONE)
    assert (failure.generalization, failure.generalization_source) == ("look", "agent")
    assert (waiting(services), left(services)) == (["E-1", "E-3"], (0, 2))
    before = services.store.state(NS)
    assert services.analyse.answer(NS, said) == (pattern, failure)
    assert services.store.state(NS) == before


def test_a_generalization_alone_leaves_the_failure_to_be_analysed(services: Services) -> None:
    failed(services, "task")
    (memory,) = services.analyse.answer(NS, [("E-1", Analysis(generalization="look"))])
    assert isinstance(memory, Experience)
    assert (memory.generalization, memory.analysis) == ("look", AnalysisState.PENDING)
    assert waiting(services) == ["E-1"]


def test_newer_words_replace_an_earlier_analysis(services: Services) -> None:
    failed(services, "task")
    submitted(services, claimed(services))
    newer = replace(CAUSE, summary="the disk was full")
    (memory,) = services.analyse.answer(NS, [("E-1", Analysis(root_cause=newer))])
    assert isinstance(memory, Experience)
    assert memory.root_cause == replace(newer, source="agent")


def test_what_is_held_is_not_answered_by_others(services: Services, clock: Clock) -> None:
    """Nor is anything else that was to be written with it. When the lease has run out, the first answer wins."""
    for number in range(2):
        failed(services, TASKS[number])
    late = claimed(services)
    said = [("E-2", Analysis(root_cause=CAUSE)), ("E-1", Analysis(root_cause=CAUSE))]
    assert isinstance(refusal(lambda: services.analyse.answer(NS, said), services), StaleError)
    clock.now += 2 * analyse.LEASE
    assert [memory.ref for memory in services.analyse.answer(NS, said)] == ["E-2", "E-1"]
    assert isinstance(refusal(lambda: submitted(services, late), services), StaleError)
    assert left(services) == (0, 0)


def test_who_claims_it_between_look_and_write_keeps_it(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed(services, "task")
    apply = services.store.apply
    claims: list[WorkItem] = []

    def after_a_claim(changes: Changes) -> Any:
        if not claims:
            claims.extend(services.analyse.claim(NS, "ana"))
        return apply(changes)

    monkeypatch.setattr(services.store, "apply", after_a_claim)
    with pytest.raises(StaleError, match="another analyst"):
        services.analyse.answer(NS, [("E-1", Analysis(root_cause=CAUSE))])
    assert submitted(services, claims[0]).analysis is AnalysisState.DONE


def test_what_was_given_up_can_still_be_answered(services: Services, clock: Clock) -> None:
    failed(services, "task")
    for number in range(analyse.POISONED + 1):
        services.analyse.claim(NS, f"w{number}", 1)
        clock.now += 2 * analyse.LEASE
    assert [item.body["state"] for item in records_of(services.store, RecordKind.JOB)] == ["FAILED"]
    (memory,) = services.analyse.answer(NS, [("E-1", Analysis(root_cause=CAUSE))])
    assert isinstance(memory, Experience)
    assert memory.analysis is AnalysisState.DONE
    assert records_of(services.store, RecordKind.JOB) == []


@pytest.mark.parametrize(
    ("id", "said", "problem"),
    [
        ("E-9", Analysis(root_cause=CAUSE), "NOT_FOUND id"),
        ("F-1", Analysis(root_cause=CAUSE), "BAD_INPUT id"),
        ("E-1", Analysis(root_cause=RootCause(summary=" ")), "BAD_INPUT root_cause.summary"),
        ("E-1", Analysis(lesson="x"), "BAD_INPUT lesson"),
    ],
)
def test_one_wrong_answer_refuses_all(services: Services, id: str, said: Analysis, problem: str) -> None:
    remembered(services, "a fact")
    failed(services, "task")
    answers = [("E-1", Analysis(root_cause=CAUSE)), (id, said)]
    assert refused(services, services.analyse.answer, NS, answers) == problem
