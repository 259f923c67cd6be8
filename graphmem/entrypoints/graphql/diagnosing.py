"""How well the memory works, over GraphQL."""

from __future__ import annotations

import datetime as time

import strawberry
from strawberry import UNSET

from graphmem.domain import diagnostics as domain
from graphmem.domain.diagnostics import Check
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.keeping import ReplayedFailure, replayed
from graphmem.entrypoints.graphql.kinds import mirrored


@strawberry.type(description="A number. Names in Share are from 0 to 1, in Ms milliseconds, in H hours.")
class Figure:
    """A figure."""

    name: str
    value: float


@strawberry.type(description="One check.")
class DiagnosticRow:
    """A row."""

    check: Check
    ok: bool | None = strawberry.field(description="null: there is too little to judge.")
    figures: list[Figure]
    command: str = strawberry.field(description="Where to look next, on the command line.")
    sample: str


@strawberry.type(description="The checks of the first article (5.1, 5.4), a row each.")
class Diagnostics:
    """The answer of diagnostics."""

    since: time.datetime
    at: time.datetime
    rows: list[DiagnosticRow]
    misses: list[ReplayedFailure] = strawberry.field(
        description="Repeats among the newest 50 failures that would not be said now, with why."
    )


@strawberry.type
class DiagnosingQuery:
    """What can be asked about how well it works."""

    @answered()
    def diagnostics(self, info: Asked, since: time.datetime | None = UNSET) -> Diagnostics:
        """Why the memory does not help: what was written, whether scores tell mistakes apart, what is missed, reminder
        rate, latency, waiting jobs, clusters, segmenting. Without since the last 30 days. Takes some seconds.
        """
        return _diagnostics(info.context.services.diagnose.diagnose(info.context.namespace, since or None))


def _diagnostics(found: domain.Diagnostics) -> Diagnostics:
    rows = [
        mirrored(
            DiagnosticRow,
            row,
            figures=[Figure(name=_camel(one.name), value=one.value) for one in row.figures],
        )
        for row in found.rows
    ]
    return mirrored(Diagnostics, found, rows=rows, misses=[replayed(item) for item in found.misses])


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
