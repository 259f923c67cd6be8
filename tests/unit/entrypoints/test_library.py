"""The Python door: answers, ends of sessions and what is measured, by plain arguments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import graphmem
from graphmem.domain.drafts import CauseRef
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import RootCause
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
