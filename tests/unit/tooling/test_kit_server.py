"""The kit is served to any page that asks this machine under the name localhost, and nothing else is."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.tooling.kit_server import serving

FILES = {"a.grass": b"node {}", "b.html": "指南".encode()}
ASKED = {
    "Origin": "http://127.0.0.1:7474",
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "cache-control,pragma,sentry-trace",
}


def ask(address: str, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=10)
    try:
        connection.request(method, path, headers=ASKED)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_a_file_is_given_by_its_name_to_every_origin() -> None:
    with serving(lambda at: FILES) as at:
        status, headers, body = ask(at, "GET", "/b.html?x=1")
    assert (status, body) == (200, FILES["b.html"])
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == str(len(body))


def test_what_the_page_asks_first_is_allowed() -> None:
    with serving(lambda at: FILES) as at:
        status, headers, body = ask(at, "OPTIONS", "/a.grass")
    assert (status, body) == (204, b"")
    assert "GET" in headers["Access-Control-Allow-Methods"]
    allowed = headers["Access-Control-Allow-Headers"]
    assert all(name in allowed for name in ("cache-control", "pragma", "sentry-trace"))


@pytest.mark.parametrize("path", ["/", "/c.html", "/../a.grass", "/a.grass/", "/%61.grass"])
def test_nothing_else_is_there(path: str) -> None:
    with serving(lambda at: FILES) as at:
        status, _, body = ask(at, "GET", path)
    assert (status, body) == (404, b"")


def test_nobody_can_write() -> None:
    with serving(lambda at: FILES) as at:
        assert ask(at, "PUT", "/a.grass")[0] == 501


def test_the_files_know_where_they_lie_and_go_when_the_block_ends() -> None:
    told: list[str] = []
    with serving(lambda at: told.append(at) or FILES) as at:  # type: ignore[func-returns-value]
        assert told == [at]
        assert urlsplit(at).hostname == "localhost"
    with pytest.raises(ConnectionRefusedError):
        ask(at, "GET", "/a.grass")


def test_a_port_that_is_taken_is_refused() -> None:
    with serving(lambda at: FILES) as at:
        taken = urlsplit(at).port or 0
        with (
            pytest.raises(BadInputError, match=f"port {taken} cannot be used"),
            serving(lambda at: FILES, taken),
        ):
            pass
