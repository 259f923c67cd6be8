"""The same action before: found again although its secrets were replaced, told apart by place."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.drafts import CHANGED, ExperienceDraft
from graphmem.domain.memories import Experience, Result
from graphmem.entrypoints.capture.repeats import (
    AFTER,
    RETRIES_END,
    Past,
    note_success,
    past_of,
    pasts_of,
    retried,
)
from tests.unit.entrypoints.capture.conftest import Memory


def draft(action: str = "make", context: str = "in a", result: Result = Result.FAILURE) -> ExperienceDraft:
    """A run of a command."""
    return ExperienceDraft(action=action, context=context, result=result, tool="make", task_type="command")


def past(memory: Memory, wanted: ExperienceDraft) -> Past:
    """What is known of a run."""
    return past_of(memory.services, memory.namespace, wanted)


def write(memory: Memory, wanted: ExperienceDraft) -> Experience:
    """Record a run."""
    found = memory.services.remember.experience(memory.namespace, wanted).memory
    assert isinstance(found, Experience)
    return found


def test_nothing_is_known_at_first(memory: Memory) -> None:
    found = past(memory, draft())
    assert (found.failures, found.unsolved, found.worked, found.correction) == ((), None, None, "")


def test_only_the_same_action_in_the_same_place_counts(memory: Memory) -> None:
    write(memory, draft("make all"))
    write(memory, draft(context="in b"))
    own = write(memory, draft())
    assert [run.id for run in past(memory, draft()).runs] == [own.id]


def test_a_command_with_a_secret_is_known_again(memory: Memory) -> None:
    secret = draft("curl --password hunter2xyz example.org")
    write(memory, secret)
    assert len(past(memory, secret).failures) == 1
    assert "hunter2xyz" not in str(memory.experiences())


def test_a_success_after_a_failure_tells_what_had_changed(memory: Memory) -> None:
    failed = write(memory, draft())
    assert past(memory, draft()).unsolved == failed
    written = note_success(memory.services, memory.namespace, draft(), failed, ["a.py"])
    found = past(memory, draft())
    assert found.unsolved is None
    assert found.worked is not None
    assert found.worked.id == written.memory.id
    assert found.worked.metadata == {AFTER: "E-1", CHANGED: ["a.py"]}
    assert found.worked.output == "works again after E-1; changed since: a.py"
    write(memory, draft())
    assert past(memory, draft()).worked is not None
    assert past(memory, draft()).unsolved is not None


def test_the_latest_correction_is_what_was_right(memory: Memory) -> None:
    for fix in ("first", "second"):
        memory.update(write(memory, draft()).id, correction=fix)
    write(memory, draft())
    assert past(memory, draft()).correction == "second"


def test_what_was_forgotten_is_not_known(memory: Memory) -> None:
    memory.forget(write(memory, draft()).id)
    assert past(memory, draft()).runs == ()


def test_the_runs_of_each_action_are_found_over_pages(memory: Memory) -> None:
    oldest = write(memory, draft("make old"))
    for number in range(101):
        write(memory, draft(f"make {number % 2}"))
    found = pasts_of(memory.services, memory.namespace, "make", "command")
    assert set(found) == {"make old", "make 0", "make 1"}
    assert [run.id for run in found["make old"].runs] == [oldest.id]
    assert [run.ref for run in found["make 0"].runs][:2] == ["E-102", "E-100"]
    assert pasts_of(memory.services, memory.namespace, "make", "test") == {}


def test_trying_again_is_no_new_occasion(memory: Memory) -> None:
    failed = write(memory, replace(draft(), error_type="KeyError"))
    at = failed.occurred_at
    assert retried(past(memory, draft()), "KeyError", at + RETRIES_END) == failed.episode
    assert retried(past(memory, draft()), "KeyError", at + 2 * RETRIES_END) == ""
    assert retried(past(memory, draft()), "ValueError", at) == ""
    note_success(memory.services, memory.namespace, draft(), failed, [])
    assert retried(past(memory, draft()), "KeyError", at) == ""
    assert retried(Past(), "KeyError", at) == ""
