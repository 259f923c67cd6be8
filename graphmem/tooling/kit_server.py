"""Serves the kit to Neo4j Browser, on this machine only.

Neo4j Browser takes a style or a guide from `localhost` and no other host, asks first by OPTIONS, and reads only what
is allowed for every origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from graphmem.domain.errors import BadInputError
from graphmem.tooling.browser_kit import content_type

HOST = "localhost"
"""The name under which the page asks; what listens is the loopback interface."""
_LOOPBACK = "127.0.0.1"
_ALLOWED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, OPTIONS",
    "Access-Control-Allow-Headers": "*, cache-control, pragma, sentry-trace, baggage",
}


@contextmanager
def serving(make: Callable[[str], Mapping[str, bytes]], port: int = 0) -> Iterator[str]:
    """Serve files by name until the block ends; what it is given is the address they lie under.

    make: the files, from that address. port: 0 = a free one. Raises BadInputError when it is taken.
    """
    files: dict[str, bytes] = {}
    try:
        server = ThreadingHTTPServer((_LOOPBACK, port), _handler(files))
    except OSError as error:
        raise BadInputError(
            f"port {port} cannot be used: {error.strerror}", field="port", remedy="name another one, or none"
        ) from error
    address = f"http://{HOST}:{server.server_port}"
    files.update(make(address))
    thread = Thread(target=server.serve_forever, name="graphmem-kit", daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(files: Mapping[str, bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Knows the files and nothing else."""

        def do_OPTIONS(self) -> None:
            """Allow what the page asks for first."""
            self._answer(HTTPStatus.NO_CONTENT)

        def do_GET(self) -> None:
            """A file by its name."""
            name = self.path.partition("?")[0].removeprefix("/")
            if name not in files:
                self._answer(HTTPStatus.NOT_FOUND)
                return
            self._answer(HTTPStatus.OK, files[name], content_type(name))

        def _answer(self, status: HTTPStatus, body: bytes = b"", kind: str = "") -> None:
            self.send_response(status)
            for name, value in _ALLOWED.items():
                self.send_header(name, value)
            if kind:
                self.send_header("Content-Type", kind)
            if status is not HTTPStatus.NO_CONTENT:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
