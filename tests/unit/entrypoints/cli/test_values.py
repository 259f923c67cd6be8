"""What is typed becomes a value, or is refused by the name of its option."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmem.domain.causation import CauseEdge
from graphmem.domain.drafts import CauseRef
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Channel, Result
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.values import moment_of, now, writer_of
from graphmem.entrypoints.plain import cause_of
from tests.builders import T0, caused, confirmed, evidence, failure, full_memories, refuted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("7d", T0 - timedelta(days=7)),
        ("90 m", T0 - timedelta(minutes=90)),
        ("2w", T0 - timedelta(weeks=2)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T08:30:00Z", datetime(2026, 3, 1, 8, 30, tzinfo=UTC)),
        ("2026-03-01T08:30:00+08:00", datetime(2026, 3, 1, 0, 30, tzinfo=UTC)),
    ],
)
def test_times_and_ages_are_read(text: str, expected: datetime | None) -> None:
    assert moment_of("since", text, T0) == expected


@pytest.mark.parametrize(
    "text", ["yesterday", "7 days", "2026-13-01", "d", "999999w", "2026-03-01T25:00:00Z"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="is no time") as refused:
        moment_of("since", text, T0)
    assert refused.value.field == "since"
    assert "7d" in refused.value.remedy


def test_a_time_without_a_zone_is_left_for_the_service_to_refuse() -> None:
    read = moment_of("since", "2026-03-01T08:30:00", T0)
    assert read is not None
    assert read.tzinfo is None


def test_now_has_a_zone() -> None:
    assert now().tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("E-3", CauseRef(id="E-3")),
        ("key:run:7", CauseRef(key="run:7")),
        ("text:index out of range", CauseRef(text="index out of range")),
        ("01a2-id", CauseRef(id="01a2-id")),
    ],
)
def test_a_cause_is_named_in_one_of_three_ways(text: str, ref: CauseRef) -> None:
    assert cause_of(text) == ref


def test_a_cause_carries_confidence_and_note() -> None:
    assert cause_of("E-3", 0.4, "seen") == CauseRef(id="E-3", confidence=0.4, note="seen")


def test_the_command_line_signs_where_nobody_does() -> None:
    assert writer_of("", Channel.USER).id == "cli"
    assert writer_of("anna", Channel.USER).id == "anna"
    assert writer_of("anna", Channel.USER).channel is Channel.USER


def test_memories_become_data_with_kind_and_text_and_without_vectors() -> None:
    for memory in full_memories():
        data = as_data(memory)
        assert data["kind"] == memory.kind.value
        assert data["text"] == memory.text
        assert data["occurred_at"] == memory.occurred_at.isoformat()
        assert "vectors" not in data


def test_enums_are_told_by_name() -> None:
    assert as_data(Result.FAILURE) == "FAILURE"
    assert as_data(evidence())["grade"] == "ASSERTED"


def test_a_cause_edge_tells_what_it_is_worth() -> None:
    edge: CauseEdge = caused(failure(), failure())
    assert (as_data(edge)["grade"], as_data(edge)["confidence"], as_data(edge)["active"]) == (
        "ASSERTED",
        0.75,
        True,
    )
    gone = caused(failure(), failure(), verdicts=(confirmed(), refuted(1)))
    assert (as_data(gone)["grade"], as_data(gone)["active"]) == (None, False)
