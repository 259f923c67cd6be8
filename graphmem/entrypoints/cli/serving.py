"""Commands of the service."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.config import model_endpoint
from graphmem.consulting import consultant
from graphmem.domain.errors import UnavailableError
from graphmem.entrypoints.cli.calling import Call, Shared, option
from graphmem.entrypoints.cli.consulting import consulting
from graphmem.entrypoints.cli.words import say
from graphmem.entrypoints.graphql.app import serve as run_service
from graphmem.entrypoints.graphql.schema import print_schema
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Serve(Shared):
    """Options of serve."""

    host: Annotated[str, option("--host")] = ""
    port: Annotated[int, option("--port", min=0, max=65_535)] = 0
    llm: Annotated[bool, option("--llm")] = False


@dataclass(frozen=True, kw_only=True)
class Schema(Shared):
    """Options of schema."""


def serve(call: Call, options: Serve) -> None:
    """Run the service until it is stopped; with --llm a model answers what waits in the namespace meanwhile."""
    host, port = options.host or call.settings.host, options.port or call.settings.port
    with closing(build(call.settings)) as services, ExitStack() as beside:
        consult = consultant(services.analyse, model_endpoint()) if options.llm else None
        call.terminal.line(
            say("serve.at", url=f"http://{f'[{host}]' if ':' in host else host}:{port}/graphql")
        )
        call.terminal.flush()
        if consult is not None:
            beside.enter_context(consulting(call, consult))
        try:
            run_service(services, host, port)
        except SystemExit as error:
            raise UnavailableError(
                f"cannot listen on {host}:{port}", field="port", remedy="stop what is there, or choose --port"
            ) from error


def schema(call: Call, options: Schema) -> None:
    """Print the published schema."""
    call.terminal.line(print_schema().rstrip("\n"))
