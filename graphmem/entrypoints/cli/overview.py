"""Commands on many failures at once."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.overview import (
    Bond,
    ChokePoint,
    ClassPropagation,
    Priorities,
    Priority,
    Propagation,
    Reading,
)
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import headline, marked
from graphmem.entrypoints.cli.terminal import Terminal, cut, plain, rows
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build

WIDE = 60
"""Columns of a headline in a table."""
CLASS = 30
"""Columns of the name of a class."""


@dataclass(frozen=True, kw_only=True)
class Ranking(Printing):
    """Options of priorities and choke-points."""

    since: Annotated[str, option("--since")] = ""
    limit: Annotated[int, option("--limit")] = 10


@dataclass(frozen=True, kw_only=True)
class Spreading(Printing):
    """Options of propagation."""

    since: Annotated[str, option("--since")] = ""
    min_trials: Annotated[int, option("--min-trials")] = 5
    limit: Annotated[int, option("--limit")] = 20


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


def propagation(call: Call, options: Spreading) -> None:
    """Say how one kind of failure leads to another."""
    since = moment_of("since", options.since, now())
    with closing(build(call.settings)) as services, progress.cleared():
        found = services.overview.propagation(call.namespace, since, options.min_trials, options.limit, tell)
    if call.json:
        call.terminal.json(as_data(found))
        return
    if found.pairs:
        call.terminal.lines(_spread(found, call.terminal))
    else:
        call.terminal.line(say("propagation.none", n=options.min_trials))
    counted = {"pairs": len(found.pairs), "total": found.total, "episodes": found.episodes}
    call.terminal.line(call.terminal.paint(say("propagation.sum", **counted, left=found.unclassed), "dim"))
    if found.episodes < found.needed:
        call.terminal.line(call.terminal.paint(say("propagation.few", n=found.needed), "yellow"))


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
    if item.count == 1:
        return name
    refs = [
        *(plain(cause.ref) for cause in item.causes),
        *("…" for _ in range(item.count > len(item.causes))),
    ]
    return f"{name}  {say('priorities.times', n=item.count, refs=', '.join(refs))}"


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


def _spread(found: Propagation, terminal: Terminal) -> list[str]:
    names = ("cause", "effect", "probability", "trials", "lift", "q", "bond")
    head = [say(f"propagation.{name}") for name in names]
    return rows([head, *(_pair(item, terminal) for item in found.pairs)], frozenset({3, 4, 5}))


def _pair(item: ClassPropagation, terminal: Terminal) -> list[str]:
    bond = say(f"bond.{item.bond}")
    return [
        cut(plain(item.cause_class), CLASS),
        cut(plain(item.effect_class), CLASS),
        f"{item.probability:.2f} [{item.low:.2f}, {item.high:.2f}]",
        f"{item.caused}/{item.trials}",
        f"{item.lift:.1f}",
        "-" if item.q is None else f"{item.q:.3f}",
        terminal.paint(bond, "yellow") if item.bond is Bond.HIDDEN_CAUSE else bond,
    ]
