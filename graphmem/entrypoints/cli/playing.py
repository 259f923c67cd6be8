"""The command that plays the demo."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Annotated

from graphmem.config import SQLITE_PREFIX
from graphmem.domain.answers import Hit, Impact, Recollection
from graphmem.domain.explanations import Explanation
from graphmem.entrypoints.cli.answers import show_explanation, show_impact, show_reminders
from graphmem.entrypoints.cli.calling import PROGRAM, Call, Shared, option
from graphmem.entrypoints.cli.memories import headline, marked
from graphmem.entrypoints.cli.terminal import Terminal, columns, cut, pad, rows
from graphmem.tooling.demo import STARTS, Clock, Play, numbered_ids
from graphmem.tooling.demo_learn import HOLDOUT, LearnPlay
from graphmem.tooling.demo_long import ENDS, LongPlay
from graphmem.wiring import build

NAMESPACE = "demo"
"""Where the story lives unless another namespace is named."""
LABEL = 14
"""Columns before the hits of a list."""


@dataclass(frozen=True, kw_only=True)
class Demo(Shared):
    """Options of demo."""

    long: Annotated[bool, option("--long")] = False
    learn: Annotated[bool, option("--learn")] = False


def demo(call: Call, options: Demo) -> None:
    """Play the story in a store that is removed afterwards, or in the store that is named."""
    with TemporaryDirectory(prefix="graphmem-demo-") as folder:
        store = options.store or f"{SQLITE_PREFIX}{Path(folder) / 'memory.db'}"
        settings = replace(call.settings, store=store, namespace=options.namespace or NAMESPACE)
        if (options.long or options.learn) and not (options.store or options.embedder):
            settings = replace(settings, embedder="none")  # words do; nobody will search the store afterwards
        if options.learn:
            settings = replace(settings, holdout=HOLDOUT)
        clock = Clock(ENDS if options.long else STARTS)
        with closing(build(settings, clock=clock, new_id=numbered_ids())) as services:
            screen = TerminalScreen(call.terminal)
            if options.learn:
                LearnPlay(services, settings.namespace, call.language, screen).show()
            elif options.long:
                LongPlay(services, settings.namespace, call.language, screen).show()
            else:
                Play(services, settings.namespace, call.language, screen, program()).show()


def program() -> str:
    """How this program is called, in a form that can be pasted."""
    name = sys.argv[0]
    if which(PROGRAM) and Path(str(which(PROGRAM))).resolve() == Path(name).resolve():
        return PROGRAM
    if Path(name).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m graphmem.entrypoints.cli"
    return shlex.quote(name)


@dataclass(frozen=True, slots=True)
class TerminalScreen:
    """Shows a play on a terminal."""

    terminal: Terminal

    def line(self, text: str = "") -> None:
        """One line."""
        self.terminal.line(text)

    def heading(self, text: str) -> None:
        """A title, apart from what stands before."""
        self.terminal.line()
        self.terminal.line(self.terminal.paint(text, "bold"))

    def table(self, cells: Sequence[Sequence[str]]) -> None:
        """Aligned rows."""
        self.terminal.lines(rows(cells))

    def hits(self, label: str, hits: Sequence[Hit]) -> None:
        """One line a hit."""
        for place, hit in enumerate(hits):
            start = pad(f"   {label}" if not place else "", LABEL)
            text = f"{start}{marked(hit.memory, self.terminal)}  {hit.relevance:.2f}  {headline(hit.memory)}"
            width = self.terminal.width
            self.line(cut(text, width) if width and columns(text) > width else text)

    def reminders(self, found: Recollection) -> None:
        """What is said."""
        show_reminders(found, self.terminal)

    def explanation(self, found: Explanation) -> None:
        """The tree with its roots."""
        show_explanation(found, self.terminal)

    def impact(self, found: Impact) -> None:
        """The tree against the arrows."""
        show_impact(found, self.terminal)
