"""Writing: once, whole, and known again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from graphmem.config import Settings, from_environment
from graphmem.domain.drafts import CauseRef, ExperienceDraft
from graphmem.domain.errors import (
    BadInputError,
    ConflictError,
    ForgottenError,
    NotFoundError,
)
from graphmem.domain.memories import (
    AnalysisState,
    Channel,
    Experience,
    Fact,
    Result,
    RootCause,
    State,
    Writer,
)
from graphmem.wiring import Services, build
from tests.builders import NS, at
from tests.services import failed, recorded, refusal, remembered, state


def experience(action: str = "copy", **fields: Any) -> ExperienceDraft:
    """A draft of a failure."""
    return ExperienceDraft(**({"action": action, "result": Result.FAILURE} | fields))


def test_a_fact_is_there_under_its_id_and_its_ref(services: Services) -> None:
    written = remembered(services, "The disk is full", subject="disk", tags=("ops",), metadata={"n": 1})
    assert written.created
    assert written.memory.ref == "F-1"
    assert services.browse.memory(NS, "F-1") == written.memory
    assert services.browse.memory(NS, written.memory.id) == written.memory
    assert isinstance(written.memory, Fact)
    assert (written.memory.subject, written.memory.tags, written.memory.metadata) == (
        "disk",
        ("ops",),
        {"n": 1},
    )


def test_every_field_of_an_experience_is_kept(services: Services) -> None:
    fields: dict[str, Any] = {
        "context": "空数组",
        "output": "[]",
        "expected": "0",
        "error_type": "IndexError",
        "correction": "check",
        "generalization": "check first",
        "manifestation": "index out of range",
        "tool": "bash",
        "agent": "a1",
        "trace": "Traceback",
        "task_id": "t1",
        "session_id": "s1",
        "task_type": "coding",
        "root_cause": RootCause("nobody asked", prevention="ask", deviated_at=3),
        "informed_by": ("x",),
        "writer": Writer("w", Channel.TOOL, 0.5),
        "occurred_at": at(-5),
    }
    memory = failed(services, "take the first", **fields).memory
    assert isinstance(memory, Experience)
    assert {name: getattr(memory, name) for name in fields} == fields


def test_without_a_time_it_occurred_now(services: Services) -> None:
    memory = remembered(services, "x").memory
    assert memory.occurred_at == memory.recorded_at


def test_a_failure_without_a_root_cause_waits_for_analysis(services: Services) -> None:
    waiting = failed(services, "a").memory
    known = failed(services, "b", root_cause=RootCause("c")).memory
    fine = recorded(services, "c").memory
    assert [getattr(item, "analysis", None) for item in (waiting, known, fine)] == [
        AnalysisState.PENDING,
        AnalysisState.NOT_NEEDED,
        AnalysisState.NOT_NEEDED,
    ]


def test_the_title_tells_what_went_wrong_first(services: Services) -> None:
    assert failed(services, "copy the file", error_type="OSError").memory.title == "OSError: copy the file"


def test_without_a_key_one_is_made_up_that_can_be_repeated(services: Services) -> None:
    first = remembered(services, "x")
    again = remembered(services, "x", key=first.key)
    assert first.key
    assert (again.created, again.memory.id) == (False, first.memory.id)


def test_the_same_call_twice_without_a_key_is_two_memories(services: Services) -> None:
    assert remembered(services, "x").memory.id != remembered(services, "x").memory.id


def test_a_repeated_key_answers_the_first_receipt_and_writes_nothing(services: Services) -> None:
    first = remembered(services, "x", key="k")
    before = state(services)
    again = remembered(services, "x", key="k")
    assert (again.created, again.memory, again.revision, again.key) == (False, first.memory, 1, "k")
    assert state(services) == before


def test_another_payload_under_the_same_key_is_refused_and_the_first_stays(services: Services) -> None:
    first = remembered(services, "x", key="k")
    error = refusal(lambda: remembered(services, "y", key="k"), services)
    assert isinstance(error, ConflictError)
    assert error.field == "key"
    assert services.browse.memory(NS, first.memory.id).text == "x"


def test_another_secret_in_the_same_payload_is_the_same_call(services: Services) -> None:
    remembered(services, "API_TOKEN=fake-123456", key="k")
    assert not remembered(services, "API_TOKEN=fake-654321", key="k").created


def test_the_key_of_another_namespace_is_another_key(services: Services) -> None:
    remembered(services, "x", key="k")
    assert remembered(services, "y", "other", key="k").created


def test_a_key_of_a_forgotten_memory_stays_used(services: Services) -> None:
    written = remembered(services, "x", key="k")
    services.forget.forget(NS, written.memory.id)
    error = refusal(lambda: remembered(services, "x", key="k"), services)
    assert isinstance(error, ForgottenError)
    assert error.field == "key"


@pytest.mark.parametrize("round_", range(5))
def test_of_two_threads_with_one_key_one_writes(services: Services, round_: int) -> None:
    gate = Barrier(2)

    def write(_: int) -> bool:
        gate.wait()
        return failed(services, "copy", key="k").created

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(write, range(2))) == [False, True]
    assert state(services).counts["EXPERIENCE"] == 1


def test_two_threads_with_one_key_and_different_payloads_make_one_memory(services: Services) -> None:
    gate = Barrier(2)

    def write(text: str) -> str:
        gate.wait()
        try:
            return remembered(services, text, key="k").memory.text
        except ConflictError:
            return ""

    with ThreadPoolExecutor(2) as pool:
        kept = [text for text in pool.map(write, ["x", "y"]) if text]
    assert [item.text for item in services.store.get(NS, ["F-1", "F-2"]).values()] == kept


def test_many_are_written_in_one_revision_and_may_name_each_other(services: Services) -> None:
    first, second = services.remember.many(
        NS, [experience("a", key="a"), experience("b", key="b", caused_by=(CauseRef(key="a"),))]
    )
    assert (first.revision, second.revision) == (1, 1)
    assert [item.ref for item in (first.memory, second.memory)] == ["E-1", "E-2"]
    assert services.explain.explain(NS, "E-2").root_causes[0].memory.id == first.memory.id


def test_of_many_the_known_ones_answer_what_they_are(services: Services) -> None:
    known = failed(services, "a", key="a")
    old, new = services.remember.many(NS, [experience("a", key="a"), experience("b", key="b")])
    assert (old.created, old.memory.id) == (False, known.memory.id)
    assert new.created


def test_many_that_are_all_known_write_nothing(services: Services) -> None:
    drafts = [experience("a", key="a"), experience("b", key="b")]
    services.remember.many(NS, drafts)
    before = state(services)
    assert [item.created for item in services.remember.many(NS, drafts)] == [False, False]
    assert state(services) == before


def test_a_superseded_fact_stays_marked_and_is_no_longer_said(services: Services) -> None:
    old = remembered(services, "the port is 80")
    new = remembered(services, "the port is 8080", supersedes=("F-1",), valid_from=at(50))
    kept = services.browse.memory(NS, old.memory.id)
    assert isinstance(kept, Fact)
    assert (kept.state, kept.valid_to, kept.version, kept.text) == (
        State.SUPERSEDED,
        at(50),
        2,
        "the port is 80",
    )
    assert new.memory.state is State.ACTIVE


def test_only_facts_are_superseded(services: Services) -> None:
    failed(services, "x")
    assert isinstance(
        refusal(lambda: remembered(services, "y", supersedes=("E-1",)), services), BadInputError
    )


def test_a_fact_of_another_namespace_is_not_superseded(services: Services) -> None:
    foreign = remembered(services, "x", "other")
    error = refusal(lambda: remembered(services, "y", supersedes=(foreign.memory.id,)), services)
    assert isinstance(error, NotFoundError)
    assert services.browse.memory("other", foreign.memory.id) == foreign.memory


def test_a_failure_is_generalized_only_where_that_is_set(services: Services, tmp_path: Path) -> None:
    plain = failed(services, "read prices.csv").memory
    assert isinstance(plain, Experience)
    assert (plain.generalization, plain.generalization_source) == ("", "")
    settings = Settings(store=f"sqlite:///{tmp_path / 'general.db'}", embedder="none", generalize=True)
    with closing(build(settings)) as general:
        made = failed(general, "read prices.csv").memory
        given = failed(general, "read prices.csv", generalization="mine").memory
        worked = recorded(general, "read prices.csv").memory
        found = [
            (item.generalization, item.generalization_source)
            for item in (made, given, worked)
            if isinstance(item, Experience)
        ]
    assert from_environment({"GRAPHMEM_GENERALIZE": "1"}).generalize
    assert found == [("read a file", "rule"), ("mine", ""), ("", "")]
