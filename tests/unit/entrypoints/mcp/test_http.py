"""POST /mcp: who may ask and where, before any message is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from graphmem.entrypoints.graphql.app import create_app
from graphmem.entrypoints.mcp.http import MAX_BODY, McpEndpoint
from tests.unit.entrypoints.graphql.door import Door, opened

TOKEN = "plain-token"
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


def post(door: Door, tool: str = "memory_status", arguments: Any = None, **headers: str) -> Any:
    """Call a tool as a client of the older protocol does that keeps no session."""
    sent = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    body = ASKED | {"params": {"name": tool, "arguments": arguments or {}}}
    return door.client.post("/mcp", content=json.dumps(body).encode(), headers=sent)


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with opened(tmp_path) as found:
        yield found


def test_a_call_is_answered_in_json(door: Door) -> None:
    answer = post(door, "memory_write_fact", {"statement": "x"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json()["result"]["structuredContent"]["ref"] == "F-1"
    assert door.run("memory", id="F-1")["statement"] == "x"


def test_the_namespace_is_that_of_the_header(door: Door) -> None:
    post(door, "memory_write_fact", {"statement": "x"}, graphmem_namespace="%E7%A7%9F%E6%88%B7")
    assert door.run("memory", "租户", id="F-1")["statement"] == "x"
    assert door.run("memory", id="F-1")["__typename"] == "NotFound"


@pytest.mark.parametrize("name", ["", "%ZZ", "%FF", "a%00b"])
def test_a_namespace_that_is_none_is_refused(door: Door, name: str) -> None:
    answer = post(door, graphmem_namespace=name)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["data"]["code"], bool(error["data"]["remedy"])) == ("BAD_INPUT", True)
    assert error["message"].startswith("namespace: ")


@pytest.mark.parametrize("sent", [{}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}])
def test_a_missing_or_wrong_token_is_refused(tmp_path: Path, sent: dict[str, str]) -> None:
    with opened(tmp_path, token=TOKEN) as door:
        answer = post(door, **sent)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert TOKEN not in answer.text
        assert answer.json()["error"]["data"]["code"] == "UNAUTHENTICATED"
        assert post(door, authorization=f"Bearer {TOKEN}").status_code == 200


def test_pages_of_other_places_may_not_ask(door: Door) -> None:
    assert post(door, origin="https://evil.example").status_code == 403
    assert post(door, origin="http://localhost:3000").status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_only_posts_are_answered(door: Door, method: str) -> None:
    answer = door.client.request(method, "/mcp", headers={"accept": "text/event-stream"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_body_has_a_bound(door: Door) -> None:
    assert post(door, arguments={"x": "x" * MAX_BODY}).status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff"])
def test_what_is_no_message_is_refused(door: Door, body: bytes) -> None:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    answer = door.client.post("/mcp", content=body, headers=headers)
    assert answer.status_code == 400
    assert "error" in answer.json()


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("stalls", [True, False])
def test_a_client_that_stalls_or_goes_within_its_body_is_given_up(
    tmp_path: Path, stalls: bool, version: str
) -> None:
    """It holds nothing for longer than a request may take, and no error of it leaves the endpoint."""
    sent: list[Any] = []
    parts = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def receive() -> Any:
        for part in parts:
            return part
        if stalls:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def call(endpoint: McpEndpoint) -> None:
        names = ("content-type", "accept", "mcp-protocol-version")
        values = ("application/json", "application/json, text/event-stream", version)
        headers = [(name.encode(), value.encode()) for name, value in zip(names, values, strict=True)]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers, "query_string": b""}
        async with endpoint.running():
            await endpoint(scope, receive, send)

    with opened(tmp_path, request_timeout_s=0.2) as door:
        asyncio.run(call(McpEndpoint(door.services)))
    assert [item["status"] for item in sent if "status" in item and item["status"] < 400] == []


def test_the_service_can_be_started_again(door: Door) -> None:
    """One application, two lives: each has its own task group."""
    app = create_app(door.services)
    for _ in range(2):
        with TestClient(app, base_url="http://127.0.0.1:8000") as client:
            assert post(Door(door.services, client)).status_code == 200
