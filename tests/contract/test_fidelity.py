"""Laws of fidelity: what comes back is what was written, to the byte, the bit and the microsecond."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.domain.causation import Grade, VerdictKind
from graphmem.domain.encoding import memory_digest, memory_json
from graphmem.domain.memories import Channel, Memory, SearchField, Writer
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    at,
    caused,
    changed,
    evidence,
    experience,
    fact,
    failure,
    full_memories,
    generalizes,
    pattern,
    record,
    request,
    vector,
    verdict,
)
from tests.contract.reading import edges_of, found, graph, one, put, records_of

TEXTS = {
    "chinese": "空数组要返回空结果，不要抛异常——「租户」",
    "emoji": "👩🏽‍🚀🧠🇨🇳 ok",
    "composed or not": "é e\u0301 ﬁ Å A\u030a",
    "white space": " \t lead\r\nline\rline\n\n trail \u00a0\u2028\u2029 ",
    "controls": "\x01\x07\x1b[31m\x7f\ufeff\u200b\u202e",
    "quotes": """'}) DETACH DELETE n // `a` "b" \\ %s {x} $1 ?1 :k --""",
    "high planes": "𠮷𡨴\U0010fffd",
    "json": '{"a": [1, null]}\\u0000\\ud800',
    "long": "长" * 64_988 + " zebrafish77",
    "long ascii": "x" * 65_000,
    "number": "007",
    "null": "null",
}
FLOATS = (1.0, -0.0, 1e-45, -1.17549435e-38, 3.4028235e38, 0.1, 1 / 3, 2**-24)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_text_is_byte_equal(store: MemoryStore, text: str) -> None:
    """Every text field comes back byte-equal: any language, any length up to the limit, any punctuation."""
    fields = {"context": text, "output": text, "expected": text, "correction": text, "trace": text}
    written = failure(text, title=text[:60], **fields)
    put(store, written)
    read = one(store, written)
    assert {name: getattr(read, name) for name in fields} == fields
    assert read.action.encode() == text.encode()
    assert read.title == text[:60]


@pytest.mark.parametrize("text", [text for text in TEXTS.values() if len(text) < 200])
def test_short_fields_are_byte_equal(store: MemoryStore, text: str) -> None:
    """Tags, keys, sessions, metadata, notes and record bodies come back byte-equal, and find it again."""
    written = failure(tags=(text, "x"), session_id=text, task_id=text, metadata={text: [text, {text: text}]})
    cause, kept = fact(), record(body={text: text}, subject=written.id)
    edge = caused(written, cause, evidence=(evidence(note=text),))
    put(store, written, cause, edges=(edge,), records=(kept,), requests=(request(text, written, text),))
    read = one(store, written)
    assert (read.tags, read.session_id, read.metadata) == (written.tags, text, written.metadata)
    assert edges_of(store) == [edge]
    assert records_of(store, RecordKind.SERVED) == [kept]
    stored = store.receipt(NS, text)
    assert stored is not None
    assert (stored.key, stored.payload_hash) == (text, text)
    assert [item.id for item in found(store, tag=text, session_id=text, task_id=text)] == [written.id]


@pytest.mark.parametrize("index", range(4), ids=["fact", "experience", "pattern", "strategy"])
def test_every_field_comes_back(store: MemoryStore, index: int) -> None:
    """A memory of any kind with every field filled comes back equal, its ref and revision added."""
    written = full_memories()[index]
    (stored,) = put(store, written)
    expected = changed(written, ref=stored.ref, revision=1).memory
    assert stored == expected
    assert one(store, written) == expected
    assert graph(store)[written.id][0] == expected
    assert found(store) == [expected]


@pytest.mark.parametrize("index", range(4), ids=["fact", "experience", "pattern", "strategy"])
def test_the_canonical_form_comes_back(store: MemoryStore, index: int) -> None:
    """Canonical JSON and digest of what is read are those of what was written: copies can be checked."""
    (stored,) = put(store, full_memories()[index])
    read = one(store, stored)
    assert memory_json(read) == memory_json(stored)
    assert memory_digest(read) == memory_digest(stored)


@pytest.mark.parametrize("size", [1, 7, 384, 1024])
def test_vectors_are_bit_equal(store: MemoryStore, size: int) -> None:
    """Vectors of any length come back bit for bit, negative zero and the smallest numbers included."""
    numbers = [FLOATS[index % len(FLOATS)] for index in range(size)]
    vectors = {SearchField.SITUATION: vector(*numbers), SearchField.OUTCOME: vector(*reversed(numbers))}
    written = failure(vectors=vectors)
    put(store, written)
    assert dict(one(store, written).vectors) == vectors
    assert dict(graph(store)[written.id][0].vectors) == vectors
    assert struct.unpack(f"<{size}f", one(store, written).vectors[SearchField.SITUATION])[0] == numbers[0]


def test_vectors_follow_updates(store: MemoryStore) -> None:
    """An update stores exactly the vectors it carries: others, fewer or none."""
    both = {SearchField.SITUATION: vector(1.0), SearchField.OUTCOME: vector(0.5)}
    written = failure(vectors=both)
    (read,) = put(store, written)
    for vectors in ({SearchField.OUTCOME: vector(0.25)}, both, {}):
        (read,) = put(store, update=(changed(read, vectors=vectors),))
        assert dict(one(store, written).vectors) == vectors


def test_vectors_survive_what_does_not_carry_them(store: MemoryStore) -> None:
    """Edges and recounts leave the vectors of their ends alone."""
    lesson = pattern(vectors={SearchField.TEXT: vector(0.5, 0.25)})
    member = failure(vectors={SearchField.SITUATION: vector(1.0, 0.0)})
    put(store, lesson, member)
    put(store, edges=(generalizes(lesson, member),))
    assert dict(one(store, lesson).vectors) == dict(lesson.vectors)
    assert dict(one(store, member).vectors) == dict(member.vectors)


@pytest.mark.parametrize(
    "when",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=UTC),
        datetime(2038, 1, 19, 3, 14, 8, 654321, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 10, 25, 2, 30, 0, 7, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    ],
)
def test_times_are_exact(store: MemoryStore, when: datetime) -> None:
    """Times of every kind come back to the microsecond, in UTC, from the first year to the last."""
    written = fact(occurred_at=when, recorded_at=when, valid_from=when, valid_to=when)
    effect = failure()
    edge = caused(effect, written, recorded_at=when)
    put(store, written, effect, edges=(edge,), records=(record(at=when),))
    read = one(store, written)
    times = (read.occurred_at, read.recorded_at, read.valid_from, read.valid_to)
    assert times == (when,) * 4
    assert {item.utcoffset() for item in times} == {timedelta(0)}
    assert edges_of(store) == [edge]
    assert records_of(store, RecordKind.SERVED)[0].at == when
    assert written.id in {item.id for item in found(store, occurred_from=when)}
    assert written.id not in {item.id for item in found(store, occurred_to=when)}


@pytest.mark.parametrize(
    "value",
    [
        2**63 - 1,
        -(2**63),
        9_007_199_254_740_993,
        0,
        True,
        False,
        None,
        0.1,
        1e308,
        5e-324,
        -0.0,
        1.0,
        "",
        [],
        {},
        [[], [1, 1.0, True, "1", None]],
        {"a": {"b": {"c": [{}]}}},
    ],
    ids=repr,
)
def test_metadata_is_exact(store: MemoryStore, value: Any) -> None:
    """Metadata and record bodies keep 64-bit integers, floats, truth values and nesting with their types."""
    written, kept = fact(metadata={"value": value}), record(body={"value": value})
    put(store, written, records=(kept,))
    assert repr(one(store, written).metadata["value"]) == repr(value)
    assert repr(records_of(store, RecordKind.SERVED)[0].body["value"]) == repr(value)


def test_evidence_and_verdicts_are_exact(store: MemoryStore) -> None:
    """Grades, confidences, notes, verdicts and lag of an edge come back equal."""
    effect, cause = put(store, failure(), fact())
    edge = caused(
        effect,
        cause,
        recorded_at=at(0.000007),
        lag_ms=-(2**40),
        evidence=tuple(evidence(0.1 * grade, grade=grade, note="n\n备注") for grade in Grade),
        verdicts=tuple(verdict(kind, index, "因为 'x'") for index, kind in enumerate(VerdictKind)),
    )
    put(store, edges=(edge,))
    assert edges_of(store) == [edge]
    assert graph(store)[effect.id][1] == [edge]


@pytest.mark.parametrize("trust", [0.0, 1e-9, 0.1, 1 / 3, 1.0])
def test_writers_are_exact(store: MemoryStore, trust: float) -> None:
    """Who wrote a memory, through what and how far trusted, comes back equal."""
    written = fact(writer=Writer("o'neil 🧠", Channel.IMPORT, trust))
    put(store, written)
    assert one(store, written).writer == written.writer


_keys = st.text("ab租'\"`", max_size=3)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3),
    max_leaves=8,
)
_text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=60)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=_text,
    metadata=st.dictionaries(_text, _json, max_size=3),
    tags=st.lists(_text, max_size=3, unique=True),
)
def test_whatever_is_written_comes_back(
    store: MemoryStore, text: str, metadata: dict[str, Any], tags: list[str]
) -> None:
    """Any text, metadata and tags that the doors let through come back equal."""
    written: Memory = experience(text, context=text, tags=tuple(tags), metadata=metadata, task_type=text)
    (stored,) = put(store, written)
    read = one(store, written)
    assert read == stored
    assert memory_json(read) == memory_json(changed(written, ref=stored.ref).memory)
