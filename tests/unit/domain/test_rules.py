"""Unit tests of graphmem.domain.rules."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain import rules
from graphmem.domain.errors import BadInputError, TooLargeError
from graphmem.domain.memories import Level, State, Writer
from tests.builders import fact, failure


@pytest.mark.parametrize(
    ("episodes", "tight", "expected"),
    [
        (0, True, Level.NONE),
        (2, True, Level.NONE),
        (3, False, Level.MEDIUM),
        (4, True, Level.MEDIUM),
        (5, False, Level.MEDIUM),
        (5, True, Level.HIGH),
        (500, True, Level.HIGH),
    ],
)
def test_levels(episodes: int, tight: bool, expected: Level) -> None:
    assert rules.level(episodes, tight) is expected


@pytest.mark.parametrize("state", list(State))
def test_retracted_and_quarantined_members_are_no_evidence(state: State) -> None:
    counts = state in {State.ACTIVE, State.SUPERSEDED}
    assert rules.counts_as_evidence(failure(state=state)) is counts


@pytest.mark.parametrize("text", ["", " ", "空数组 🧠", "a\tb\r\n", "\u200b", "\x01", "𠮷" * rules.MAX_TEXT])
def test_text_is_let_through_unchanged(text: str) -> None:
    assert rules.check_text("action", text) is text


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x" * (rules.MAX_TEXT + 1), TooLargeError),
        ("a\0b", BadInputError),
        ("a\ud800b", BadInputError),
        ("\udfff", BadInputError),
    ],
)
def test_text_that_no_store_can_hold_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        rules.check_text("action", text)
    assert raised.value.field == "action"  # type: ignore[attr-defined]


@given(st.text())
def test_whatever_passes_is_utf8(text: str) -> None:
    try:
        rules.check_text("action", text)
    except BadInputError:
        assert "\0" in text or any("\ud800" <= char <= "\udfff" for char in text)
    else:
        assert text.encode().decode() == text


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_required_text_is_not_blank(text: str) -> None:
    with pytest.raises(BadInputError):
        rules.check_required("action", text)


@pytest.mark.parametrize("name", ["a", "A", "a ", "a-b", "租户", "../x", "x" * 128, "e\u0301", "0"])
def test_names_of_namespaces(name: str) -> None:
    assert rules.check_namespace(name) == name


@pytest.mark.parametrize("name", ["", None, 1, b"a", "x" * 129, "a\nb", "a\0", "\ud800", "\x7f", ["a"]])
def test_what_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(BadInputError) as raised:
        rules.check_namespace(name)
    assert raised.value.field == "namespace"


def test_times_come_out_in_utc() -> None:
    east = datetime(2026, 3, 1, 8, 0, 0, 1, tzinfo=timezone(timedelta(hours=8)))
    checked = rules.check_time("occurredAt", east)
    assert (checked, checked.tzinfo) == (east, UTC)


@pytest.mark.parametrize(
    "when",
    [
        datetime(2026, 3, 1, 8, 0),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=8))),
        datetime(9999, 12, 31, 23, 59, tzinfo=timezone(-timedelta(hours=8))),
    ],
)
def test_times_without_a_zone_or_outside_the_calendar_are_refused(when: datetime) -> None:
    with pytest.raises(BadInputError) as raised:
        rules.check_time("occurredAt", when)
    assert raised.value.field == "occurredAt"


def test_tags_are_distinct_in_the_order_given() -> None:
    assert rules.check_tags(["b", "a", "b", "租户"]) == ("b", "a", "租户")
    assert rules.check_tags(["a"] * 100) == ("a",)


@pytest.mark.parametrize(
    ("tags", "error", "field"),
    [
        ([str(number) for number in range(rules.MAX_TAGS + 1)], TooLargeError, "tags"),
        (["a", ""], BadInputError, "tags[1]"),
        (["x" * (rules.MAX_SHORT + 1)], TooLargeError, "tags[0]"),
        (["a", "b", "c\0"], BadInputError, "tags[2]"),
    ],
)
def test_bad_tags_are_named(tags: list[str], error: type[Exception], field: str) -> None:
    with pytest.raises(error) as raised:
        rules.check_tags(tags)
    assert raised.value.field == field  # type: ignore[attr-defined]


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [None, True, 2**63 - 1, -(2**63), 9007199254740993, 0.1, "文", [], {}, {"a": [{"b": 1}]}, nested(8)],
)
def test_metadata_that_json_and_64_bits_can_hold(value: Any) -> None:
    rules.check_metadata({"key": value})


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (2**63, BadInputError),
        (-(2**63) - 1, BadInputError),
        (math.nan, BadInputError),
        (math.inf, BadInputError),
        ([1, {"deep": -math.inf}], BadInputError),
        ("a\0", BadInputError),
        (["\ud800"], BadInputError),
        (b"bytes", BadInputError),
        ({1, 2}, BadInputError),
        (datetime(2026, 1, 1), BadInputError),
        (nested(9), TooLargeError),
    ],
)
def test_other_metadata_is_refused_by_name(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        rules.check_metadata({"good": 1, "bad": value})
    assert raised.value.field.startswith("metadata.bad")  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["", " ", "x" * 257, "a\0", "\ud800"])
def test_keys_of_metadata_are_short_texts(key: str) -> None:
    with pytest.raises((BadInputError, TooLargeError)):
        rules.check_metadata({key: 1})


@pytest.mark.parametrize("value", [1e-9, 0.5, 1, 1.0])
def test_confidences(value: float) -> None:
    assert rules.check_confidence("confidence", value) == value


@pytest.mark.parametrize("value", [0.0, -0.1, 1.0000001, math.nan, math.inf, -math.inf])
def test_what_is_no_confidence_is_refused(value: float) -> None:
    with pytest.raises(BadInputError):
        rules.check_confidence("confidence", value)


@pytest.mark.parametrize("first", [1, 50, rules.MAX_PAGE])
def test_page_sizes(first: int) -> None:
    assert rules.check_page(first) == first


@pytest.mark.parametrize("first", [0, -1, rules.MAX_PAGE + 1, 10**6])
def test_other_page_sizes_are_refused(first: int) -> None:
    with pytest.raises(BadInputError):
        rules.check_page(first)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", ""),
        (" \n ", ""),
        ("  one\ntwo", "one"),
        ("a \t b", "a b"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("长" * 80, "长" * 59 + "…"),
        ("x" * 58 + " yz", "x" * 58 + "…"),
    ],
)
def test_titles(text: str, title: str) -> None:
    assert rules.title_of(text) == title


@given(st.text())
def test_a_title_is_one_short_line(text: str) -> None:
    title = rules.title_of(text)
    assert len(title) <= rules.TITLE_LENGTH
    assert "\n" not in title


@pytest.mark.parametrize(
    ("error_type", "expected"),
    [
        ("", ""),
        ("KeyError", "keyerror"),
        ("java.lang.NullPointerException", "nullpointerexception"),
        ("HTTP 404  Not Found", "http 404 not found"),
        ("HTTP 503", "http 503"),
        ("HTTP/1.1 503", "http/1.1 503"),
        ("exit 137", "exit 137"),
        ("exit code: 137", "exit code: 137"),
        ("OSError [Errno 28]", "oserror [errno 28]"),
        ("status_code=429", "status_code=429"),
        ("状态码 500", "状态码 500"),
        ("状态码：401", "状态码:401"),
        ("狀態碼 401", "狀態碼 401"),
        ("ERROR 1045 (28000): access denied", "error 1045 (#): access denied"),
        ("ORA-00942", "ora-00942"),
        ("psycopg.errors.E23505", "e23505"),
        ("TS2345 in line 12", "ts2345 in line #"),
        ("port 5432 in use", "port # in use"),
        ("worker-3 died", "worker-# died"),
        ("request 7f31c of barcode 12345678", "request #f#c of barcode #"),
        ("row 401", "row #"),
        ("unicode 12", "unicode #"),
        ("http 10.0.0.1:80", "http #.#.#.#:#"),
        ("request 1234567 failed with code 7", "request # failed with code 7"),
        ("Segfault at 0xDEADBEEF", "segfault at #"),
        ("ＫｅｙＥｒｒｏｒ", "keyerror"),
        (" 空数组 ", "空数组"),
    ],
)
def test_error_classes(error_type: str, expected: str) -> None:
    assert rules.error_class(error_type) == expected


@pytest.mark.parametrize(
    "metadata",
    [
        {"a": {"\ud800": 1}},
        {"a": {"": 1}},
        {"a": [{"b": math.nan}]},
        {1: "number as key"},
        {"a": {2: "nested"}},
    ],
)
def test_metadata_is_checked_at_every_depth(metadata: dict[Any, Any]) -> None:
    with pytest.raises(BadInputError):
        rules.check_metadata(metadata)


@pytest.mark.parametrize(
    ("error_type", "expected"), [("Timeout.", "timeout"), ("a.b.KeyError", "keyerror"), (".", "")]
)
def test_error_class_ignores_outer_dots(error_type: str, expected: str) -> None:
    assert rules.error_class(error_type) == expected


def test_a_title_has_no_carriage_return() -> None:
    assert rules.title_of("first\r\nsecond") == "first"


@pytest.mark.parametrize(
    ("writers", "attested"),
    [
        ([], False),
        ([Writer("a", trust=0.49)], False),
        ([Writer("a", trust=0.49), Writer("a", trust=0.2)], False),
        ([Writer("a", trust=0.5)], True),
        ([Writer("a", trust=0.1), Writer("b", trust=0.1)], True),
    ],
)
def test_a_lesson_rests_on_two_voices_or_a_trusted_one(writers: list[Writer], attested: bool) -> None:
    assert rules.well_attested(writers) is attested


def test_what_was_informed_is_no_witness() -> None:
    assert rules.is_witness(failure())
    assert rules.is_witness(fact())
    assert not rules.is_witness(failure(informed_by=("f1",)))
    assert rules.counts_as_evidence(failure(informed_by=("f1",)))
