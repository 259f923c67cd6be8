"""Plain arguments of the Python door: what is understood, and what is refused by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseRef, ExperienceDraft, SituationKeys
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Experience, MemoryKind
from graphmem.entrypoints.library import GraphMemory
from graphmem.entrypoints.plain import drafted, question


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[GraphMemory]:
    """A memory in a file, words only, with one failure."""
    with graphmem.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as opened:
        opened.record("read the prices", "FAILURE", tool="reader", error_type="ValueError", key="one")
        yield opened


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"colour": "red"}, "colour"),
        ({"tags": [1]}, "tags"),
        ({"tool": 5}, "tool"),
        ({"error_type": ["x"]}, "error_type"),
        ({"occurred_at": "2026-01-01"}, "occurred_at"),
        ({"metadata": "x"}, "metadata"),
        ({"caused_by": [1]}, "caused_by"),
        ({"root_cause": "x"}, "root_cause"),
        ({"result": "OOPS"}, "result"),
        ({"result": None}, "result"),
    ],
)
def test_what_does_not_fit_a_record_is_refused_by_its_name(
    memory: GraphMemory, fields: dict[str, Any], field: str
) -> None:
    before = memory.services.inspect.status(memory.namespace).revision
    with pytest.raises(BadInputError) as caught:
        memory.record("sum them", **{"result": "FAILURE", **fields})
    assert caught.value.field == field
    assert caught.value.remedy
    assert memory.services.inspect.status(memory.namespace).revision == before


CALLS: list[tuple[Callable[[GraphMemory], Any], str]] = [
    (lambda memory: memory.record(None, "FAILURE"), "action"),  # type: ignore[arg-type]
    (lambda memory: memory.remember("x", valid_from="today"), "valid_from"),
    (lambda memory: memory.capture_failure("import", 5), "manifestation"),  # type: ignore[arg-type]
    (lambda memory: memory.observe_turn("no", silence_s="long"), "silence_s"),
    (lambda memory: memory.recall("x", limit="3"), "limit"),
    (lambda memory: memory.recall("x", limit=True), "limit"),
    (lambda memory: memory.recall("x", kinds="FCT"), "kinds"),
    (lambda memory: memory.prompt("x", toll="reader"), "toll"),
    (lambda memory: memory.brief("x", tool=3), "tool"),
    (lambda memory: memory.explain("E-1", hops=2), "hops"),
    (lambda memory: memory.explain("E-1", min_grade="sure"), "min_grade"),
    (lambda memory: memory.link("E-1", "E-1", confidence="high"), "confidence"),
    (lambda memory: memory.link("E-1", None), "id"),  # type: ignore[arg-type]
    (lambda memory: memory.update("E-1", result="SUCCESS"), "result"),
    (lambda memory: memory.review("E-1", "E-1", "perhaps"), "verdict"),
    (lambda memory: memory.answer("x", "perhaps"), "answer"),
    (lambda memory: memory.graph(min_grade="sure"), "min_grade"),
]


@pytest.mark.parametrize(("call", "field"), CALLS)
def test_every_verb_refuses_in_the_same_way(
    memory: GraphMemory, call: Callable[[GraphMemory], Any], field: str
) -> None:
    with pytest.raises(BadInputError) as caught:
        call(memory)
    if field != "id":
        assert caught.value.field == field


def test_a_cause_by_a_text_alone_a_lone_tag_and_none_for_not_given(memory: GraphMemory) -> None:
    second = memory.record("sum", "failure", caused_by="E-1", tags="month", tool=None).memory
    memory.record("report", "partial", caused_by=["key:one", CauseRef(id="E-2")])
    assert isinstance(second, Experience)
    assert (second.tags, second.tool) == (("month",), "")
    assert memory.explain("E-2").root_causes[0].memory.ref == "E-1"
    edges = memory.explain("E-3").edges
    assert len(edges) == len({(edge.effect_id, edge.cause_id) for edge in edges}) == 3


def test_the_tool_is_said_beside_the_situation(memory: GraphMemory) -> None:
    asked = question("read the prices", {"tool": "reader", "task_type": "import", "session_id": "s"})
    assert asked.keys == SituationKeys(tool="reader", task_type="import")
    both = question("x", {"tool": "reader", "keys": SituationKeys(tool="other", agent="a")})
    assert both.keys == SituationKeys(tool="reader", agent="a")
    assert memory.recall("read the prices", tool="reader", kinds="experience").errors
    assert "ValueError" in memory.prompt("read the prices", tool="reader")


def test_a_wrong_name_is_answered_with_the_right_ones() -> None:
    with pytest.raises(BadInputError) as caught:
        question("x", {"tols": "reader"})
    assert {"session_id", "tool", "limit"} <= set(caught.value.remedy.replace(",", "").split())


def test_words_in_any_case_and_numbers_that_fit() -> None:
    assert question("x", {"kinds": ["fact", MemoryKind.PATTERN]}).kinds == (
        MemoryKind.FACT,
        MemoryKind.PATTERN,
    )
    ref = drafted(CauseRef, {"id": "E-1", "confidence": 1, "grade": "traced"})
    assert (ref.confidence, ref.grade) == (1.0, Grade.TRACED)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    assert drafted(ExperienceDraft, {"action": "x", "result": "SUCCESS", "occurred_at": at}).occurred_at == at


def test_a_guard_takes_the_same_arguments(memory: GraphMemory) -> None:
    with pytest.raises(KeyError), memory.capture("sum", caused_by="E-1", tags="month") as guard:
        raise KeyError("k")
    assert guard.written
    assert memory.explain(guard.written.memory.id).root_causes[0].memory.ref == "E-1"
