"""Commands that look back over the memory as a whole."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.analysis.day_markdown import day_markdown
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Episodes(Printing):
    """Options of episodes."""

    day: Annotated[str, option("--day")] = ""


def episodes(call: Call, options: Episodes) -> None:
    """Print what happened on a day."""
    day = (moment_of("day", options.day, now()) or now()).date()
    with closing(build(call.settings)) as services:
        log = services.daybook.day(call.namespace, day)
    if call.json:
        call.terminal.json(as_data(log))
    else:
        call.terminal.lines(day_markdown(log, call.language).splitlines())
