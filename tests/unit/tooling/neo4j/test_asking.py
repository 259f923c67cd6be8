"""A statement over HTTP: its rows, and what is said when there are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j import RunningServer, rows


@contextmanager
def answering(status: int, body: bytes, asked: list[Any] | None = None) -> Iterator[RunningServer]:
    """A server that answers everything alike, and keeps what it was asked."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked is not None:
                asked.append((self.path, self.headers["Authorization"], question))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield RunningServer(
            bolt_uri="bolt://127.0.0.1:1",
            http_uri=f"http://127.0.0.1:{server.server_port}",
            pid=1,
            version="5",
            state_file=Path("x"),
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


ANSWER = json.dumps({"data": {"fields": ["a", "b"], "values": [[1, "x"], [None, "空"]]}}).encode()


def test_rows_are_named_by_their_columns() -> None:
    asked: list[Any] = []
    with answering(202, ANSWER, asked) as server:
        assert rows(server, "RETURN $a", {"a": "空"}) == [{"a": 1, "b": "x"}, {"a": None, "b": "空"}]
    ((path, login, question),) = asked
    assert (path, login) == ("/db/neo4j/query/v2", None)
    assert question == {"statement": "RETURN $a", "parameters": {"a": "空"}}


def test_the_password_is_sent_where_there_is_one() -> None:
    asked: list[Any] = []
    with answering(200, ANSWER, asked) as server:
        rows(RunningServer(**{**vars(server), "password": "secret"}), "RETURN 1", {})
    assert asked[0][1] == "Basic bmVvNGo6c2VjcmV0"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, b"", "does not take the kept password"),
        (400, b'{"errors": [{"message": "bad syntax"}]}', "bad syntax"),
        (500, b"<html>", "<html>"),
        (200, b"[]", "the database does not answer"),
        (200, b'{"data": {"fields": ["a"], "values": [[1, 2]]}}', "the database does not answer"),
    ],
)
def test_anything_else_is_no_answer(status: int, body: bytes, said: str) -> None:
    with answering(status, body) as server, pytest.raises(UnavailableError, match=said):
        rows(server, "RETURN 1", {})


def test_a_server_that_is_gone_is_unavailable() -> None:
    with answering(200, b"") as server:
        gone = server
    with pytest.raises(UnavailableError, match="the server does not answer"):
        rows(gone, "RETURN 1", {})
