"""Commands that an agent starts by itself."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from graphmem.entrypoints.cli.calling import Call, Shared
from graphmem.entrypoints.mcp.stdio import serve
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Mcp(Shared):
    """Options of mcp."""


def mcp(call: Call, options: Mcp) -> None:
    """Answer one agent until its input ends."""
    with closing(build(call.settings)) as services:
        serve(services)
