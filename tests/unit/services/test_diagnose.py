"""Diagnostics: each row says what is there, judges where there is enough, and names its command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.diagnostics import Check, Row, figures
from graphmem.domain.drafts import CauseRef
from graphmem.domain.memories import Result
from graphmem.domain.records import JobKind, JobState
from graphmem.domain.replaying import Miss
from graphmem.entrypoints.cli import COMMANDS
from graphmem.services import diagnose
from graphmem.services.checkups import percentile
from graphmem.wiring import Services
from tests.builders import NS, T0, Clock, changes, job
from tests.services import asked, failed, opened, recorded, refused, state

FAULT: dict[str, Any] = {
    "tool": "cleaner",
    "error_type": "boundary input",
    "manifestation": "broke on an empty cell",
}
ACTION = "clean the price column"


@pytest.fixture
def memory(path: Path) -> Iterator[Services]:
    """Services with hashed vectors."""
    with opened(path, clock=Clock()) as made:
        yield made


def row(services: Services, check: Check) -> Row:
    found = {one.check: one for one in services.diagnose.diagnose(NS).rows}
    assert list(found) == list(Check)
    return found[check]


def fail(services: Services, task: str = "", **fields: Any) -> None:
    failed(services, **({"action": ACTION, "task_id": task, "context": "input [None]"} | FAULT | fields))


def test_an_empty_namespace_is_told_as_it_is(memory: Services) -> None:
    found = memory.diagnose.diagnose(NS)
    judged = {one.check: one.ok for one in found.rows}
    assert judged.pop(Check.WRITE_LOG) is False
    assert judged.pop(Check.JOBS) is True
    assert set(judged.values()) == {None}
    assert found.misses == ()
    assert found.at - found.since == timedelta(days=30)


def test_every_row_names_a_command_that_exists(memory: Services) -> None:
    fail(memory, "one")
    for one in memory.diagnose.diagnose(NS).rows:
        program, name, *_ = one.command.split()
        assert (program, name in COMMANDS) == ("graphmem", True)


def test_the_write_log_counts_what_is_said(memory: Services) -> None:
    fail(memory, "one", correction="return nothing")
    recorded(memory, "read")
    recorded(memory, "half", result=Result.PARTIAL)
    found = row(memory, Check.WRITE_LOG)
    numbers = {one.name: one.value for one in found.figures}
    assert (numbers["experiences"], numbers["failures"], numbers["worked"]) == (3, 1, 1)
    assert (numbers["unsaid_share"], numbers["uncorrected_share"], found.ok) == (0, 0, True)
    for _ in range(2):
        failed(memory, "something")
    found = row(memory, Check.WRITE_LOG)
    assert (found.figure("unsaid_share"), found.ok) == (pytest.approx(2 / 3), False)


def test_what_was_before_since_is_left_out(memory: Services) -> None:
    fail(memory, "one", occurred_at=T0 - timedelta(days=40))
    fail(memory, "two")
    assert row(memory, Check.WRITE_LOG).figure("experiences") == 1
    wide = memory.diagnose.diagnose(NS, T0 - timedelta(days=50))
    assert wide.rows[0].figure("experiences") == 2
    assert refused(memory, memory.diagnose.diagnose, NS, T0.replace(tzinfo=None)) == "BAD_INPUT since"


def test_experiences_per_task(memory: Services) -> None:
    for task, number in (("a", 1), ("b", 2)):
        for _ in range(number):
            recorded(memory, "x", task_id=task)
    recorded(memory, "without a task")
    found = row(memory, Check.EXPERIENCES_PER_TASK)
    assert (found.figure("tasks"), found.figure("mean"), found.figure("most"), found.ok) == (2, 1.5, 2, True)
    recorded(memory, "x", task_id="c", key="first")
    for step in range(6):
        cause = CauseRef(key=f"step {step - 1}" if step else "first")
        recorded(memory, f"step {step}", task_id="c", key=f"step {step}", caused_by=(cause,))
    chained = row(memory, Check.EXPERIENCES_PER_TASK)
    assert (chained.figure("tasks"), chained.figure("most"), chained.ok) == (3, 2, True)
    for _ in range(6):
        recorded(memory, "x", task_id="a")
    assert row(memory, Check.EXPERIENCES_PER_TASK).ok is False


def test_scores_of_both_arms_stand_apart(memory: Services) -> None:
    """The same mistake scores above every other one, in words and in meaning."""
    for task in ("one", "two", "three"):
        fail(memory, task)
        fail(
            memory,
            f"{task} b",
            action="send the letter",
            context="to the bank",
            error_type="OSError",
            manifestation="full",
        )
    for check in (Check.WORD_SCORES, Check.MEANING_SCORES):
        found = row(memory, check)
        assert (found.figure("repeats"), found.figure("apart_share"), found.ok) == (4, 1, True)
        assert found.figure("same_p50") > found.figure("other_p50")


def test_without_vectors_meaning_is_not_judged(path: Path) -> None:
    with opened(path, words_only=True, clock=Clock()) as services:
        for task in ("one", "two"):
            fail(services, task)
        assert row(services, Check.MEANING_SCORES).ok is None


def test_misses_are_counted_by_why_and_shown(memory: Services) -> None:
    fail(memory, "one")
    fail(memory, "two", action="clean the age column of clients", context="rows = {}", tool="")
    found = memory.diagnose.diagnose(NS)
    (missed,) = found.misses
    assert (missed.failure.ref, missed.miss) == ("E-2", Miss.NOT_SURE)
    counted = next(one for one in found.rows if one.check is Check.MISSES)
    assert (counted.figure("repeats"), counted.figure("said_now"), counted.figure("not_sure")) == (1, 0, 1)
    assert counted.ok is False


def test_the_reminder_rate_is_of_sessions_and_warns(memory: Services) -> None:
    fail(memory, "one")
    asked(memory, f"{ACTION}, input [None]", session_id="warned")
    for name in ("a", "b"):
        asked(memory, "read the news of today", session_id=name)
    found = row(memory, Check.REMINDERS)
    assert (found.figure("sessions"), found.figure("told"), found.ok) == (3, 1, True)
    asked(memory, f"{ACTION}, input [None]", session_id="a")
    found = row(memory, Check.REMINDERS)
    assert (found.figure("told_share"), found.figure("limit_share"), found.ok) == (
        pytest.approx(2 / 3),
        0.5,
        False,
    )


def test_each_stage_is_timed_by_the_stopwatch(memory: Services) -> None:
    """A stopwatch that goes on a twentieth of a second at every look: each stage took just that."""
    for number in range(3):
        fail(memory, f"t{number}")
    ticks = iter(range(10_000))
    tools = replace(memory.diagnose._tools, stopwatch=lambda: next(ticks) / 20)
    slow = diagnose.Diagnose(memory.store, memory.diagnose._indexes, tools)
    found = next(one for one in slow.diagnose(NS).rows if one.check is Check.LATENCY)
    assert (found.figure("questions"), found.figure("memories")) == (3, 4)
    for name in ("vectors_p50_ms", "vectors_p95_ms", "search_p50_ms", "search_p95_ms"):
        assert found.figure(name) == pytest.approx(50)
    assert found.ok is True
    late = replace(tools, stopwatch=lambda: float(next(ticks)))
    slower = diagnose.Diagnose(memory.store, memory.diagnose._indexes, late)
    assert next(one for one in slower.diagnose(NS).rows if one.check is Check.LATENCY).ok is False


def test_jobs_that_wait_are_counted_with_their_age(memory: Services) -> None:
    """What waits for an analyst, who may be away for days, is counted apart and no reason for alarm."""
    old = T0 - timedelta(hours=50)
    memory.store.apply(changes(jobs=(job(JobKind.ANALYSE, created_at=old),)))
    found = row(memory, Check.JOBS)
    assert (found.figure("pending"), found.figure("analyses"), found.ok) == (0, 1, True)
    memory.store.apply(changes(jobs=(job(JobKind.EMBED, subject="E-9", created_at=T0 - timedelta(hours=5)),)))
    found = row(memory, Check.JOBS)
    assert (found.figure("pending"), found.ok) == (1, False)
    assert found.figure("oldest_h") == pytest.approx(5, abs=0.1)


def test_work_that_many_analyses_wait_before_is_seen(
    memory: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnose, "READ", 3)
    old, older = T0 - timedelta(hours=5), T0 - timedelta(hours=50)
    jobs = (job(JobKind.EMBED, subject="E-9", created_at=old), *(job(created_at=older) for _ in range(5)))
    memory.store.apply(changes(jobs=jobs))
    assert row(memory, Check.JOBS).figure("oldest_h") == pytest.approx(5, abs=0.1)


@pytest.mark.parametrize("kind", [JobKind.ANALYSE, JobKind.ASSIGN])
def test_work_that_was_given_up_is_counted(memory: Services, kind: JobKind) -> None:
    """As in status and doctor; what has it tried again is named."""
    memory.store.apply(changes(jobs=(job(kind, state=JobState.FAILED),)))
    found = row(memory, Check.JOBS)
    assert (found.figure("given_up"), found.figure("pending"), found.figure("analyses")) == (1, 0, 0)
    assert (found.ok, found.command) == (False, "graphmem doctor --repair")
    assert memory.inspect.status(NS).failed_jobs == {kind.value: 1}
    memory.repair.revive(NS)
    assert row(memory, Check.JOBS).figure("given_up") == 0


def test_the_picture_of_the_clusters(memory: Services) -> None:
    for number in range(6):
        fail(memory, f"t{number}")
    assert row(memory, Check.CLUSTERS).ok is None
    for number in range(5):
        fail(
            memory,
            f"s{number}",
            action=f"step {number}",
            error_type=f"Kind{'abcde'[number]}",
            manifestation="",
        )
    found = row(memory, Check.CLUSTERS)
    assert (found.figure("failures"), found.figure("clusters"), found.ok) == (11, 1, False)
    assert found.figure("largest_share") == pytest.approx(6 / 11, abs=1e-6)
    assert found.figure("alone_share") == pytest.approx(5 / 11, abs=1e-6)
    assert found.figure("medium_patterns") + found.figure("high_patterns") == 1


def test_chinese_is_shown_as_it_is_cut(memory: Services) -> None:
    fail(memory, "one", action="处理用户列表", context="空数组", manifestation="索引越界")
    found = row(memory, Check.SEGMENTING)
    assert (found.figure("chinese_share"), found.ok) == (1, True)
    assert "用户" in found.sample.split(" / ")


def test_nothing_is_written(memory: Services) -> None:
    for task in ("one", "two"):
        fail(memory, task, session_id="s")
    before = state(memory)
    memory.diagnose.diagnose(NS)
    assert state(memory) == before


def test_percentiles_and_figures() -> None:
    assert percentile([7.0], 95) == 7
    assert percentile([0.0, 1.0], 50) == 0.5
    assert percentile([float(n) for n in range(101)], 95) == 95
    assert [one.value for one in figures({"a": 1, "b": 1 / 3})] == [1, 0.333333]
    with pytest.raises(KeyError):
        Row(check=Check.JOBS, ok=None, figures=(), command="").figure("no")
