"""Commands of the service."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.errors import UnavailableError
from graphmem.entrypoints.cli.calling import Call, Shared, option
from graphmem.entrypoints.cli.words import say
from graphmem.entrypoints.graphql.app import serve as run_service
from graphmem.entrypoints.graphql.schema import print_schema
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Serve(Shared):
    """Options of serve."""

    host: Annotated[str, option("--host")] = ""
    port: Annotated[int, option("--port", min=0, max=65_535)] = 0


@dataclass(frozen=True, kw_only=True)
class Schema(Shared):
    """Options of schema."""


def serve(call: Call, options: Serve) -> None:
    """Run the service until it is stopped."""
    host, port = options.host or call.settings.host, options.port or call.settings.port
    with closing(build(call.settings)) as services:
        call.terminal.line(
            say("serve.at", url=f"http://{f'[{host}]' if ':' in host else host}:{port}/graphql")
        )
        call.terminal.flush()
        try:
            run_service(services, host, port)
        except SystemExit as error:
            raise UnavailableError(
                f"cannot listen on {host}:{port}", field="port", remedy="stop what is there, or choose --port"
            ) from error


def schema(call: Call, options: Schema) -> None:
    """Print the published schema."""
    call.terminal.line(print_schema().rstrip("\n"))
