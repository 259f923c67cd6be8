"""The sweep, asked for by a person or by cron."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.memories import Tier
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.terminal import rows
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Sweep(Printing):
    """Options of sweep."""

    dry_run: Annotated[bool, option("--dry-run")] = False


def sweep(call: Call, options: Sweep) -> None:
    """Bring the tiers up to date, or say what that would do."""
    with closing(build(call.settings)) as services:
        found = services.sweep.sweep(call.namespace, options.dry_run)
    if call.json:
        call.terminal.json(as_data(found))
        return
    terminal = call.terminal
    terminal.line(say("sweep.dry" if found.dry_run else "sweep.done", moved=found.moved, n=found.experiences))
    cells = [
        [say(f"tier.{tier}"), str(found.before.get(tier, 0)), "→", str(found.after.get(tier, 0))]
        for tier in Tier
    ]
    terminal.lines([f"  {line}" for line in rows(cells, right=frozenset({1, 3}))])
    terminal.line(say("sweep.notes", served=found.served, exposures=found.exposures))
    if found.left:
        terminal.line(say("sweep.left", left=found.left))
    terminal.line(terminal.paint(say("sweep.kept"), "dim"))
