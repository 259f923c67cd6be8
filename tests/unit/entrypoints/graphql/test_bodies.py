"""Bodies and headers: strict, limited, and refused with JSON that says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.entrypoints.graphql import bodies
from tests.unit.entrypoints.graphql.door import Door, opened

PLAIN = "{ status { revision } }"
BODY = json.dumps({"query": PLAIN}).encode()


def nested(depth: int) -> bytes:
    """A body whose variables bring it to a depth."""
    return (
        b'{"query": "{ __typename }", "variables": {"a": ' + b"[" * (depth - 2) + b"]" * (depth - 2) + b"}}"
    )


REFUSED = {
    "null": (b"null", 400, "BAD_INPUT"),
    "a number": (b"5", 400, "BAD_INPUT"),
    "a text": (b'"{ status { revision } }"', 400, "BAD_INPUT"),
    "a batch": (b"[" + BODY + b"," + BODY + b"]", 400, "BAD_INPUT"),
    "nothing": (b"", 400, "BAD_INPUT"),
    "an empty object": (b"{}", 400, "BAD_INPUT"),
    "no JSON": (b"{status{revision}}", 400, "BAD_INPUT"),
    "a query that is no text": (b'{"query": 5}', 400, "BAD_INPUT"),
    "an empty query": (b'{"query": ""}', 400, "BAD_INPUT"),
    "variables that are no object": (b'{"query": "{ __typename }", "variables": []}', 400, "BAD_INPUT"),
    "an operation name that is no text": (
        b'{"query": "{ __typename }", "operationName": 5}',
        400,
        "BAD_INPUT",
    ),
    "an unknown operation name": (b'{"query": "{ __typename }", "operationName": "A"}', 400, "BAD_INPUT"),
    "the same key twice": (b'{"query": "{ __typename }", "query": "{ __typename }"}', 400, "BAD_INPUT"),
    "NaN": (b'{"query": "{ __typename }", "variables": {"a": NaN}}', 400, "BAD_INPUT"),
    "infinity": (b'{"query": "{ __typename }", "variables": {"a": -Infinity}}', 400, "BAD_INPUT"),
    "5,000 digits": (
        b'{"query": "{ __typename }", "variables": {"a": ' + b"9" * 5_000 + b"}}",
        400,
        "BAD_INPUT",
    ),
    "invalid UTF-8": (b'{"query": "{ __typename \xff }"}', 400, "BAD_INPUT"),
    "UTF-16": (BODY.decode().encode("utf-16"), 400, "BAD_INPUT"),
    "UTF-8 with a mark": (b"\xef\xbb\xbf" + BODY, 400, "BAD_INPUT"),
    "33 deep": (nested(33), 413, "TOO_LARGE"),
    "3,000 deep": (b"[" * 3_000 + b"]" * 3_000, 413, "TOO_LARGE"),
    "100,000 deep": (b'{"a":' * 100_000, 413, "TOO_LARGE"),
    "one byte too many": (BODY + b" " * (bodies.MAX_BODY + 1 - len(BODY)), 413, "TOO_LARGE"),
    "20 MB": (b" " * 20_000_000, 413, "TOO_LARGE"),
}


@pytest.mark.parametrize(("body", "status", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_bodies_are_refused(door: Door, body: bytes, status: int, code: str) -> None:
    """4xx, a code and a remedy; the next request is answered."""
    answer = door.send(body)
    assert (answer.status, answer.code) == (status, code)
    assert answer.errors[0]["extensions"]["remedy"]
    assert answer.headers["x-request-id"]
    assert door.get(PLAIN) == {"revision": 0}


@pytest.mark.parametrize("body", [BODY, nested(32), BODY + b" " * (bodies.MAX_BODY - len(BODY))])
def test_bodies_at_the_limits_are_read(door: Door, body: bytes) -> None:
    assert door.send(body).status == 200


def test_a_body_without_announced_length_is_limited_too(door: Door) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(30):
            yield b" " * 100_000

    answer = door.client.post("/graphql", content=parts(), headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (413, "TOO_LARGE")


@pytest.mark.parametrize(
    "media",
    [
        "",
        "text/plain",
        "text/application/json",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/graphql",
    ],
)
def test_only_json_is_taken(door: Door, media: str) -> None:
    """A form of a foreign web page can send other types without asking; JSON it cannot."""
    answer = door.send(BODY, content_type=media)
    assert (answer.status, answer.code) == (415, "BAD_INPUT")


@pytest.mark.parametrize(
    "media", ["application/json", "Application/JSON; charset=UTF-8", "application/json;"]
)
def test_json_is_taken_however_it_is_written(door: Door, media: str) -> None:
    assert door.send(BODY, content_type=media).status == 200


def test_queries_in_the_address_are_refused(door: Door) -> None:
    answer = door.client.get("/graphql", params={"query": PLAIN})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "revision" not in answer.text


def test_other_methods_are_refused(door: Door) -> None:
    assert {door.client.request(name, "/graphql").status_code for name in ("PUT", "DELETE", "PATCH")} == {405}


def test_the_address_needs_no_slash(door: Door) -> None:
    """No redirect: clients would lose the body."""
    assert door.send(BODY).status == 200


def test_get_says_how_to_ask(door: Door) -> None:
    page = door.client.get("/graphql")
    assert page.status_code == 200
    assert "curl http://127.0.0.1:8000/graphql" in page.text
    assert "graphmem-namespace" in page.text


NAMES = [
    "acpt-probe",
    "0190d3c1-7b1e-7c3a-9d57-0c6a3f0f4b1e",
    "A",
    "a",
    "a ",
    " a",
    "租户",
    "é",
    "e\u0301",
    "../x",
    "%",
]


def test_what_can_be_written_in_a_namespace_can_be_found_there_and_only_there(door: Door) -> None:
    """Bug case 12: names are compared byte by byte and never mean all."""
    for name in NAMES:
        door.fact(f"canary of {name!r}", namespace=name)
    for name in NAMES:
        found = door.run("recall", namespace=name, situation="canary")
        assert [hit["memory"]["text"] for hit in found["facts"]] == [f"canary of {name!r}"]
        assert door.run("status", namespace=name)["namespace"] == name


@pytest.mark.parametrize(
    "name", ["", "%00", "a%0Ab", "%FF", "%E7%A7", "%", "%zz", "a" * 129, "%ED%A0%80", "%C2%85"]
)
def test_names_that_are_none_are_refused(door: Door, name: str) -> None:
    answer = door.send(BODY, graphmem_namespace=name)
    assert (answer.status, answer.code, answer.field) == (400, "BAD_INPUT", "namespace")


def test_a_name_of_128_code_points_is_taken(door: Door) -> None:
    assert door.get("{ status { namespace } }", namespace="租" * 128) == {"namespace": "租" * 128}


def test_a_name_sent_raw_or_twice_is_refused(door: Door) -> None:
    kind = ("content-type", "application/json")
    for names in ([("graphmem-namespace", "租户".encode())], [("graphmem-namespace", "a")] * 2):
        sent = [
            (key.encode(), value if isinstance(value, bytes) else value.encode())
            for key, value in (*names, kind)
        ]
        answer = door.client.post("/graphql", content=BODY, headers=sent)
        assert answer.status_code == 400


def test_the_default_namespace_is_that_of_the_settings(tmp_path: Path) -> None:
    with opened(tmp_path, namespace="租户") as door:
        assert door.get("{ status { namespace } }") == {"namespace": "租户"}
