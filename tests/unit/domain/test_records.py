"""Unit tests of graphmem.domain.records."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from graphmem.domain.encoding import canonical, decode, encode
from graphmem.domain.records import EmbeddingSpace, Job, JobKind, JobState, Record, RecordKind
from tests.builders import at, job, record

SPACE = EmbeddingSpace("provider", "model", "rev-1", 384)


def test_a_job_waits_until_it_is_claimed() -> None:
    made = Job(id="j", kind=JobKind.EMBED, created_at=at())
    assert (made.state, made.owner, made.lease_until, made.attempt) == (JobState.PENDING, "", None, 0)


@pytest.mark.parametrize("name", [item.name for item in fields(EmbeddingSpace)])
def test_spaces_that_differ_in_anything_are_different(name: str) -> None:
    other = 7 if name == "dimension" else "other"
    assert replace(SPACE, **{name: other}) != SPACE


def test_a_space_is_a_key() -> None:
    assert {SPACE: 1}[EmbeddingSpace("provider", "model", "rev-1", 384)] == 1


def test_records_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        record().subject = "x"  # type: ignore[misc]


@pytest.mark.parametrize("kind", list(RecordKind))
def test_a_record_survives_encoding(kind: RecordKind) -> None:
    made = record(kind, subject="s", at=at(0.000001), body={"n": 2**62, "文": [1.5, None, {"b": True}]})
    assert decode(Record, json.loads(canonical(encode(made)))) == made


def test_a_job_survives_encoding() -> None:
    made = job(state=JobState.RUNNING, owner="w", lease_until=at(9), attempt=3, body={"cursor": "x"})
    assert decode(Job, json.loads(canonical(encode(made)))) == made
