"""One AgentRx trace from import to root: what `graphmem explain` prints, and beside it what the experts said.

python -m benchmarks.agentrx_one --data DIR

The trace stands in docs/follow-an-error.md. Edges as in benchmarks.agentrx; nothing of the label is used.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.agentrx import RECORD
from benchmarks.agentrx_traces import FILES, Trace, experiences, read_traces
from benchmarks.over_graphql import door
from benchmarks.reporting import arguments, require_data

SHOWN = "magentic/5d0080cb-90d7-4712-bc33-848150e917d3"
"""A trace of three agents in which the first answer is wrong, and one more edge puts it right."""
WIDE = 117
LINK = ("link", "E-5", "E-4")
"""The file that E-5 looks for is the one that E-4 invented."""


def shown(data: Path) -> Trace:
    """The trace that the page shows."""
    return next(trace for trace in read_traces(data) if trace.name == SHOWN)


def told(trace: Trace) -> list[str]:
    """The commands with what they print for the final failure, in a memory that holds nothing else; labels between."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/memory.db"
        with door(url) as opened:
            answer = opened.ask(RECORD, input=experiences(trace))["recordMany"]
            if answer["__typename"] != "RecordedMany":
                raise RuntimeError(str(answer))
        explain = ("explain", "--last", "--max-hops", "50")
        before, _, after = (_ran(url, words) for words in (explain, LINK, explain))
    asked, linked = (f"$ graphmem {' '.join(words)}" for words in (explain, LINK))
    table = after.index("") + 1
    return [asked, *before, "", *_labels(trace), "", linked, asked, "...", *after[table:]]


def _ran(url: str, words: Sequence[str]) -> list[str]:
    surroundings = os.environ | {"LANG": "en_US.UTF-8", "GRAPHMEM_STORE": url, "GRAPHMEM_EMBEDDER": "none"}
    command = [sys.executable, "-m", "graphmem", *words]
    printed = subprocess.run(command, env=surroundings, check=True, capture_output=True, text=True).stdout
    lines = [line.rstrip() for line in printed.splitlines()]
    return [line if len(line) <= WIDE else f"{line[: WIDE - 1]}…" for line in lines]


def _labels(trace: Trace) -> list[str]:
    """A line for every annotated failure, as it was recorded; the root as the experts named it is marked."""
    return [
        f"E-{number}  step {failure.step:>2}  {failure.agent:<12}  {failure.category}"
        + ("  <- root, say the experts" if failure.id == trace.root else "")
        for number, failure in enumerate(trace.failures, start=1)
    ]


def main() -> None:
    """Import, ask, print."""
    data = require_data(arguments(__doc__ or "").parse_args().data, *FILES)
    print("\n".join(told(shown(data))))


if __name__ == "__main__":
    main()
