"""The command that changes the embedder of a namespace."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from graphmem.domain.answers import ReembedProgress
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.calling import Call, Printing
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Reembed(Printing):
    """Options of reembed."""


def reembed(call: Call, options: Reembed) -> None:
    """Give every memory vectors of the chosen embedder, also those that wait for theirs."""
    with closing(build(call.settings)) as services:
        try:
            report = services.reembed.reembed(call.namespace, _tell)
            while services.maintain.embed_pending(call.namespace):
                pass
        finally:
            progress.show("")
    if call.json:
        call.terminal.json(as_data(report))
        return
    key = "reembed.done" if report.memories else "reembed.nothing"
    call.terminal.line(
        say(key, namespace=plain(report.namespace), count=report.memories, space=plain(report.space))
    )


def _tell(how: ReembedProgress) -> None:
    key = "reembed.waiting" if how.waiting else "reembed.progress"
    progress.show(say(key, namespace=plain(how.namespace), done=how.done, total=how.total))
