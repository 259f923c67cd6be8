"""Work for an analyst: waits, is held by one, is answered once; what is answered late or twice changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from graphmem.domain.analyses import AnalysisDraft, WorkKind
from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import ConflictError, ForgottenError, NotFoundError, StaleError
from graphmem.domain.memories import (
    AnalysisState,
    Experience,
    Pattern,
    RootCause,
    State,
)
from graphmem.domain.records import JobKind, RecordKind
from graphmem.ports.changes import Changes, Update
from graphmem.services import analyse
from graphmem.wiring import Services
from tests.analyses import CAUSE, LESSON, TASKS, answer, claimed, left, submitted, waiting
from tests.builders import NS, Clock, at
from tests.contract.reading import records_of
from tests.lessons import FIX, broke, patterns
from tests.services import failed, recorded, refusal, refused


def test_a_failure_without_a_stated_cause_waits(services: Services) -> None:
    failed(services, "clean the column", root_cause=CAUSE)
    recorded(services, "clean the table")
    memory = failed(services, "clean the row", trace="1. read\n2. parse").memory
    (item,) = services.analyse.pending(NS)
    assert (item.kind, item.subject, item.evidence) == (WorkKind.FAILURE, memory, ())
    assert (item.owner, item.attempt, item.lease_until) == ("", 0, None)
    assert item.waiting_since == memory.recorded_at
    assert len(item.questions) == 4
    assert left(services) == (0, 1)


def test_the_questions_are_asked_in_the_language_of_the_failure(services: Services) -> None:
    failed(services, "清洗价格列", manifestation="解析时遇到空单元格报错")
    failed(services, "clean the price column", manifestation="the parser broke")
    chinese, english = services.analyse.pending(NS)
    assert "偏离" in chinese.questions[0]
    assert "step" in english.questions[0]


def test_an_answer_is_written_back(services: Services) -> None:
    failed(services, "clean the row", correction=FIX)
    item = claimed(services)
    written = services.analyse.submit(NS, answer(item, generalization="cells may be empty"))
    memory = written.memory
    assert isinstance(memory, Experience)
    assert memory.root_cause == replace(CAUSE, source="agent")
    assert (memory.generalization, memory.generalization_source) == ("cells may be empty", "agent")
    assert (memory.analysis, memory.correction) == (AnalysisState.DONE, FIX)
    assert (written.created, memory.version, bool(memory.vectors)) == (True, 2, True)
    assert services.browse.memory(NS, memory.id) == memory
    assert (waiting(services), left(services)) == ([], (0, 0))
    assert records_of(services.store, RecordKind.JOB) == []


def test_what_is_held_is_nobody_elses(services: Services, clock: Clock) -> None:
    for number in range(3):
        failed(services, TASKS[number])
    first = services.analyse.claim(NS, "ana", 2)
    assert [item.subject.ref for item in first] == ["E-1", "E-2"]
    assert {(item.owner, item.attempt) for item in first} == {("ana", 1)}
    assert waiting(services) == ["E-3"]
    assert [item.subject.ref for item in services.analyse.claim(NS, "bob", 5)] == ["E-3"]
    assert services.analyse.claim(NS, "ana", 5) == ()
    clock.now += analyse.LEASE + timedelta(seconds=60)
    assert waiting(services) == ["E-1", "E-2", "E-3"]
    assert {(item.owner, item.attempt) for item in services.analyse.claim(NS, "eve", 5)} == {("eve", 2)}


def test_an_answer_after_the_lease_was_lost_is_refused(services: Services, clock: Clock) -> None:
    failed(services, "task")
    late = claimed(services)
    clock.now += 2 * analyse.LEASE
    now = claimed(services)
    error = refusal(lambda: submitted(services, late), services)
    assert isinstance(error, StaleError)
    assert error.field == "work_id"
    assert "claim work again" in error.remedy
    assert submitted(services, now).analysis is AnalysisState.DONE


def test_an_answer_in_a_lease_that_nobody_took_over_is_in_time(services: Services, clock: Clock) -> None:
    failed(services, "task")
    slow = claimed(services)
    clock.now += 2 * analyse.LEASE
    assert submitted(services, slow).analysis is AnalysisState.DONE


def test_the_same_answer_twice_gives_the_first_receipt(services: Services, clock: Clock) -> None:
    failed(services, "task")
    item = claimed(services)
    first = services.analyse.submit(NS, answer(item))
    clock.now += timedelta(days=3)
    again = services.analyse.submit(NS, answer(item))
    assert (first.created, again.created) == (True, False)
    assert (again.memory, again.revision, again.key) == (first.memory, first.revision, first.key)
    other = refusal(lambda: submitted(services, item, generalization="something else"), services)
    assert isinstance(other, ConflictError)


def test_an_own_key_is_used(services: Services) -> None:
    failed(services, "task")
    item = claimed(services)
    assert services.analyse.submit(NS, answer(item, key="mine")).key == "mine"
    assert not services.analyse.submit(NS, answer(item, key="mine")).created
    with pytest.raises(StaleError):
        services.analyse.submit(NS, answer(item, key="another"))


@pytest.mark.parametrize(
    "wrong", [{"owner": "bob"}, {"attempt": 2}, {"attempt": 0}, {"owner": ""}, {"attempt": -1}]
)
def test_who_does_not_hold_it_cannot_answer(services: Services, wrong: dict[str, Any]) -> None:
    failed(services, "task")
    draft = replace(answer(claimed(services)), **wrong)
    assert refused(services, services.analyse.submit, NS, draft) == "CONFLICT work_id"


@pytest.mark.parametrize("work", ["", "nothing", "nothing:analyse", "E-1"])
def test_work_that_is_none_is_not_found(services: Services, work: str) -> None:
    failed(services, "task")
    draft = AnalysisDraft(work_id=work, owner="ana", attempt=1, root_cause=CAUSE)
    error = refusal(lambda: services.analyse.submit(NS, draft), services)
    assert isinstance(error, NotFoundError | StaleError)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"root_cause": None}, "root_cause.summary"),
        ({"root_cause": RootCause(summary="  ")}, "root_cause.summary"),
        ({"root_cause": replace(CAUSE, deviated_at=0)}, "root_cause.deviated_at"),
        ({"root_cause": replace(CAUSE, change_at=-1)}, "root_cause.change_at"),
        ({"lesson": "x"}, "lesson"),
        ({"trigger_conditions": "x"}, "trigger_conditions"),
    ],
)
def test_an_answer_that_does_not_fit_a_failure_is_refused(
    services: Services, fields: dict[str, Any], field: str
) -> None:
    """And the work is still held: the right answer is taken."""
    failed(services, "task")
    item = claimed(services)
    assert refused(services, services.analyse.submit, NS, answer(item, **fields)) == f"BAD_INPUT {field}"
    assert submitted(services, item).analysis is AnalysisState.DONE


@pytest.mark.parametrize(("limit", "owner"), [(0, "ana"), (101, "ana"), (1, ""), (1, "a\0")])
def test_a_claim_that_is_none_is_refused(services: Services, limit: int, owner: str) -> None:
    assert refused(services, services.analyse.claim, NS, owner, limit).startswith("BAD_INPUT")


def test_a_pattern_by_rule_waits_before_its_failures(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    pattern, *failures = services.analyse.pending(NS)
    assert (pattern.kind, pattern.subject) == (WorkKind.PATTERN, patterns(services)[0])
    assert [item.ref for item in pattern.evidence] == ["E-1", "E-2", "E-3"]
    assert {item.kind for item in failures} == {WorkKind.FAILURE}
    assert left(services) == (0, 4)


def test_the_words_of_an_analyst_are_the_lesson(services: Services) -> None:
    """It stays when all failures are looked at again, and members that repeat it follow."""
    for number in range(3):
        broke(services, number)
    item = claimed(services)
    pattern = submitted(services, item, trigger_conditions="a table with gaps")
    assert isinstance(pattern, Pattern)
    assert (pattern.lesson, pattern.trigger_conditions) == (LESSON, "a table with gaps")
    assert (pattern.root_cause, pattern.root_cause_type) == (CAUSE.summary, CAUSE.type)
    assert (pattern.prevention, pattern.source) == (CAUSE.prevention, "agent")
    assert (pattern.frequency, pattern.episodes) == (3, 3)
    member = services.browse.memory(NS, "E-1")
    assert isinstance(member, Experience)
    assert (member.generalization, member.generalization_source) == (LESSON, "pattern")
    services.reflect.reflect(NS)
    assert patterns(services)[0].lesson == LESSON
    assert waiting(services) == ["E-1", "E-2", "E-3"]


def test_an_answer_that_does_not_fit_a_pattern_is_refused(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    item = claimed(services)
    for fields, field in (({"lesson": " "}, "lesson"), ({"generalization": "x"}, "generalization")):
        draft = answer(item, **fields)
        assert refused(services, services.analyse.submit, NS, draft) == f"BAD_INPUT {field}"


def test_a_pattern_that_grew_meanwhile_takes_the_answer(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    item = claimed(services)
    broke(services, 4)
    assert submitted(services, item).episodes == 4


def test_what_somebody_settled_meanwhile_is_not_overwritten(services: Services) -> None:
    memory = failed(services, "task").memory
    item = claimed(services)
    own = RootCause(summary="the disk was full", source="anna")
    services.revise.update(NS, MemoryUpdate(id=memory.id, root_cause=own))
    assert isinstance(refusal(lambda: submitted(services, item), services), StaleError)


def test_what_needs_no_answer_any_more_is_not_handed_out(services: Services) -> None:
    """Settled by a person, retracted, forgotten: it waits for nobody."""
    settled, retracted, gone, open_one = (failed(services, TASKS[number]).memory for number in range(4))
    services.revise.update(NS, MemoryUpdate(id=settled.id, root_cause=CAUSE))
    away = Update(memory=replace(retracted, state=State.RETRACTED), expected_version=retracted.version)
    services.store.apply(Changes(namespace=NS, at=at(99), update=(away,)))
    services.forget.forget(NS, gone.id)
    assert waiting(services) == [open_one.ref]
    assert [item.subject.ref for item in services.analyse.claim(NS, "ana", 9)] == [open_one.ref]
    assert left(services) == (0, 1)


def test_an_item_that_nobody_ever_answers_is_given_up(services: Services, clock: Clock) -> None:
    failed(services, "task that kills its analyst")
    failed(services, "another task")
    for number in range(analyse.POISONED):
        assert len(services.analyse.claim(NS, f"w{number}", 1)) == 1
        clock.now += 2 * analyse.LEASE
    assert [item.subject.ref for item in services.analyse.claim(NS, "last", 5)] == ["E-2"]
    given_up = services.browse.memory(NS, "E-1")
    assert isinstance(given_up, Experience)
    assert given_up.analysis is AnalysisState.FAILED
    assert left(services) == (0, 1)
    states = [item.body["state"] for item in records_of(services.store, RecordKind.JOB)]
    assert sorted(states) == ["FAILED", "RUNNING"]


def test_an_answer_to_what_was_forgotten_is_refused(services: Services) -> None:
    memory = failed(services, "task").memory
    item = claimed(services)
    answered = answer(item)
    services.analyse.submit(NS, answered)
    services.forget.forget(NS, memory.id)
    assert isinstance(refusal(lambda: services.analyse.submit(NS, answered), services), ForgottenError)


def test_secrets_in_an_answer_are_not_kept(services: Services) -> None:
    failed(services, "task")
    secret = "sk-proj-" + "a1B2" * 12
    cause = replace(CAUSE, prevention=f"use {secret}")
    written = services.analyse.submit(NS, answer(claimed(services), root_cause=cause))
    assert written.redactions == 1
    assert secret not in str(written.memory)


def test_looking_reads_no_more_than_is_open(services: Services) -> None:
    """A thousand items that were answered cost a look nothing: they are gone."""
    for number in range(5):
        failed(services, TASKS[number])
    for item in services.analyse.claim(NS, "ana", 4):
        submitted(services, item)
    assert waiting(services) == ["E-5"]
    kept = records_of(services.store, RecordKind.JOB, open_jobs=JobKind.ANALYSE)
    assert [item.subject for item in kept] == [services.browse.memory(NS, "E-5").id]
