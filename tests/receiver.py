"""A small HTTP server on loopback that answers as it is told and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STALL = 0
"""In place of a status: the answer does not come."""


@dataclass
class Receiver:
    """What came in, in order. statuses: what is answered, one after the other, the last for ever; bodies likewise.

    sent: headers of every answer beside the usual ones.
    """

    url: str = ""
    statuses: list[int] = field(default_factory=lambda: [200])
    bodies: list[str] = field(default_factory=lambda: [""])
    sent: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[Any]:
        """The requests' bodies as data."""
        return [json.loads(body) for body in self.raw]

    def ids(self) -> list[str]:
        """The ids of the messages."""
        return [headers["webhook-id"] for headers in self.headers]


class _Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        told = self.receiver
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        number = len(told.raw)
        told.paths.append(self.path)
        told.headers.append({name.lower(): value for name, value in self.headers.items()})
        told.raw.append(body)
        status = _at(told.statuses, number)
        if status == STALL:
            told.released.wait(60)
            return
        answer = _at(told.bodies, number).encode()
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("location", f"{told.url}/elsewhere")
        self.send_header("content-type", "application/json")
        for name, value in told.sent.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def receiving(statuses: Sequence[int] = (200,), bodies: Sequence[str] = ("",)) -> Iterator[Receiver]:
    """A server that runs meanwhile."""
    told = Receiver(statuses=list(statuses), bodies=list(bodies))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"receiver": told}))
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield told
    finally:
        told.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _at(items: Sequence[Any], number: int) -> Any:
    return items[min(number, len(items) - 1)]
