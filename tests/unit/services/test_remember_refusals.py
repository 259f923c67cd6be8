"""What cannot be written is refused whole, and the refusal names its field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft, MemoryUpdate
from graphmem.domain.errors import (
    BadInputError,
    ConflictError,
    NotFoundError,
    TooLargeError,
)
from graphmem.domain.memories import (
    Result,
    RootCause,
    Writer,
)
from graphmem.domain.rules import MAX_ITEMS, MAX_METADATA, MAX_SHORT, MAX_TAGS, MAX_TEXT
from graphmem.wiring import Services
from tests.builders import NS, Clock, at
from tests.services import failed, opened, refusal, remembered


def experience(action: str = "copy", **fields: Any) -> ExperienceDraft:
    """A draft of a failure."""
    return ExperienceDraft(**({"action": action, "result": Result.FAILURE} | fields))


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "next year": ({"occurred_at": at(2 * 86_400)}, BadInputError, "occurred_at"),
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
    "unknown text": (
        {"caused_by": (CauseRef(text="nowhere"),), "task_id": "t"},
        NotFoundError,
        "caused_by[0].text",
    ),
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
    assert list(services.store.namespaces()) == []


def test_a_time_within_a_day_ahead_is_a_clock_that_differs(services: Services) -> None:
    soon = at(86_400)
    assert failed(services, "copy", occurred_at=soon).memory.occurred_at == soon
    message = refusal(
        lambda: services.remember.fact(NS, FactDraft(statement="x", occurred_at=at(10 * 86_400))), services
    )
    assert "2026-03-11T08:30:00+00:00 is more than a day ahead of now" in str(message)
    assert services.remember.fact(NS, FactDraft(statement="x", valid_from=at(10 * 86_400))).created


def test_a_key_that_is_known_is_known_whatever_the_time_was(path: Path) -> None:
    """A clock that was put right refuses no retry; what is stored is exported, imported and copied as it is."""
    with opened(path, clock=Clock(at(10 * 86_400))) as early:
        ahead = failed(early, "copy", key="k", occurred_at=at(10 * 86_400)).memory
    with opened(path, seed=1) as services, opened(path.with_name("other.db"), seed=2) as other:
        assert failed(services, "copy", key="k", occurred_at=at(10 * 86_400)).memory == ahead
        assert (
            services.revise.update(NS, MemoryUpdate(id="E-1", correction="free it")).occurred_at
            == ahead.occurred_at
        )
        other.transfer.import_lines("there", services.transfer.export(NS))
        assert other.browse.memory("there", "E-1").occurred_at == ahead.occurred_at
        services.copy.copy(NS, other.store)
        assert other.browse.memory(NS, "E-1").occurred_at == ahead.occurred_at
