"""Exceptions and what they came of: one experience each, joined by traced causes."""

from __future__ import annotations

import pytest

from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseRef
from graphmem.entrypoints.capture.frames import MAX_CHAIN
from tests.unit.entrypoints.capture.conftest import Memory


def fail_from() -> None:
    """A ValueError from a KeyError."""
    try:
        {}["price"]
    except KeyError as error:
        raise ValueError("no price") from error


def fail_while_handling() -> None:
    """A TypeError raised while a KeyError is handled."""
    try:
        {}["price"]
    except KeyError:
        len(5)  # type: ignore[arg-type]


def fail_from_none() -> None:
    """A ValueError that says it came of nothing."""
    try:
        {}["price"]
    except KeyError:
        raise ValueError("no price") from None


def test_the_stated_cause_is_a_traced_cause(memory: Memory) -> None:
    with pytest.raises(ValueError, match="no price"), memory.capture("load", task_id="t", tool="loader"):
        fail_from()
    cause, effect = memory.experiences()
    assert (cause.error_type, effect.error_type, effect.action) == ("KeyError", "ValueError", "load")
    assert (cause.task_id, cause.tool) == ("t", "")
    assert cause.action.startswith("fail_from: ")
    edge = memory.causes()["ValueError", "KeyError"]
    assert (edge.grade, edge.evidence[0].note) == (Grade.TRACED, "exception chain")
    assert memory.services.store.state(memory.namespace).revision == 1


def test_what_was_being_handled_is_a_cause_too(memory: Memory) -> None:
    with pytest.raises(TypeError), memory.capture("load"):
        fail_while_handling()
    assert list(memory.causes()) == [("TypeError", "KeyError")]


def test_from_none_is_believed(memory: Memory) -> None:
    with pytest.raises(ValueError, match="no price"), memory.capture("load"):
        fail_from_none()
    assert len(memory.experiences()) == 1


def test_an_inner_block_is_the_cause_of_the_outer_one(memory: Memory) -> None:
    with pytest.raises(KeyError), memory.capture("make the report"), memory.capture("load the prices"):
        {}["price"]
    inner, outer = memory.experiences()
    assert (inner.action, outer.action) == ("load the prices", "make the report")
    (edge,) = memory.causes().values()
    assert (edge.from_id, edge.to_id, edge.grade) == (outer.id, inner.id, Grade.TRACED)


def test_a_captured_exception_behind_another_is_not_written_twice(memory: Memory) -> None:
    @memory.captures("load the prices")
    def load() -> None:
        raise KeyError("price")

    @memory.captures("make the report")
    def report() -> None:
        try:
            load()
        except KeyError as error:
            raise ValueError("no report") from error

    with pytest.raises(ValueError, match="no report"):
        report()
    assert [item.error_type for item in memory.experiences()] == ["KeyError", "ValueError"]
    assert list(memory.causes()) == [("ValueError", "KeyError")]


def test_members_of_a_group_are_causes(memory: Memory) -> None:
    with pytest.raises(ExceptionGroup), memory.capture("fetch all"):
        raise ExceptionGroup("two", [KeyError("a"), OSError("b")])
    assert sorted(cause for _, cause in memory.causes()) == ["KeyError", "OSError"]


def test_a_shared_cause_is_one_experience(memory: Memory) -> None:
    shared = OSError("disk")
    first, second = ValueError("a"), TypeError("b")
    first.__cause__ = second.__cause__ = shared
    with pytest.raises(ExceptionGroup), memory.capture("fetch all"):
        raise ExceptionGroup("two", [first, second])
    assert len(memory.experiences()) == 4
    assert len(memory.causes()) == 4


def test_a_circle_of_causes_ends(memory: Memory) -> None:
    first, second = ValueError("a"), TypeError("b")
    first.__cause__, second.__cause__ = second, first
    with pytest.raises(ValueError, match="a"), memory.capture("turn"):
        raise first
    assert list(memory.causes()) == [("ValueError", "TypeError")]


def test_a_long_chain_is_cut(memory: Memory) -> None:
    error: Exception | None = None
    for number in range(50):
        outer = ValueError(str(number))
        outer.__cause__ = error
        error = outer
    with pytest.raises(ValueError, match="49"), memory.capture("dig"):
        raise error or AssertionError
    assert len(memory.experiences()) == MAX_CHAIN


def test_an_interrupt_behind_an_exception_is_no_cause(memory: Memory) -> None:
    error = ValueError("stopped")
    error.__cause__ = KeyboardInterrupt()
    with pytest.raises(ValueError, match="stopped"), memory.capture("wait"):
        raise error
    assert len(memory.experiences()) == 1


def test_causes_that_the_caller_states_are_kept(memory: Memory) -> None:
    stated = memory.remember("the disk is small").memory
    given = {"key": "k", "caused_by": (CauseRef(id=stated.id),)}
    with pytest.raises(KeyError), memory.capture("load", **given) as seen:
        raise KeyError("x")
    assert seen.written is not None
    assert seen.written.key == "k"
    assert memory.explain(seen.written.memory.id).earliest == stated.id
