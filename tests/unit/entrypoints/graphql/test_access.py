"""Who may ask: tokens, origins, binds, and what a schema tells to those who may not read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from graphmem.domain.errors import BadInputError
from graphmem.entrypoints import access
from graphmem.entrypoints.graphql import app
from tests.unit.entrypoints.graphql.door import Door, opened

BODY = json.dumps({"query": "{ status { revision } }"}).encode()
TOKEN = "密-s3cret"


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
    ],
)
def test_a_missing_or_wrong_token_is_refused(tmp_path: Path, sent: str | None) -> None:
    with opened(tmp_path, token=TOKEN) as door:
        headers: dict[str, Any] = {"content-type": "application/json"}
        if sent is not None:
            headers["authorization"] = sent.encode()
        answer = door.client.post("/graphql", content=BODY, headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        (error,) = answer.json()["errors"]
        assert (error["extensions"]["code"], bool(error["extensions"]["remedy"])) == ("UNAUTHENTICATED", True)
        assert TOKEN not in answer.text


def test_the_right_token_is_let_in(tmp_path: Path) -> None:
    with opened(tmp_path, token="plain-token") as door:
        assert door.send(BODY, authorization="Bearer plain-token").status == 200
        assert door.send(BODY, authorization="bearer plain-token").status == 200
        assert door.client.get("/healthz").status_code == 200


def test_a_token_is_asked_for_before_the_body_is_read(tmp_path: Path) -> None:
    with opened(tmp_path, token="plain-token") as door:
        assert door.send(b"\xff" * 2_000_000).status == 401


@pytest.mark.parametrize(
    "origin", ["http://localhost:3000", "http://127.0.0.1:8000", "https://[::1]", "http://127.8.8.8"]
)
def test_pages_of_this_machine_may_ask(door: Door, origin: str) -> None:
    assert door.send(BODY, origin=origin).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "file://",
        "http://[::1",
        "chrome-extension://localhost",
    ],
)
def test_pages_of_other_places_may_not_ask(door: Door, origin: str) -> None:
    answer = door.send(BODY, origin=origin)
    assert (answer.status, answer.code) == (403, "FORBIDDEN")


def test_the_same_host_counts_only_with_a_token(tmp_path: Path) -> None:
    """Without one, a name that somebody pointed at 127.0.0.1 would be the same host as well."""
    mine = {"origin": "https://memory.example", "host": "memory.example"}
    (tmp_path / "open").mkdir()
    with opened(tmp_path / "open") as door:
        assert door.send(BODY, **mine).status == 403
    with opened(tmp_path, token="plain-token") as door:
        assert door.send(BODY, **mine, authorization="Bearer plain-token").status == 200
        other = mine | {"host": "other.example"}
        assert door.send(BODY, **other, authorization="Bearer plain-token").status == 403


def test_no_answer_invites_other_origins(door: Door) -> None:
    answer = door.send(BODY, origin="http://localhost:3000")
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(("host", "is_loopback"), [("localhost", True), ("127.0.0.1", True), ("::1", True)])
def test_loopback_hosts(host: str, is_loopback: bool) -> None:
    assert access.is_loopback(host) is is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_serving_beyond_loopback_needs_a_token(door: Door, host: str) -> None:
    with pytest.raises(BadInputError) as caught:
        app.serve(door.services, host, 8000)
    assert caught.value.field == "host"
    assert "GRAPHMEM_TOKEN" in caught.value.remedy


def test_serving_runs_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On loopback without a token, anywhere with one; addresses are not logged."""
    runs: list[dict[str, Any]] = []
    monkeypatch.setattr(app.uvicorn, "run", lambda served, **given: runs.append(given | {"app": served}))
    with opened(tmp_path) as door:
        app.serve(door.services, "127.0.0.1", 8123)
    with opened(tmp_path, token="plain-token") as door:
        app.serve(door.services, "0.0.0.0", 8124)
    assert [(run["host"], run["port"], run["access_log"]) for run in runs] == [
        ("127.0.0.1", 8123, False),
        ("0.0.0.0", 8124, False),
    ]
    assert all(isinstance(run["app"], Starlette) for run in runs)


def test_a_closed_schema_is_used_but_not_read(tmp_path: Path) -> None:
    with opened(tmp_path, introspection=False) as door:
        assert door.get("{ status { revision } }") == {"revision": 0}
        assert door.ask("{ __schema { types { name } } }").status == 400
        assert door.ask('{ __type(name: "Fact") { name } }').status == 400


@pytest.mark.parametrize(
    "document",
    [
        "{ recal }",
        "{ status { revisio } }",
        '{ memory(i: "x") { __typename } }',
        "{ memories(filter: {kind: FACT}) { nodes { id } } }",
        'mutation { recordExperience(input: {action: "a", result: FAILUR}) { __typename } }',
        "{ status { ... on Fac { id } } }",
    ],
)
def test_a_closed_schema_does_not_suggest_names(tmp_path: Path, document: str) -> None:
    """Suggestions rebuild a schema word by word; an open one helps with them."""
    (tmp_path / "open").mkdir()
    with opened(tmp_path, introspection=False) as door:
        answer = door.ask(document)
        assert answer.status == 400
        assert "Did you mean" not in str(answer.errors)
    with opened(tmp_path / "open") as door:
        assert "Did you mean" in str(door.ask(document).errors)
