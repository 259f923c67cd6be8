"""Blocks and functions whose exceptions become failures and go on unchanged."""

from __future__ import annotations

import asyncio
import logging

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Result
from graphmem.entrypoints.capture.guarding import arguments_of
from tests.unit.entrypoints.capture.conftest import Memory


def test_an_exception_becomes_a_failure_and_goes_on(memory: Memory) -> None:
    error = ValueError("bad price")
    with (
        pytest.raises(ValueError, match="bad price") as caught,
        memory.capture("load prices", task_id="t") as seen,
    ):
        raise error
    assert caught.value is error
    (found,) = memory.experiences()
    assert (found.action, found.result, found.task_id) == ("load prices", Result.FAILURE, "t")
    assert (found.error_type, found.manifestation) == ("ValueError", "ValueError: bad price")
    assert "raise error" in found.trace
    assert seen.written is not None
    assert seen.written.memory.id == found.id


def test_a_block_that_ends_well_is_recorded_only_when_asked(memory: Memory) -> None:
    with memory.capture("load prices") as seen:
        pass
    assert seen.written is None
    with memory.capture("load prices", success=True) as seen:
        seen.note(output="12 rows")
    (found,) = memory.experiences()
    assert (found.result, found.output) == (Result.SUCCESS, "12 rows")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_is_not_recorded(memory: Memory, error: type[BaseException]) -> None:
    with pytest.raises(error), memory.capture("wait"):
        raise error
    assert memory.experiences() == []


def test_a_memory_that_fails_never_hides_the_exception(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(KeyError, match="the real one"), memory.capture("copy", context=["secret text"]):
        raise KeyError("the real one")
    memory.close()
    with pytest.raises(KeyError, match="the real one"), memory.capture("copy"):
        raise KeyError("the real one")
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "secret text" not in caplog.text
    assert "BadInputError (context)" in caplog.text


def test_a_field_that_there_is_not_is_refused_before_the_block_begins(memory: Memory) -> None:
    with pytest.raises(BadInputError) as caught:
        memory.capture("copy", contxt="a.csv")
    assert caught.value.field == "contxt"
    with pytest.raises(BadInputError):
        memory.captures(contxt="a.csv")
    with memory.capture("copy") as seen, pytest.raises(BadInputError):
        seen.note(contxt="a.csv")


def test_the_decorator_needs_no_brackets(memory: Memory) -> None:
    @memory.captures
    def load(path: str) -> int:
        return len(path) // 0

    with pytest.raises(ZeroDivisionError):
        load("a.csv")
    (found,) = memory.experiences()
    assert (found.tool, found.context) == ("load", "path='a.csv'")


def test_a_memory_that_fails_never_fails_a_block_that_ended_well(memory: Memory) -> None:
    with memory.capture("", success=True) as seen:
        pass
    assert seen.written is None


def test_a_function_is_captured_with_its_arguments(memory: Memory) -> None:
    @memory.captures(task_type="pricing")
    def load(path: str, *rows: int, password: str = "") -> int:
        """Load."""
        return rows[0]

    assert load("a.csv", 7) == 7
    assert (load.__name__, load.__doc__) == ("load", "Load.")
    with pytest.raises(IndexError):
        load("b.csv", password="hunter2xyz")
    (found,) = memory.experiences()
    assert found.action.startswith("call test_a_function_is_captured")
    assert (found.tool, found.task_type) == ("load", "pricing")
    assert "path='b.csv'" in found.context
    assert "hunter2xyz" not in str(found)
    assert "return rows[0]" in found.trace


def test_a_method_leaves_its_object_out(memory: Memory) -> None:
    class Loader:
        """Loads."""

        @memory.captures("load a file")
        def load(self, path: str) -> None:
            raise OSError(path)

    with pytest.raises(OSError, match=r"x\.csv"):
        Loader().load("x.csv")
    (found,) = memory.experiences()
    assert (found.action, found.context) == ("load a file", "path='x.csv'")


def test_a_coroutine_is_captured_when_it_is_awaited(memory: Memory) -> None:
    @memory.captures()
    async def fetch(place: str) -> str:
        await asyncio.sleep(0)
        raise TimeoutError(place)

    with pytest.raises(TimeoutError):
        asyncio.run(fetch("depot"))
    (found,) = memory.experiences()
    assert (found.error_type, found.context) == ("TimeoutError", "place='depot'")


def test_a_repeat_is_reminded(memory: Memory) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        memory.capture("mean of the scores", context="scores = []", tool="mean"),
    ):
        raise ZeroDivisionError
    assert "mean of the scores" in memory.prompt("mean of the scores\nscores = []")


def test_long_arguments_are_cut_and_strange_ones_left_out() -> None:
    class Strange:
        """Cannot be shown."""

        def __repr__(self) -> str:
            raise RuntimeError

    def call(text: str, thing: object = None) -> None:
        raise NotImplementedError

    assert len(arguments_of(call, ("x" * 10_000,), {})) < 200
    assert "Strange" in arguments_of(call, ("a", Strange()), {})
    assert arguments_of(call, (), {"unknown": 1}) == ""
