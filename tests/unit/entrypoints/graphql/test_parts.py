"""The small parts: names, times, JSON literals, errors, edges, status."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from importlib import import_module
from inspect import getmembers, isclass
from pkgutil import iter_modules

import pytest
from graphql import GraphQLError, parse_value

import graphmem.domain as rooms_of
from graphmem.domain import memories as domain
from graphmem.domain.answers import RecallMode, Status
from graphmem.domain.errors import AmbiguousError, BadInputError, ForgottenError, StaleError, UnavailableError
from graphmem.entrypoints.graphql import answers, inputs, kinds, problems, reading, scalars
from graphmem.entrypoints.graphql.edges import cause_edge
from graphmem.entrypoints.graphql.enumerations import SHOWN
from tests import builders


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("", ""),
        ("action", "action"),
        ("valid_to", "validTo"),
        ("caused_by[0].id", "causedBy[0].id"),
        ("input[3].root_cause.context_sufficiency", "input[3].rootCause.contextSufficiency"),
        ("metadata.my_key.other_key", "metadata.my_key.other_key"),
        ("input[1].metadata.my_key", "input[1].metadata.my_key"),
        ("add_tags", "addTags"),
    ],
)
def test_fields_are_named_as_in_the_schema(path: str, shown: str) -> None:
    assert problems.camel(path) == shown


def test_times_are_read_with_a_zone_and_written_in_utc() -> None:
    east = scalars.read_time("2026-03-01T10:00:00.000001+08:00")
    assert east == datetime(2026, 3, 1, 2, 0, 0, 1, tzinfo=UTC)
    assert scalars.write_time(east) == "2026-03-01T02:00:00.000001Z"
    assert scalars.read_time(scalars.write_time(east)) == east
    assert scalars.read_time("2026-03-01T02:00:00Z").tzinfo is UTC
    assert timezone(timedelta(hours=8)).utcoffset(None) == timedelta(hours=8)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-1", -1),
        ("2.5", 2.5),
        ('"a"', "a"),
        ("true", True),
        ("null", None),
        ('[1, [2, {a: "b"}]]', [1, [2, {"a": "b"}]]),
        ("{a: $known, b: $unknown}", {"a": 7, "b": None}),
    ],
)
def test_json_literals_are_read_exactly(literal: str, value: object) -> None:
    assert scalars.read_literal(parse_value(literal), {"known": 7}) == value


def test_enum_names_are_no_json() -> None:
    with pytest.raises(BadInputError):
        scalars.read_literal(parse_value("{a: FACT}"))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (BadInputError("m", field="task_id", remedy="r"), problems.InvalidInput),
        (StaleError("m", field="task_id", remedy="r"), problems.Conflict),
        (ForgottenError("m", field="task_id", remedy="r"), problems.Conflict),
        (AmbiguousError("m", field="task_id", candidates=("E-1", "E-2")), problems.InvalidInput),
    ],
)
def test_errors_of_the_domain_become_problems(error: BadInputError, kind: type) -> None:
    def fail() -> None:
        raise error

    found = problems.outcome(fail)
    assert type(found) is kind
    assert (found.code, found.message, found.field) == (error.code, "m", "taskId")
    assert getattr(found, "candidates", []) == list(getattr(error, "candidates", ()))


def test_what_is_no_problem_of_the_caller_is_raised_on() -> None:
    def fail() -> None:
        raise UnavailableError("away")

    with pytest.raises(UnavailableError):
        problems.outcome(fail)
    assert problems.outcome(lambda: 7) == 7


@pytest.mark.parametrize(
    ("original", "masked"),
    [(None, False), (BadInputError("m"), False), (GraphQLError("m"), False), (KeyError("secret"), True)],
)
def test_only_surprises_are_masked(original: Exception | None, masked: bool) -> None:
    error = GraphQLError("secret", path=["a"], original_error=original)
    assert problems.should_mask_error(error) is masked
    shown = problems.presented(GraphQLError("x", path=["a"], original_error=error), "id-7", True)
    assert (shown["extensions"]["code"] == "INTERNAL") is masked
    assert ("secret" in str(shown)) is False or not masked


def test_suggestions_are_cut_off() -> None:
    error = GraphQLError("Cannot query field 'recal'. Did you mean 'recall'?")
    assert problems.presented(error, "", suggest=False)["message"] == "Cannot query field 'recal'."
    assert "recall" in problems.presented(error, "", suggest=True)["message"]


@pytest.mark.parametrize("memory", builders.full_memories(), ids=lambda memory: memory.kind)
def test_memories_are_shown_whole(memory: domain.Memory) -> None:
    """Every field that the domain has is in the GraphQL type, but for vectors and the namespace."""
    shown = kinds.node(memory)
    assert type(shown).__name__ == type(memory).__name__
    for name in (*memory.__dataclass_fields__, "text", "kind"):
        if name not in ("vectors", "namespace"):
            assert getattr(shown, name) == getattr(memory, name)


def test_lag_is_in_seconds() -> None:
    edge = builders.caused(builders.failure(), builders.fact())
    assert cause_edge(replace(edge, lag_ms=-1_500)).lag == -1.5


def test_passwords_in_store_addresses_are_left_out() -> None:
    given = Status(
        namespace="main",
        store="neo4j://anna:s3cret@db.example:7687",
        revision=0,
        index_revision=0,
        counts={},
        digest_matches=True,
        embedder="none",
        mode=RecallMode.LEXICAL,
        without_vectors=0,
        bad_vectors=0,
    )
    assert answers.status(given).store == "neo4j://db.example:7687"


def test_every_enumeration_of_the_domain_is_shown_or_internal() -> None:
    """A new one must be shown, or named here."""
    internal = {"SearchField", "EdgeKind", "Outcome", "RecordKind", "JobKind", "JobState", "Role"}
    rooms = [import_module(f"{rooms_of.__name__}.{item.name}") for item in iter_modules(rooms_of.__path__)]
    found = {
        member
        for module in rooms
        for name, member in getmembers(module, isclass)
        if issubclass(member, Enum) and member.__module__ == module.__name__ and name not in internal
    }
    assert found == set(SHOWN)


def test_null_is_the_same_as_not_given() -> None:
    given = inputs.FactInput(statement="a", key=None, tags=["b"], metadata=None)
    assert reading.given(given) == {"statement": "a", "tags": ("b",)}


def test_filters_become_selections() -> None:
    assert reading.selection(None) == reading.selection(inputs.MemoryFilter())
    start = datetime(2026, 1, 1, tzinfo=UTC)
    chosen = reading.selection(inputs.MemoryFilter(tag="a", during=inputs.Period(start=start)))
    assert (chosen.tag, chosen.occurred_from, chosen.occurred_to) == ("a", start, None)
