"""Why the memory does not help: a table of checks."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.diagnostics import Diagnostics
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.keeping import SHOWN, show_replayed
from graphmem.entrypoints.cli.memories import moment
from graphmem.entrypoints.cli.terminal import Terminal, plain
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build

_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("?", "dim")}


@dataclass(frozen=True, kw_only=True)
class Diagnose(Printing):
    """Options of diagnostics."""

    since: Annotated[str, option("--since")] = ""


def diagnostics(call: Call, options: Diagnose) -> None:
    """Say how well the memory works, row by row."""
    since = moment_of("since", options.since, now())
    with closing(build(call.settings)) as services:
        found = services.diagnose.diagnose(call.namespace, since)
    if call.json:
        call.terminal.json(as_data(found))
    else:
        _show(found, call.terminal)


def _show(found: Diagnostics, terminal: Terminal) -> None:
    terminal.line(say("diagnostics.since", since=moment(found.since)[:10]))
    for row in found.rows:
        mark, colour = _MARKS[row.ok]
        terminal.line(f"{terminal.paint(mark, colour)} {terminal.paint(say(f'check.{row.check}'), 'bold')}")
        terminal.folded("  ".join(f"{one.name} {one.value:.4g}" for one in row.figures), 4)
        if row.sample:
            terminal.folded(plain(row.sample), 4)
        if row.ok is False:
            terminal.folded(say(f"advice.{row.check}"), 4)
        terminal.line(f"    {terminal.paint(row.command, 'cyan')}")
    if found.misses:
        terminal.line(terminal.paint(say("diagnostics.misses"), "bold"))
    for item in found.misses[:SHOWN]:
        show_replayed(item, terminal)
