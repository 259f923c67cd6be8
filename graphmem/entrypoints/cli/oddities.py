"""Commands that look the cause graph over: what two failures share, and what cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.causation import CauseEdge
from graphmem.domain.memories import Memory
from graphmem.domain.overview import SharedCause
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import headline, marked
from graphmem.entrypoints.cli.overview import tell
from graphmem.entrypoints.cli.terminal import Terminal, cut, plain, rows
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build

WIDE = 60
"""Columns of a headline in a table."""


@dataclass(frozen=True, kw_only=True)
class CommonCause(Printing):
    """Options of common-cause."""

    first: Annotated[str, argument("FIRST")]
    second: Annotated[str, argument("SECOND")]


@dataclass(frozen=True, kw_only=True)
class Violations(Printing):
    """Options of violations."""

    limit: Annotated[int, option("--limit")] = 20


def common_cause(call: Call, options: CommonCause) -> None:
    """Say what two memories share."""
    with closing(build(call.settings)) as services:
        found = services.oddities.common_cause(call.namespace, options.first, options.second)
    if call.json:
        call.terminal.json(as_data(found))
        return
    names = {"a": plain(found.first.ref), "b": plain(found.second.ref)}
    call.terminal.line(say(f"common_cause.{found.relation}", **names))
    if found.confounded:
        call.terminal.line(call.terminal.paint(say("common_cause.confounded"), "yellow"))
    if found.causes:
        head = [say(f"common_cause.{name}") for name in ("cause", "hops", "nearest")]
        call.terminal.lines(rows([head, *(_row(item, call.terminal) for item in found.causes)]))
    elif not found.truncated:
        call.terminal.line(say("common_cause.none"))
    if found.truncated:
        call.terminal.line(call.terminal.paint(say("common_cause.truncated"), "yellow"))


def violations(call: Call, options: Violations) -> None:
    """List what cannot be: causes later than their effects, and circles."""
    with closing(build(call.settings)) as services, progress.cleared():
        late = services.oddities.time_violations(call.namespace, options.limit, tell)
        circles = services.oddities.cycles(call.namespace, options.limit, tell)
        ends = services.store.get(
            call.namespace, [end for edge in late for end in (edge.from_id, edge.to_id)]
        )
    if call.json:
        call.terminal.json({"time_violations": as_data(late), "cycles": as_data(circles)})
        return
    if not late and not circles:
        call.terminal.line(say("violations.none"))
    if late:
        call.terminal.line(say("violations.late"))
        call.terminal.lines(rows([_late(edge, ends, call.terminal) for edge in late]))
    if circles:
        call.terminal.line(say("violations.circles"))
        call.terminal.lines([" ← ".join(plain(memory.ref) for memory in (*one, one[0])) for one in circles])


def _row(item: SharedCause, terminal: Terminal) -> list[str]:
    name = f"{marked(item.memory, terminal)} {cut(headline(item.memory), WIDE)}"
    return [name, " + ".join(map(str, item.hops)), say("common_cause.nearest") if item.nearest else ""]


def _late(edge: CauseEdge, ends: Mapping[str, Memory], terminal: Terminal) -> list[str]:
    effect, cause = (
        f"{marked(ends[name], terminal)} {cut(headline(ends[name]), WIDE)}" if name in ends else name
        for name in (edge.effect_id, edge.cause_id)
    )
    return [f"{effect} ← {cause}", say("violations.lag", seconds=f"{-edge.lag_ms / 1000:.0f}")]
