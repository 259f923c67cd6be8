"""Notices over real sockets: signed, as data, taken only with a status that says so."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket

import pytest

from graphmem.adapters.webhook import Webhook
from graphmem.domain.errors import UnavailableError
from graphmem.domain.notices import Notice
from tests.builders import at
from tests.receiver import STALL, Receiver, receiving

HOSTILE = 'a "lesson"\r\nx-injected: 1\n<script>alert(1)</script> \ud800 教训'


def notice(text: str = "a lesson") -> Notice:
    """A message that says a text."""
    return Notice(id="0a" * 16, at=at(7), content={"type": "pattern.high", "data": {"lesson": text}})


def signature(received: Receiver, key: bytes) -> str:
    """What the last request should be signed with."""
    headers = received.headers[-1]
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + received.raw[-1]
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


@pytest.mark.parametrize("status", [200, 202, 204, 299])
def test_a_notice_is_posted_as_json(status: int) -> None:
    with receiving([status]) as received:
        Webhook(f"{received.url}/hooks/t0ken?team=a%20b")(notice())
    assert received.paths == ["/hooks/t0ken?team=a%20b"]
    assert received.messages == [{"type": "pattern.high", "data": {"lesson": "a lesson"}}]
    (headers,) = received.headers
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == "0a" * 16
    assert headers["webhook-timestamp"] == str(int(at(7).timestamp()))
    assert "webhook-signature" not in headers


def test_text_stays_data() -> None:
    """Quotes, line breaks, markup and half a character come back as they were, and in no header."""
    with receiving() as received:
        Webhook(received.url)(notice(HOSTILE))
    assert received.messages[0]["data"]["lesson"] == HOSTILE
    assert "x-injected" not in received.headers[0]
    assert received.raw[0].isascii()
    assert received.paths == ["/"]


@pytest.mark.parametrize(
    ("secret", "key"),
    [
        ("a secret", b"a secret"),
        ("whsec_" + base64.b64encode(b"\x00\xffkey").decode(), b"\x00\xffkey"),
        ("whsec_no base64!", b"whsec_no base64!"),
    ],
)
def test_a_notice_is_signed(secret: str, key: bytes) -> None:
    with receiving() as received:
        Webhook(received.url, secret)(notice())
    assert received.headers[0]["webhook-signature"] == signature(received, key)
    assert secret.encode() not in received.raw[0]


@pytest.mark.parametrize("status", [301, 307, 400, 404, 410, 429, 500, 503])
def test_another_status_is_not_taken(status: int) -> None:
    """Nor is a redirect followed: a body that is signed for one address goes to no other."""
    with receiving([status]) as received, pytest.raises(UnavailableError, match=str(status)):
        Webhook(received.url)(notice())
    assert received.paths == ["/"]


def test_nobody_there_is_not_taken() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}/t0ken"
        with pytest.raises(UnavailableError) as caught:
            Webhook(address)(notice())
    assert "t0ken" not in str(caught.value)


def test_an_answer_that_does_not_come_is_given_up() -> None:
    with receiving([STALL]) as received, pytest.raises(UnavailableError, match="did not answer"):
        Webhook(received.url, timeout_s=0.2)(notice())


def test_what_speaks_no_http_is_not_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"https://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UnavailableError):
            Webhook(address, timeout_s=0.2)(notice())
