"""Unit tests of graphmem.domain.encoding."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.causation import Edge, Grade
from graphmem.domain.encoding import (
    canonical,
    decode,
    digest,
    edge_digest,
    edge_from_json,
    edge_json,
    encode,
    memory_digest,
    memory_from_json,
    memory_json,
)
from graphmem.domain.memories import Experience, Memory, Result, SearchField
from graphmem.domain.records import EmbeddingSpace, SpaceParameters
from tests.builders import (
    at,
    caused,
    confirmed,
    evidence,
    experience,
    fact,
    failure,
    full_experience,
    full_memories,
    generalizes,
    pattern,
    refuted,
    strategy,
    supersedes,
    vector,
)

BARE = (fact(), experience(), pattern(), strategy())
EDGES: tuple[Edge, ...] = (
    caused(failure(), fact()),
    caused(failure(), fact(), evidence=(), lag_ms=-(2**40)),
    caused(
        failure(),
        fact(),
        evidence=tuple(evidence(0.1 * grade, grade=grade, note="备注") for grade in Grade),
        verdicts=(refuted(1), confirmed(2)),
    ),
    generalizes(pattern(), failure()),
    supersedes(fact(), fact()),
)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
moments = st.datetimes(timezones=st.just(UTC))


def plain(memory: Memory) -> Memory:
    """A memory without what its JSON leaves out."""
    return replace(memory, vectors={}, revision=0)


@pytest.mark.parametrize("memory", [*BARE, *full_memories()], ids=lambda item: item.kind.value)
def test_a_memory_survives(memory: Memory) -> None:
    stored = replace(memory, revision=9)
    assert memory_from_json(memory_json(stored)) == plain(memory)
    assert memory_json(memory_from_json(memory_json(stored))) == memory_json(stored)
    beside = {"revision": stored.revision, "vectors": stored.vectors}
    assert memory_from_json(memory_json(stored), **beside) == stored


@pytest.mark.parametrize("edge", EDGES)
def test_an_edge_survives(edge: Edge) -> None:
    assert edge_from_json(edge_json(edge)) == edge
    assert type(edge_from_json(edge_json(edge))) is type(edge)


@given(texts, texts, st.lists(texts, max_size=3), moments)
def test_any_text_and_time_survives(action: str, context: str, tags: list[str], when: datetime) -> None:
    memory = experience(action, context=context, tags=tuple(tags), occurred_at=when)
    assert memory_from_json(memory_json(memory)) == memory


def test_defaults_are_left_out() -> None:
    assert set(json.loads(memory_json(fact("so it is")))) == {
        "id",
        "kind",
        "namespace",
        "occurred_at",
        "recorded_at",
        "statement",
    }


def test_required_fields_stay_even_when_empty() -> None:
    assert '"statement":""' in memory_json(fact(""))


def test_canonical_text_has_sorted_keys_and_no_spaces() -> None:
    assert canonical({"b": [1, None, True], "a": {"d": "文", "c": 0.5}}) == (
        '{"a":{"c":0.5,"d":"文"},"b":[1,null,true]}'
    )


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_json_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"n": number})


def test_times_are_written_in_utc_with_microseconds() -> None:
    east = datetime(2026, 3, 1, 8, 0, tzinfo=timezone(timedelta(hours=8)))
    assert encode(east) == "2026-03-01T00:00:00.000000+00:00"
    assert memory_json(fact(id="i", occurred_at=east)) == memory_json(
        fact(id="i", occurred_at=east.astimezone(UTC))
    )


def test_enums_are_written_by_value_and_grades_by_name() -> None:
    assert encode(Result.FAILURE) == "FAILURE"
    assert encode(Grade.ASSERTED) == "ASSERTED"


def test_the_order_in_which_metadata_was_filled_does_not_matter() -> None:
    first, second = fact(id="i", metadata={"a": 1, "b": 2}), fact(id="i", metadata={"b": 2, "a": 1})
    assert memory_digest(first) == memory_digest(second)


def test_a_digest_has_64_bits() -> None:
    values = [digest(str(number)) for number in range(200)]
    assert all(0 <= value < 2**64 for value in values)
    assert max(values) > 2**63
    assert len(set(values)) == 200


def test_a_digest_is_the_same_for_ever() -> None:
    assert digest("") == int.from_bytes(bytes.fromhex("e4a6a0577479b2b4"), "little")
    assert digest("a", b"b") == digest("a", b"b")


def test_blobs_are_parted() -> None:
    assert len({digest("a", b"bc"), digest("a", b"b", b"c"), digest("a", b"", b"bc"), digest("abc")}) == 4


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest("\ud800") != digest("?")


def test_the_revision_is_not_in_the_digest() -> None:
    assert memory_digest(fact(id="i", revision=1)) == memory_digest(fact(id="i", revision=2))


CHANGES: dict[str, Any] = {
    "title": "x",
    "ref": "E-9",
    "namespace": "other",
    "occurred_at": at(1),
    "recorded_at": at(1),
    "tags": ("x",),
    "metadata": {"n": 1},
    "version": 2,
    "action": "x",
    "result": Result.PARTIAL,
    "context": "x",
    "root_cause": None,
    "informed_by": (),
    "vectors": {SearchField.SITUATION: vector(0.6, 0.8)},
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_changes_the_digest(name: str) -> None:
    memory: Experience = full_experience()
    assert memory_digest(replace(memory, **{name: CHANGES[name]})) != memory_digest(memory)


def test_vectors_of_two_fields_are_not_exchanged() -> None:
    one, two = vector(1.0), vector(0.5)
    first = failure(id="i", vectors={SearchField.SITUATION: one, SearchField.OUTCOME: two})
    second = failure(id="i", vectors={SearchField.SITUATION: two, SearchField.OUTCOME: one})
    again = failure(id="i", vectors={SearchField.OUTCOME: two, SearchField.SITUATION: one})
    assert memory_digest(first) != memory_digest(second)
    assert memory_digest(first) == memory_digest(again)


def test_evidence_and_verdicts_are_in_the_digest() -> None:
    effect, cause = failure(), fact()
    edges = (
        caused(effect, cause),
        caused(effect, cause, evidence=()),
        caused(effect, cause, verdicts=(refuted(1),)),
        caused(effect, cause, verdicts=(confirmed(1),)),
        caused(cause, effect),
        supersedes(effect, cause),
    )
    assert len({edge_digest(edge) for edge in edges}) == len(edges)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"kind":"NONE"}', '{"kind":"FACT","id":1,"what":2}'])
def test_other_data_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        memory_from_json(text)


def test_parameters_of_a_space_come_back_with_their_means() -> None:
    space = EmbeddingSpace(provider="p", model="m", revision="r1", dimension=2)
    parameters = SpaceParameters(space=space, mu=0.1, sd=0.2, mean={"zh": (0.5, -0.5), "en": (1.0, 0.0)})
    assert decode(SpaceParameters, encode(parameters)) == parameters
