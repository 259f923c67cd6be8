"""`clusters --tune` and `--plot`: the cut of the clusters beside a person's judgement, and their picture."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from graphmem.domain.errors import BadInputError
from graphmem.entrypoints.cli.calling import Call
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.pictures.scatter import scatter
from graphmem.entrypoints.cli.terminal import rows
from graphmem.entrypoints.cli.words import say
from graphmem.services.reflect import Dot, Tuning

ANSWERS = {
    "1": True,
    "yes": True,
    "true": True,
    "是": True,
    "0": False,
    "no": False,
    "false": False,
    "否": False,
}


def read_pairs(file: str) -> list[tuple[str, str, bool]]:
    """Lines of two refs or ids and whether they belong together; a first line without an answer is a header.

    Raises BadInputError, naming the line.
    """
    try:
        lines = list(csv.reader(Path(file).read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputError(
            f"{file} cannot be read: {error}", field="--tune", remedy="name a CSV file in UTF-8"
        ) from error
    pairs = []
    for number, row in enumerate(lines, start=1):
        cells = [cell.strip() for cell in row]
        if len(cells) == 3 and cells[2].lower() in ANSWERS:
            pairs.append((cells[0], cells[1], ANSWERS[cells[2].lower()]))
        elif any(cells) and number > 1:
            raise BadInputError(
                f"line {number} is no judged pair", field="--tune", remedy="write e.g. E-1,E-2,yes"
            )
    return pairs


def show_tuning(call: Call, found: Tuning) -> None:
    """Print the curve, the best cut and the one in use."""
    if call.json:
        call.terminal.json(as_data(found))
        return
    names = [say(f"tune.{name}") for name in ("cut", "precision", "recall", "f1")]
    cells = [
        [f"{point.cut:.2f}", f"{point.precision:.2f}", f"{point.recall:.2f}", f"{point.f1:.2f}"]
        for point in found.curve.points
    ]
    call.terminal.lines(rows([names, *cells], frozenset(range(4))))
    call.terminal.line(
        say("tune.best", best=f"{found.curve.best:.2f}", pairs=found.curve.pairs, now=f"{found.now:.2f}")
    )


def plot(call: Call, dots: Sequence[Dot], file: str) -> None:
    """Write the picture. Raises BadInputError where it cannot be written."""
    path = Path(file)
    try:
        path.write_text(scatter(dots), encoding="ascii")
    except OSError as error:
        raise BadInputError(
            f"{path} cannot be written: {error.strerror}", field="--plot", remedy="name another file"
        ) from error
    if not call.json:
        call.terminal.line(say("report.written", path=path, kb=max(1, path.stat().st_size // 1024)))
