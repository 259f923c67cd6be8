"""A stand-in for Java: tells its version, plays the server on two ports, and the administration tool.

Copied into a folder as an executable `java`; the file `mood` beside it says how it behaves: fine, die (ends while
starting), mute (never answers), down (the database does not answer), deaf (does not end when told), broken (the
tool fails), lame (does not start at all). The file `version` holds what it calls itself.
"""

from __future__ import annotations

import base64
import http.server
import os
import signal
import socketserver
import sys
import threading
import time
from pathlib import Path

HERE = Path(sys.argv[0]).parent
MOOD = (HERE / "mood").read_text()


class Bolt(socketserver.BaseRequestHandler):
    """Agrees on version 5.8."""

    def handle(self) -> None:
        """One handshake."""
        self.request.recv(20)
        self.request.sendall(b"\x00\x00\x08\x05")


class Page(http.server.BaseHTTPRequestHandler):
    """The query interface."""

    password = ""

    def do_POST(self) -> None:
        """One statement."""
        self.rfile.read(int(self.headers["Content-Length"]))
        expected = "Basic " + base64.b64encode(f"neo4j:{self.password}".encode()).decode()
        refused = bool(self.password) and self.headers.get("Authorization") != expected
        self.send_response(401 if refused else 503 if MOOD == "down" else 202)
        self.end_headers()
        self.wfile.write(b"database is away")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def serve(arguments: list[str]) -> None:
    """Play the server until told to end."""
    print("INFO  Starting...", flush=True)
    if MOOD == "die":
        print("ERROR Failed to start Neo4j: port taken\n\tat some.Java(Line.java:1)", flush=True)
        sys.exit(3)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if MOOD == "deaf" else lambda *_: os._exit(0))
    given = dict(
        word.removeprefix("--").split("=", 1) for word in arguments if word.startswith("--") and "=" in word
    )
    lines = (Path(given["config-dir"]) / "neo4j.conf").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    home = Path(given["home-dir"])
    if settings["dbms.security.auth_enabled"] == "true":
        Page.password = (home / "data/dbms/auth.ini").read_text()
    (home / "environment").write_text("\n".join(sorted(os.environ)))
    store = home / "data/databases/neo4j/store"
    store.parent.mkdir(parents=True, exist_ok=True)
    if not store.exists():
        store.write_text("good data")
    if MOOD == "mute":
        time.sleep(600)
    ports = [int(settings[f"server.{kind}.listen_address"].removeprefix(":")) for kind in ("bolt", "http")]
    socketserver.ThreadingTCPServer.allow_reuse_address = True  # as Java's are
    bolt = socketserver.ThreadingTCPServer(("127.0.0.1", ports[0]), Bolt)
    threading.Thread(target=bolt.serve_forever, daemon=True).start()
    http.server.ThreadingHTTPServer(("127.0.0.1", ports[1]), Page).serve_forever()


def administer(words: list[str]) -> None:
    """Play the administration tool."""
    if MOOD == "broken":
        sys.exit("it is broken")
    data = Path(os.environ["NEO4J_HOME"]) / "data"
    if words[1] == "set-initial-password":
        (data / "dbms").mkdir(parents=True, exist_ok=True)
        (data / "dbms/auth.ini").write_text(words[2])
        return
    place = Path(words[3].partition("=")[2]) / "neo4j.dump"
    if words[1] == "dump":
        place.write_text((data / "databases/neo4j/store").read_text())
        return
    for part in ("databases", "transactions"):
        (data / part / "neo4j").mkdir(parents=True)
    (data / "databases/neo4j/store").write_text(place.read_text())
    if not place.read_text().startswith("good"):
        sys.exit("Unable to load database: Truncated source")


def main(arguments: list[str]) -> None:
    """Play what the arguments ask for."""
    if MOOD == "lame":
        sys.exit(1)
    if arguments == ["-version"]:
        print(f'openjdk version "{(HERE / "version").read_text()}" 2025-04-15', file=sys.stderr)
    elif arguments[0].startswith("@"):
        words = [line.strip('"') for line in Path(arguments[0][1:]).read_text().splitlines()]
        administer(words[words.index("org.neo4j.cli.AdminTool") + 1 :])
    else:
        serve(arguments)


main(sys.argv[1:])
