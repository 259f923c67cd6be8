"""The command that follows an error to its root: as a tree, as data, as a picture, as a page."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from graphmem.analysis.walks import DEFAULT_HOPS
from graphmem.domain.causation import Grade
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import MemoryKind, Result
from graphmem.entrypoints.cli.answers import show_explanation, show_what_if
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option, options_of
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.pictures.dot import dot
from graphmem.entrypoints.cli.pictures.report import report
from graphmem.entrypoints.cli.pictures.svg import svg
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.ports.queries import PageRequest, Selection
from graphmem.services.what_if import what_if
from graphmem.wiring import Services, build

ALONE = 5
"""Causes of a fix of several of which the page says what mending them alone would have saved."""


@dataclass(frozen=True, kw_only=True)
class Explain(Printing):
    """Options of explain."""

    ref: Annotated[str, argument("REF")] = ""
    last: Annotated[bool, option("--last")] = False
    max_hops: Annotated[int, option("--max-hops")] = DEFAULT_HOPS
    limit: Annotated[int, option("--limit")] = 5
    min_grade: Annotated[str, option("--min-grade")] = ""
    no_inferred: Annotated[bool, option("--no-inferred")] = False
    as_of: Annotated[str, option("--as-of")] = ""
    valid_at: Annotated[str, option("--valid-at")] = ""
    without: Annotated[list[str], options_of("--without")] = field(default_factory=list)
    dot: Annotated[bool, option("--dot")] = False
    svg: Annotated[bool, option("--svg")] = False
    report: Annotated[str, option("--report", metavar="FILE")] = ""


def explain(call: Call, options: Explain) -> None:
    """Draw why something happened."""
    if call.json + options.dot + options.svg > 1:
        raise BadInputError("are given together", field="--json, --dot, --svg", remedy="choose one")
    grade = _grade(options)
    with closing(build(call.settings)) as services:
        ref = _asked(call, services, options)
        found = services.explain.explain(
            call.namespace,
            ref,
            options.max_hops,
            options.limit,
            grade,
            moment_of("as_of", options.as_of, now()),
            moment_of("valid_at", options.valid_at, now()),
        )
        if options.report:
            _write_report(call, services, found, options)
            return
    _show(call, found, options)


def _show(call: Call, found: Explanation, options: Explain) -> None:
    without = what_if(found, options.without) if options.without else None
    if call.json:
        told = as_data(found)
        call.terminal.json(told | {"what_if": as_data(without)} if without else told)
    elif options.dot:
        call.terminal.line(dot(found).rstrip("\n"))
    elif options.svg:
        call.terminal.line(svg(found).rstrip("\n"))
    else:
        show_explanation(found, call.terminal)
        if without:
            show_what_if(found, without, call.terminal)


def _write_report(call: Call, services: Services, found: Explanation, options: Explain) -> None:
    """One page in a file. Raises BadInputError where it cannot be written."""
    root = found.root.memory if found.root else found.of
    damage = services.explain.impact(call.namespace, root.id, options.max_hops)
    without = what_if(found, options.without or None)
    several = without.removed[:ALONE] if len(without.removed) > 1 else ()
    page = report(found, without, damage, [what_if(found, [node]) for node in several])
    path = Path(options.report)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"{path} cannot be written: {error.strerror}", field="report", remedy="name another file"
        ) from error
    call.terminal.line(say("report.written", path=path, kb=max(1, path.stat().st_size // 1024)))


def _asked(call: Call, services: Services, options: Explain) -> str:
    if bool(options.ref) == options.last:
        raise BadInputError("exactly one is needed", field="REF or --last", remedy="give one of the two")
    if options.ref:
        return options.ref
    failures = Selection(kinds=(MemoryKind.EXPERIENCE,), results=(Result.FAILURE,))
    latest = services.browse.memories(call.namespace, failures, PageRequest(first=1)).items
    if not latest:
        raise NotFoundError("no failure is recorded here", field="--last", remedy="check the namespace")
    return latest[0].id


def _grade(options: Explain) -> Grade:
    name = options.min_grade.upper() or (Grade.TRACED if options.no_inferred else Grade.INFERRED).name
    if name not in Grade.__members__:
        names = ", ".join(grade.name.lower() for grade in Grade)
        raise BadInputError(f"{options.min_grade!r} is no grade", field="min_grade", remedy=f"one of {names}")
    return max(Grade[name], Grade.TRACED) if options.no_inferred else Grade[name]
