"""Commands on many failures at once."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.overview import ChokePoint, Priorities, Priority, Reading
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import headline, marked
from graphmem.entrypoints.cli.terminal import Terminal, cut, rows
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build

WIDE = 60
"""Columns of a headline in a table."""


@dataclass(frozen=True, kw_only=True)
class Ranking(Printing):
    """Options of priorities and choke-points."""

    since: Annotated[str, option("--since")] = ""
    limit: Annotated[int, option("--limit")] = 10


def priorities(call: Call, options: Ranking) -> None:
    """Say which few causes make most failures."""
    since = moment_of("since", options.since, now())
    with closing(build(call.settings)) as services, progress.cleared():
        found = services.overview.priorities(call.namespace, since, options.limit, tell)
    if call.json:
        call.terminal.json(as_data(found))
        return
    if not found.items:
        call.terminal.line(say("failures.none"))
        return
    call.terminal.lines(_table(found, call.terminal))
    if found.cut is not None:
        call.terminal.line(say("priorities.cut", n=found.cut, failures=found.failures))
    call.terminal.line(
        call.terminal.paint(say("priorities.orphans", n=found.orphans, failures=found.failures), "dim")
    )


def choke_points(call: Call, options: Ranking) -> None:
    """Say where chains of failures meet."""
    since = moment_of("since", options.since, now())
    with closing(build(call.settings)) as services, progress.cleared():
        found = services.overview.choke_points(call.namespace, since, options.limit, tell)
    if call.json:
        call.terminal.json([as_data(item) for item in found])
    elif not found:
        call.terminal.line(say("choke_points.none"))
    else:
        call.terminal.lines(_chokes(found, call.terminal))


def tell(reading: Reading) -> None:
    """Show what long work is at."""
    progress.show(say("survey.counting" if reading.counting else "survey.reading", n=reading.memories))


def _table(found: Priorities, terminal: Terminal) -> list[str]:
    head = ["", *(say(f"priorities.{name}") for name in ("covered", "gained", "led_to", "cause"))]
    cells = [
        [str(place), f"{item.covered:.0%}", f"+{item.gained}", str(item.failures), _named(item, terminal)]
        for place, item in enumerate(found.items, start=1)
    ]
    return rows([head, *cells], frozenset({0, 1, 2, 3}))


def _named(item: Priority, terminal: Terminal) -> str:
    """The lesson over a cluster if there is one, else its latest root cause; how many there are."""
    said = item.pattern or next(iter(item.causes), None)
    name = f"{marked(said, terminal)} {cut(headline(said), WIDE)}" if said else item.id
    return name if item.count == 1 else f"{name}  {say('priorities.times', n=item.count)}"


def _chokes(found: tuple[ChokePoint, ...], terminal: Terminal) -> list[str]:
    head = [say(f"choke_points.{name}") for name in ("chains", "roots", "failures", "memory")]
    cells = [
        [
            str(item.chains),
            str(item.roots),
            str(item.failures),
            f"{marked(item.memory, terminal)} {cut(headline(item.memory), WIDE)}",
        ]
        for item in found
    ]
    return rows([head, *cells], frozenset({0, 1, 2}))
