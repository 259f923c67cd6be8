"""Memories and edges as flat properties, without a server: nothing is lost, and hand edits break nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from neo4j.time import DateTime

from graphmem.adapters.neo4j.properties import VECTORS, properties_of, stored_from
from graphmem.adapters.neo4j.relationships import edge_properties, owned_from
from graphmem.adapters.neo4j.service_nodes import job_from, job_properties, record_from, record_properties
from graphmem.adapters.neo4j.values import UNREADABLE, moment, numbers, signed, unsigned, vector
from graphmem.domain.causation import Edge
from graphmem.domain.encoding import edge_digest, memory_digest, memory_json
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, Result, RootCause, SearchField, State, Writer
from tests.builders import (
    NS,
    at,
    caused,
    evidence,
    fact,
    failure,
    full_experience,
    full_memories,
    generalizes,
    job,
    pattern,
    record,
    refuted,
    supersedes,
)

MEMORIES = (*full_memories(), fact(), failure(), pattern(), failure("", writer=Writer(id="", trust=0.0)))


def written(memory: Memory) -> dict[str, Any]:
    return properties_of(memory, signed(memory_digest(memory)))


@pytest.mark.parametrize("memory", MEMORIES, ids=lambda memory: memory.kind)
def test_a_memory_comes_back_from_its_properties(memory: Memory) -> None:
    stored = stored_from(written(memory))
    assert stored is not None
    assert (stored.memory, stored.digest) == (memory, memory_digest(memory))
    assert memory_json(stored.memory) == memory_json(memory)


@pytest.mark.parametrize("memory", MEMORIES, ids=lambda memory: memory.kind)
def test_properties_are_what_neo4j_can_hold(memory: Memory) -> None:
    for value in written(memory).values():
        items = value if isinstance(value, list) else [value]
        assert all(isinstance(item, str | int | float | datetime) for item in items)
        assert len({type(item) for item in items}) <= 1


def test_a_person_finds_the_parts_by_name() -> None:
    shown = written(full_experience(ref="E-7"))
    assert {name: shown[name] for name in ("kind", "ref", "result", "state", "error_type", "correction")} == {
        "kind": "EXPERIENCE",
        "ref": "E-7",
        "result": "FAILURE",
        "state": "QUARANTINED",
        "error_type": "IndexError",
        "correction": "空数组要返回空结果",
    }
    assert shown["root_cause"] == "nobody asked for the length"
    assert shown["root_cause_type"] == "INFORMATION_GAP"
    assert (shown["writer_id"], shown["writer_channel"], shown["writer_trust"]) == ("writer-1", "TOOL", 0.25)
    assert shown["text"].startswith("copy the file\n空数组")
    assert shown["tags"] == ["b", "a", "租户"]
    assert shown["occurred_at"] == at(-3600.5)
    assert set(VECTORS.values()) & shown.keys() == {"situation_embedding", "outcome_embedding"}


def test_what_is_empty_takes_no_room() -> None:
    shown = written(fact())
    assert not {"session_id", "tags", "metadata", "valid_from", "embedding", "subject"} & shown.keys()


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        ({"state": "GONE"}, {"state": State.ACTIVE}),
        ({"tags": "not a list"}, {"tags": ()}),
        ({"tags": [1, 2]}, {"tags": ()}),
        ({"metadata": "{not json"}, {"metadata": {}}),
        ({"metadata": "[1]"}, {"metadata": {}}),
        (
            {"writer_trust": "much", "writer_id": None},
            {"writer": Writer(channel=full_experience().writer.channel)},
        ),
        ({"root_cause": None}, {"root_cause": None}),
        ({"root_cause_deviated_at": "third"}, {}),
        ({"version": True}, {"version": 1}),
        ({"note": "by hand", "extra": [1.5]}, {}),
    ],
    ids=repr,
)
def test_an_edited_property_is_read_as_if_it_were_missing(
    edited: dict[str, Any], expected: dict[str, Any]
) -> None:
    memory = full_experience()
    stored = stored_from(
        {name: value for name, value in (written(memory) | edited).items() if value is not None}
    )
    assert stored is not None
    read: Any = stored.memory
    if "root_cause_deviated_at" in edited:
        assert isinstance(read.root_cause, RootCause)
        assert read.root_cause.deviated_at is None
    else:
        assert read == replace(memory, **expected)


@pytest.mark.parametrize(
    "edited",
    [
        {"kind": "PLAN"},
        {"kind": None},
        {"action": 7},
        {"result": "MAYBE"},
        {"occurred_at": "yesterday"},
        {"occurred_at": datetime(2026, 1, 1)},
        {"recorded_at": None},
        {"id": 5},
        {"digest": "x"},
    ],
    ids=repr,
)
def test_what_is_no_memory_any_more_is_left_out(edited: dict[str, Any]) -> None:
    assert stored_from(written(failure()) | edited) is None


def test_a_node_that_was_made_by_hand_is_no_memory() -> None:
    assert stored_from({}) is None
    assert stored_from({"title": "mine", "namespace": NS, "id": "1"}) is None


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([], b""),
        ([float("nan")] * 3, vector([float("nan")] * 3)),
        ([1, 2], vector([1.0, 2.0])),
        ([0.1] * 256, vector([0.1] * 256)),
    ],
    ids=["empty", "nan", "integers", "another length"],
)
def test_bad_vectors_pass_for_the_index_to_report(values: list[Any], read: bytes) -> None:
    stored = stored_from(written(fact()) | {"embedding": values})
    assert stored is not None
    assert dict(stored.memory.vectors) == {SearchField.TEXT: read}


@pytest.mark.parametrize("values", ["text", 7, None, ["a"], [1e300], [None]], ids=repr)
def test_what_is_no_vector_is_none(values: Any) -> None:
    stored = stored_from(written(fact()) | {"embedding": values})
    assert stored is not None
    assert dict(stored.memory.vectors) == {}


def test_vectors_are_bit_equal() -> None:
    bits = bytes(range(256)) * 4
    sane = b"".join(bits[i : i + 4] for i in range(0, 1024, 4) if bits[i + 3] & 0x7F != 0x7F)
    assert vector(numbers(sane)) == sane
    with pytest.raises(BadInputError):
        numbers(b"abc")


@pytest.mark.parametrize("digest", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_digests_fit_into_signed_numbers(digest: int) -> None:
    assert -(2**63) <= signed(digest) < 2**63
    assert unsigned(signed(digest)) == digest


def test_times_are_in_utc_to_the_microsecond() -> None:
    east = timezone(timedelta(hours=8))
    shown = written(fact(occurred_at=datetime(2026, 3, 1, 8, 0, 0, 7, tzinfo=east)))
    assert shown["occurred_at"].utcoffset() == timedelta(0)
    assert moment(DateTime(2026, 3, 1, 0, 0, 0, 7000, tzinfo=UTC)) == shown["occurred_at"]
    with pytest.raises(BadInputError):
        written(fact(occurred_at=datetime(2026, 3, 1)))


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-03-01T00:00:00.000007Z", datetime(2026, 3, 1, 0, 0, 0, 7, tzinfo=UTC)),
        ("2026-03-01T08:00:00.5+08:00[Asia/Shanghai]", datetime(2026, 3, 1, 0, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-03-01T00:00:00.123456789Z[UTC]", datetime(2026, 3, 1, 0, 0, 0, 123_456, tzinfo=UTC)),
        ("1900-01-01T08:05:43+08:05:43[Asia/Shanghai]", datetime(1900, 1, 1, tzinfo=UTC)),
    ],
)
def test_the_text_of_a_time_is_read_as_the_time(text: str, time: datetime) -> None:
    assert moment(text) == time
    assert moment(text).utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-03-01", "2026-03-01T00:00:00", "+12345-01-01T00:00:00Z"]
)
def test_the_text_of_no_time_is_refused(text: str) -> None:
    with pytest.raises(UNREADABLE):
        moment(text)


EDGES: tuple[Edge, ...] = (
    caused(
        failure(),
        fact(),
        lag_ms=-5,
        evidence=(evidence(0.25, note="备注"), evidence()),
        verdicts=(refuted(),),
    ),
    generalizes(pattern(), failure()),
    supersedes(fact(), fact()),
)


def row(edge: Edge) -> dict[str, Any]:
    ends = {"kind": edge.kind.value, "from_id": edge.from_id, "to_id": edge.to_id}
    return ends | {"edge": edge_properties(NS, edge)}


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.kind)
def test_an_edge_comes_back_from_its_properties(edge: Edge) -> None:
    owned = owned_from(row(edge))
    assert owned is not None
    assert (owned.edge, owned.digest) == (edge, edge_digest(edge))


def test_a_person_sees_how_well_an_edge_is_supported() -> None:
    shown = edge_properties(NS, caused(failure(), fact()))
    assert (shown["active"], shown["grade"], shown["confidence"]) == (True, "ASSERTED", 0.75)
    shown = edge_properties(NS, EDGES[0])
    assert (shown["active"], shown["grade"], shown["confidence"]) == (False, "REFUTED", 0.0)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.kind)
def test_a_relationship_that_was_drawn_by_hand_is_left_out(edge: Edge) -> None:
    assert owned_from(row(edge) | {"edge": {}}) is None
    assert owned_from(row(edge) | {"edge": {"note": "mine"}}) is None
    assert owned_from(row(edge) | {"kind": "LIKES"}) is None


def test_records_and_jobs_come_back() -> None:
    kept, work = (
        record(subject="m", body={"a": [1, {"b": None}]}),
        job(lease_until=at(5), owner="w", attempt=3),
    )
    assert record_from(record_properties(NS, kept)) == kept
    assert job_from(job_properties(NS, work)) == work
    assert record_from({}) is None
    assert job_from({"id": "1", "kind": "SLEEP"}) is None


def test_results_stay_what_they_are() -> None:
    for result in Result:
        stored = stored_from(written(failure(result=result)))
        assert stored is not None
        assert stored.memory == replace(stored.memory, result=result)  # type: ignore[call-arg]
