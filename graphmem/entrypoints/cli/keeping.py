"""Commands that look back over the memory as a whole."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from graphmem.analysis.day_markdown import day_markdown
from graphmem.domain.replaying import Nearest, Replayed, ReplayedFailure
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.measuring import share_of
from graphmem.entrypoints.cli.memories import lined, moment
from graphmem.entrypoints.cli.terminal import Terminal, plain, rows
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build

SHOWN = 10
"""Failures that a list shows at most."""


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


@dataclass(frozen=True, kw_only=True)
class Replay(Printing):
    """Options of replay."""

    since: Annotated[str, option("--since")] = "30d"


def replay(call: Call, options: Replay) -> None:
    """Ask about past failures again."""
    since = moment_of("since", options.since, now()) or now() - timedelta(days=30)
    with closing(build(call.settings)) as services:
        found = services.replay.replay(call.namespace, since)
    if call.json:
        call.terminal.json(as_data(found))
    else:
        _show_replay(found, call.terminal)


def _show_replay(found: Replayed, terminal: Terminal) -> None:
    terminal.line(
        say("replay.looked", failures=found.failures, since=moment(found.since)[:10], repeats=found.repeats)
    )
    shares = ("said_then", "said_now", "listed_then", "listed_now", "disturbed")
    terminal.lines(rows([[say(f"replay.{name}"), share_of(getattr(found, name))] for name in shares]))
    caught = [item for item in found.items if item.said_now and not item.said_then]
    missed = [item for item in found.items if item.earlier and not item.said_now]
    for key, items in (("caught", caught), ("missed", missed)):
        if items:
            terminal.line(terminal.paint(say(f"replay.{key}"), "bold"))
        for item in items[:SHOWN]:
            show_replayed(item, terminal)
        if len(items) > SHOWN:
            terminal.line(f"  … {len(items) - SHOWN}")
    terminal.line(terminal.paint(say("replay.honest"), "dim"))
    if found.truncated:
        terminal.line(terminal.paint(say("replay.truncated"), "yellow"))


def show_replayed(item: ReplayedFailure, terminal: Terminal) -> None:
    """Print a failure, and why it would not be said."""
    terminal.folded(lined(item.failure, terminal), 2)
    if item.miss is not None:
        near = f"; {_near(item.nearest)}" if item.nearest else ""
        terminal.folded(f"{say(f'miss.{item.miss}')}{near}", 4)


def _near(nearest: Nearest) -> str:
    deviation = "-" if nearest.deviation is None else f"{nearest.deviation:.1f}"
    return say(
        "replay.near",
        ref=plain(nearest.memory.ref),
        lexical=f"{nearest.lexical_score:.1f}",
        deviation=deviation,
    )
