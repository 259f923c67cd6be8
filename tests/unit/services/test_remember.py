"""Writing: once, whole, and known again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft
from graphmem.domain.errors import (
    AmbiguousError,
    BadInputError,
    ConflictError,
    ForgottenError,
    NotFoundError,
    TooLargeError,
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
from graphmem.domain.rules import MAX_ITEMS, MAX_METADATA, MAX_SHORT, MAX_TAGS, MAX_TEXT
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.services import because, failed, recorded, refusal, remembered, state


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
    assert (
        failed(services, "copy the file", error_type="OSError").memory.title == "OSError: copy the file"
    )


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


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "empty action": ({"action": " "}, BadInputError, "action"),
    "NUL": ({"context": "a\0b"}, BadInputError, "context"),
    "half a surrogate": ({"output": "\ud800"}, BadInputError, "output"),
    "surrogate in a tag": ({"tags": ("\ud800",)}, BadInputError, "tags[0]"),
    "surrogate in the key": ({"key": "\ud800"}, BadInputError, "key"),
    "empty tag": ({"tags": ("a", "")}, BadInputError, "tags[1]"),
    "too many tags": ({"tags": tuple(map(str, range(MAX_TAGS + 1)))}, TooLargeError, "tags"),
    "long tag": ({"tags": ("x" * (MAX_SHORT + 1),)}, TooLargeError, "tags[0]"),
    "long action": ({"action": "x" * (MAX_TEXT + 1)}, TooLargeError, "action"),
    "long key": ({"key": "x" * 9_000}, TooLargeError, "key"),
    "long tool": ({"tool": "x" * (MAX_SHORT + 1)}, TooLargeError, "tool"),
    "long root cause": ({"root_cause": RootCause("x" * (MAX_TEXT + 1))}, TooLargeError, "root_cause.summary"),
    "long metadata": ({"metadata": {"a": "x" * MAX_METADATA}}, TooLargeError, "metadata"),
    "wide integer": ({"metadata": {"n": 2**70}}, BadInputError, "metadata.n"),
    "infinite number": ({"metadata": {"n": float("inf")}}, BadInputError, "metadata.n"),
    "no number": ({"metadata": {"n": [float("nan")]}}, BadInputError, "metadata.n"),
    "naive time": ({"occurred_at": at().replace(tzinfo=None)}, BadInputError, "occurred_at"),
    "no cause named": ({"caused_by": (CauseRef(),)}, BadInputError, "caused_by[0]"),
    "blank cause": ({"caused_by": (CauseRef(text="  "),)}, BadInputError, "caused_by[0]"),
    "cause named twice": ({"caused_by": (CauseRef(id="a", key="b"),)}, BadInputError, "caused_by[0]"),
    "confidence 0": (
        {"caused_by": (CauseRef(id="a", confidence=0),)},
        BadInputError,
        "caused_by[0].confidence",
    ),
    "confidence NaN": (
        {"caused_by": (CauseRef(id="a", confidence=float("nan")),)},
        BadInputError,
        "caused_by[0].confidence",
    ),
    "unknown cause": ({"caused_by": (CauseRef(id="no-such"),)}, NotFoundError, "caused_by[0].id"),
    "unknown key": ({"caused_by": (CauseRef(key="no-such"),)}, NotFoundError, "caused_by[0].key"),
    "unknown text": ({"caused_by": (CauseRef(text="nowhere"),), "task_id": "t"}, NotFoundError, "caused_by[0].text"),
    "text without a task": ({"caused_by": (CauseRef(text="a"),)}, BadInputError, "caused_by[0].text"),
    "trust above one": ({"writer": Writer(trust=1.5)}, BadInputError, "writer.trust"),
    "trust NaN": ({"writer": Writer(trust=float("nan"))}, BadInputError, "writer.trust"),
    "long informedBy": ({"informed_by": ("x" * (MAX_SHORT + 1),)}, TooLargeError, "informed_by[0]"),
    "surrogate in informedBy": ({"informed_by": ("\ud800",)}, BadInputError, "informed_by[0]"),
    "too many informedBy": ({"informed_by": ("x",) * (MAX_ITEMS + 1)}, TooLargeError, "informed_by"),
    "too many causes": ({"caused_by": (CauseRef(id="x"),) * (MAX_ITEMS + 1)}, TooLargeError, "caused_by"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_experience_is_refused_and_names_its_field(services: Services, name: str) -> None:
    fields, kind, field = BAD[name]
    error = refusal(lambda: failed(services, **({"action": "copy"} | fields)), services)
    assert isinstance(error, kind)
    assert error.field == field


@pytest.mark.parametrize("name", BAD)
def test_one_bad_item_refuses_all_and_names_its_index(services: Services, name: str) -> None:
    fields, kind, field = BAD[name]
    bad = experience(**({"action": "copy"} | fields))
    error = refusal(lambda: services.remember.many(NS, [experience("a"), bad, experience("c")]), services)
    assert isinstance(error, kind)
    assert error.field == f"input[1].{field}"


BAD_FACTS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "empty": ({"statement": "\n"}, BadInputError, "statement"),
    "2,000,000 characters": ({"statement": "x" * 2_000_000}, TooLargeError, "statement"),
    "ends before it begins": ({"valid_from": at(1), "valid_to": at(0)}, BadInputError, "valid_to"),
    "naive start": ({"valid_from": at().replace(tzinfo=None)}, BadInputError, "valid_from"),
    "unknown older": ({"supersedes": ("F-9",)}, NotFoundError, "supersedes[0]"),
    "long older": ({"supersedes": ("x" * 300,)}, TooLargeError, "supersedes[0]"),
}


@pytest.mark.parametrize("name", BAD_FACTS)
def test_a_bad_fact_is_refused_and_names_its_field(services: Services, name: str) -> None:
    fields, kind, field = BAD_FACTS[name]
    error = refusal(lambda: remembered(services, **({"statement": "x"} | fields)), services)
    assert isinstance(error, kind)
    assert error.field == field


@pytest.mark.parametrize(
    ("drafts", "kind"),
    [
        ([], BadInputError),
        ([experience(str(number)) for number in range(MAX_ITEMS + 1)], TooLargeError),
        ([experience("a", key="k"), experience("b", key="k")], BadInputError),
    ],
)
def test_many_has_limits(services: Services, drafts: list[ExperienceDraft], kind: type[Exception]) -> None:
    assert isinstance(refusal(lambda: services.remember.many(NS, drafts), services), kind)


def test_one_conflict_refuses_many(services: Services) -> None:
    failed(services, "a", key="k")
    drafts = [experience("new"), experience("other", key="k")]
    error = refusal(lambda: services.remember.many(NS, drafts), services)
    assert isinstance(error, ConflictError)
    assert error.field == "input[1].key"


@pytest.mark.parametrize("name", ["", "x" * 129, "a\nb", "\ud800", None, 1])
@pytest.mark.parametrize("verb", ["fact", "experience"])
def test_a_bad_namespace_is_refused(services: Services, name: Any, verb: str) -> None:
    calls: dict[str, Callable[[], Any]] = {
        "fact": lambda: services.remember.fact(name, FactDraft(statement="x")),
        "experience": lambda: services.remember.experience(name, experience()),
    }
    assert refusal(calls[verb], services).field == "namespace"
    assert services.store.namespaces() == []


def test_a_cause_may_be_named_by_ref_key_or_text(services: Services) -> None:
    cause = failed(services, "delete the index", key="k", task_id="t")
    for ref in (CauseRef(id="E-1"), CauseRef(key="k"), CauseRef(text=" DELETE the "), *because(cause)):
        effect = failed(services, "search", task_id="t", caused_by=(ref,))
        assert [item.id for item in services.explain.explain(NS, effect.memory.id).nodes] == [
            effect.memory.id,
            cause.memory.id,
        ]


def test_a_text_that_fits_several_memories_is_refused_with_their_refs(services: Services) -> None:
    for action in ("delete a", "delete b"):
        failed(services, action, task_id="t")
    failed(services, "delete c", task_id="another")
    error = refusal(
        lambda: failed(services, "x", task_id="t", caused_by=(CauseRef(text="delete"),)), services
    )
    assert isinstance(error, AmbiguousError)
    assert sorted(error.candidates) == ["E-1", "E-2"]
    assert error.field == "caused_by[0].text"


def test_a_text_is_looked_up_among_the_items_of_the_same_call(services: Services) -> None:
    drafts = [
        experience("open the gate", task_id="t"),
        experience("walk", task_id="t", caused_by=(CauseRef(text="gate"),)),
    ]
    first, second = services.remember.many(NS, drafts)
    assert services.explain.explain(NS, second.memory.id).earliest == first.memory.id


def test_a_fact_may_be_a_cause(services: Services) -> None:
    fact = remembered(services, "port 80 is open")
    effect = failed(services, "connect", caused_by=because(fact))
    assert services.explain.explain(NS, effect.memory.id).root_causes[0].memory == fact.memory


def test_a_cause_after_its_effect_is_refused(services: Services) -> None:
    cause = failed(services, "later", occurred_at=at(100))
    error = refusal(
        lambda: failed(services, "sooner", occurred_at=at(94.9), caused_by=because(cause)), services
    )
    assert isinstance(error, BadInputError)
    assert error.field == "caused_by[0]"


def test_clocks_may_differ_by_five_seconds(services: Services) -> None:
    cause = failed(services, "later", occurred_at=at(100))
    assert failed(services, "sooner", occurred_at=at(95), caused_by=because(cause)).created


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
    assert isinstance(refusal(lambda: remembered(services, "y", supersedes=("E-1",)), services), BadInputError)


def test_a_fact_of_another_namespace_is_not_superseded(services: Services) -> None:
    foreign = remembered(services, "x", "other")
    error = refusal(lambda: remembered(services, "y", supersedes=(foreign.memory.id,)), services)
    assert isinstance(error, NotFoundError)
    assert services.browse.memory("other", foreign.memory.id) == foreign.memory
