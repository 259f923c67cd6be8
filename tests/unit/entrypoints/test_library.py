"""The Python door: answers, ends of sessions and what is measured, by plain arguments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import graphmem
from graphmem.domain.drafts import CauseRef
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import PatternStatus, RootCause, StrategyStatus
from graphmem.domain.recurrence import Answer, Outcome
from graphmem.entrypoints.library import GraphMemory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[GraphMemory]:
    """A memory in a file, words only."""
    with graphmem.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as opened:
        yield opened


def test_from_a_reminder_to_a_rate(memory: GraphMemory) -> None:
    memory.record("copy the disk", "FAILURE", tool="bash", error_type="OSError")
    (reminder,) = memory.recall("copy the disk", session_id="s").reminders
    assert memory.answer(reminder.exposure_id, "applied", "did so").answer is Answer.APPLIED
    memory.record("copy the disk", "SUCCESS", tool="bash", session_id="s")
    assert memory.end_session("s").already is False
    found = memory.recurrence("E-1")
    assert (found.shown.outcomes[Outcome.AVOIDED], found.shown.rate.value) == (1, 0)
    assert memory.experiment().rate == 0


def test_few_outcomes_leave_the_gate_as_it_is(memory: GraphMemory) -> None:
    memory.record("copy the disk", "FAILURE")
    found = memory.calibrate(dry_run=True)
    assert (found.labels, found.trial, found.changed, found.dry_run) == (0, None, False, True)


def test_what_is_no_answer_is_refused(memory: GraphMemory) -> None:
    with pytest.raises(BadInputError) as caught:
        memory.answer("x", "perhaps")
    assert caught.value.field == "answer"
    with pytest.raises(NotFoundError):
        memory.answer("x", Answer.REFUTED)


def test_closing_writes_what_waits(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with graphmem.open(url, embedder="none") as first:
        first.record("copy the disk", "FAILURE", tool="bash")
        first.recall("copy the disk", session_id="s")
    with graphmem.open(url, embedder="none") as second:
        assert second.recurrence().shown.exposures == 1


def test_the_few_causes_of_many_failures(memory: GraphMemory) -> None:
    first = memory.record("read the prices", "FAILURE").memory
    second = memory.record("sum them", "FAILURE", caused_by=(CauseRef(id=first.id),)).memory
    memory.record("write the report", "FAILURE", caused_by=(CauseRef(id=second.id),))
    found = memory.priorities(limit=3)
    assert [(item.id, item.gained, item.covered) for item in found.items] == [(first.id, 3, 1.0)]
    assert [item.memory.id for item in memory.choke_points()] == [second.id]
    assert memory.priorities(since=datetime(2999, 1, 1, tzinfo=UTC)).items == ()


def test_what_if_a_cause_had_not_been(memory: GraphMemory) -> None:
    first = memory.record("read the prices", "FAILURE").memory
    second = memory.record("sum them", "FAILURE", caused_by=(CauseRef(id=first.id),)).memory
    found = memory.explain("E-2")
    assert memory.what_if(found).removed == found.joint_fix == (first.id,)
    (asked, _) = memory.what_if(found, "E-1").still
    assert (asked.memory, asked.probability) == (second, 0.0)
    with pytest.raises(BadInputError):
        memory.what_if(found, "E-9")


def test_an_agent_analyses_what_waits(memory: GraphMemory) -> None:
    memory.capture_failure("cleaning", "it broke on an empty cell")
    assert [item.subject.ref for item in memory.pending_work()] == ["E-1"]
    (item,) = memory.claim_work("me")
    cause = RootCause(summary="nobody looked for an empty cell")
    assert memory.submit_analysis(item, root_cause=cause).created
    assert not memory.submit_analysis(item, root_cause=cause).created
    assert memory.pending_work() == memory.claim_work("me") == ()


def test_a_prompt_of_what_was_found_asks_nothing_again(memory: GraphMemory) -> None:
    memory.record("copy the disk", "FAILURE", context="disk 7 is full", tool="bash")
    found = memory.recall("copy the disk, disk 7 is full", tool="bash")
    brief = memory.brief("copy the disk, disk 7 is full", tool="bash")
    memory.forget("E-1")
    assert "copy the disk" in memory.prompt(found)
    assert "copy the disk" in memory.prompt(brief, max_tokens=200)
    assert memory.prompt("copy the disk, disk 7 is full", tool="bash") == ""
    with pytest.raises(BadInputError) as caught:
        memory.prompt(found, tool="bash")
    assert caught.value.field == "tool"


def test_a_store_is_named_by_the_path_of_its_file(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "memory.db", embedder="none") as memory:
        memory.remember("prices are in cents")
    with graphmem.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as memory:
        assert memory.show("F-1").title == "prices are in cents"


def test_from_failures_to_a_settled_lesson(memory: GraphMemory) -> None:
    for task in ("a", "b", "c"):
        memory.record(
            "copy the disk", "FAILURE", error_type="OSError", task_id=task, correction="free some space"
        )
    (cluster,) = memory.clusters()
    assert cluster.pattern is not None
    assert memory.reflect().failures == 3
    strategy = memory.promote(cluster.pattern.ref, guidance="look at df first").memory
    retired = memory.decide(strategy.ref, "retired", reason="the disk is new")
    assert retired.status is StrategyStatus.RETIRED
    assert memory.decide(cluster.pattern.ref, PatternStatus.MUTED).status is PatternStatus.MUTED
    with pytest.raises(BadInputError) as caught:
        memory.decide(cluster.pattern.ref, "done")
    assert caught.value.field == "status"


def test_what_it_holds_and_how_it_stands(memory: GraphMemory) -> None:
    memory.record("read the table", "FAILURE", output="no file /srv/prices.csv", task_id="t")
    late = memory.record("sum the table", "FAILURE", context="/srv/prices.csv", task_id="t").memory
    page = memory.memories(first=1)
    assert [one.ref for one in page.items] == ["E-2"]
    assert [one.ref for one in memory.memories(first=1, after=page.next).items] == ["E-1"]
    assert [one.ref for one in memory.memories(results="success").items] == []
    assert [one.memory.ref for one in memory.suggest_causes(late.ref)] == ["E-1"]
    assert memory.status().counts["EXPERIENCE"] == 2
    assert memory.diagnostics().rows
    assert memory.replay().failures == 2
    assert [one.task_id for one in memory.episodes().episodes] == ["t"]
    assert memory.sweep(dry_run=True).experiences == 2


def test_what_was_exported_is_known_where_it_came_from_and_new_elsewhere(
    memory: GraphMemory, tmp_path: Path
) -> None:
    memory.record("copy the disk", "FAILURE")
    lines = list(memory.export())
    assert memory.import_lines(lines).known == 1
    with graphmem.open(tmp_path / "other.db", embedder="none") as other:
        assert other.import_lines(lines).created == 1
