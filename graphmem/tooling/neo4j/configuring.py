"""What a server is told: its options, its configuration file and its command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from graphmem.domain.errors import BadInputError
from graphmem.tooling.neo4j.installing import Installation
from graphmem.tooling.neo4j.java import Java
from graphmem.tooling.neo4j.records import home_argument

SMALLEST_HEAP_MB = 96  # below, nothing was tried

_SIZE = re.compile(r"([1-9]\d*)([mg])")
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_JVM = (
    "-XX:+UseG1GC",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
    "--enable-native-access=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
)
# What the Browser's page may load and whom it may call: this machine only. Community has no setting that would keep
# the page from outside hosts, so the page's own policy does.
_PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob: http://127.0.0.1:* http://localhost:*; font-src 'self' data:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob: http://127.0.0.1:* http://localhost:* ws://127.0.0.1:* ws://localhost:*"
)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """How a server is started.

    bolt_port, http_port: 0 = those of the last start, or free ones. authentication: off only on a machine where
    everybody may read everything. heap, page_cache: e.g. '512m', '2g'. timeout_s: how long to wait for Bolt
    (after a crash the server repairs its data first).
    """

    bolt_port: int = 0
    http_port: int = 0
    authentication: bool = True
    heap: str = "512m"
    page_cache: str = "64m"
    timeout_s: float = 120.0

    def __post_init__(self) -> None:
        for name, value in (("heap", self.heap), ("page_cache", self.page_cache)):
            if not _SIZE.fullmatch(value):
                raise BadInputError(
                    f"{value!r} is no size", field=name, remedy="a number and m or g, e.g. 512m"
                )
        if megabytes(self.heap) < SMALLEST_HEAP_MB:
            raise BadInputError(
                f"{self.heap} is too small", field="heap", remedy=f"{SMALLEST_HEAP_MB}m at least, better 256m"
            )
        for name, port in (("bolt_port", self.bolt_port), ("http_port", self.http_port)):
            if not 0 <= port < 2**16:
                raise BadInputError(
                    f"{port} is no port", field=name, remedy="1 to 65535, or 0 for a free one"
                )


def megabytes(size: str) -> int:
    """A size such as '512m' or '2g' in megabytes."""
    match = _SIZE.fullmatch(size)
    if match is None:
        raise ValueError(size)
    return int(match[1]) * (1024 if match[2] == "g" else 1)


def write_configuration(home: Path, ports: tuple[int, int], options: ServerOptions) -> None:
    """Write the configuration file of a data folder anew. An unknown setting would keep the server from starting."""
    bolt, http = ports
    settings = {
        "server.default_listen_address": "127.0.0.1",
        "server.default_advertised_address": "127.0.0.1",
        "server.bolt.listen_address": f":{bolt}",
        "server.bolt.advertised_address": f"127.0.0.1:{bolt}",
        "server.http.listen_address": f":{http}",
        "server.http.advertised_address": f"127.0.0.1:{http}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": options.page_cache,
        "dbms.security.auth_enabled": str(options.authentication).lower(),
        "dbms.security.http_static_content_security_policy_header": _PAGE_POLICY,
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "db.tx_log.preallocate": "false",
        "db.transaction.timeout": "30s",
    }
    lines = ["# Written anew at every `graphmem neo4j start`."]
    lines += [f"{name}={value}" for name, value in settings.items()]
    folder = home / "conf"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "neo4j.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def server_command(installation: Installation, home: Path, java: Java, heap: str) -> list[str]:
    """The command line of the server of a data folder."""
    return [
        str(java.path),
        f"-Xms{min(256, megabytes(heap))}m",
        f"-Xmx{heap}",
        *_JVM,
        "-cp",
        f"{installation.libraries}/*",
        installation.main_class,
        home_argument(home),
        f"--config-dir={home / 'conf'}",
        "--console-mode",
    ]
