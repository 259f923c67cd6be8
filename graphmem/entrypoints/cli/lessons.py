"""Commands on lessons: what failures have in common, and what people decide about it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, TypeVar

from graphmem.domain.answers import Cluster, Reflection
from graphmem.domain.drafts import PatternReview, Promotion, StrategyReview
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, Pattern, PatternStatus, Strategy, StrategyStatus
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import lined
from graphmem.entrypoints.cli.piping import piped
from graphmem.entrypoints.cli.terminal import Terminal, plain
from graphmem.entrypoints.cli.tuning import plot, read_pairs, show_tuning
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build

_DECISIONS = sorted({*PatternStatus, *StrategyStatus} - {PatternStatus.REGRESSED})


@dataclass(frozen=True, kw_only=True)
class Reflect(Printing):
    """Options of reflect."""

    due: Annotated[bool, option("--due")] = False
    profile: Annotated[str, option("--profile")] = ""


@dataclass(frozen=True, kw_only=True)
class Clusters(Printing):
    """Options of clusters."""

    limit: Annotated[int, option("--limit")] = 20
    tune: Annotated[str, option("--tune")] = ""
    plot: Annotated[str, option("--plot")] = ""


@dataclass(frozen=True, kw_only=True)
class Promote(Printing):
    """Options of promote."""

    pattern: Annotated[str, argument("PATTERN")]
    category: Annotated[str, option("--category")] = ""
    guidance: Annotated[str, piped(option("--guidance"))] = ""
    by: Annotated[str, option("--by")] = ""


@dataclass(frozen=True, kw_only=True)
class Decide(Printing):
    """Options of decide."""

    lesson: Annotated[str, argument("LESSON")]
    decision: Annotated[str, argument("DECISION")]
    reason: Annotated[str, piped(option("--reason"))] = ""
    by: Annotated[str, option("--by")] = ""


def reflect(call: Call, options: Reflect) -> None:
    """Look at all failures again."""
    with closing(build(call.settings)) as services:
        if options.due and not services.reflect.is_due(call.namespace):
            call.terminal.line("null" if call.json else say("reflect.not_due"))
            return
        found = services.reflect.reflect(call.namespace, options.profile)
    if call.json:
        call.terminal.json(as_data(found))
    else:
        _show_reflection(found, call.terminal)


def clusters(call: Call, options: Clusters) -> None:
    """List what failures have in common, judge the cut by labelled pairs, or draw a picture."""
    with closing(build(call.settings)) as services:
        if options.tune:
            show_tuning(call, services.reflect.tune(call.namespace, read_pairs(options.tune)))
        if options.plot:
            plot(call, services.reflect.picture(call.namespace), options.plot)
        if options.tune or options.plot:
            return
        found = services.reflect.clusters(call.namespace, options.limit)
    if call.json:
        call.terminal.json([as_data(cluster) for cluster in found])
        return
    if not found:
        call.terminal.line(say("clusters.none"))
    for cluster in found:
        _show_cluster(cluster, call.terminal)


def promote(call: Call, options: Promote) -> None:
    """Make a pattern a strategy."""
    wanted = Promotion(
        pattern=options.pattern,
        category=options.category,
        guidance=options.guidance,
        by=options.by or "cli",
    )
    with closing(build(call.settings)) as services:
        _show_lesson(call, services.curate.promote(call.namespace, wanted).memory)


def decide(call: Call, options: Decide) -> None:
    """Settle or mute a pattern, begin or end a strategy."""
    with closing(build(call.settings)) as services:
        lesson = services.browse.memory(call.namespace, options.lesson)
        by, reason = options.by or "cli", options.reason
        if isinstance(lesson, Strategy):
            status = _status(StrategyStatus, options.decision)
            review = StrategyReview(id=lesson.id, status=status, by=by, reason=reason)
            _show_lesson(call, services.curate.review_strategy(call.namespace, review))
        else:
            decision = _status(PatternStatus, options.decision)
            settled = PatternReview(id=lesson.id, status=decision, by=by, reason=reason)
            _show_lesson(call, services.curate.review_pattern(call.namespace, settled))


_Status = TypeVar("_Status", PatternStatus, StrategyStatus)


def _status(kind: type[_Status], text: str) -> _Status:
    try:
        return kind(text.upper())
    except ValueError as error:
        names = ", ".join(name.lower() for name in kind if name in _DECISIONS)
        raise BadInputError(
            f"{text!r} is no decision about it", field="decision", remedy=f"one of {names}"
        ) from error


def _show_reflection(found: Reflection, terminal: Terminal) -> None:
    terminal.line(say("reflect.looked", failures=found.failures, clusters=found.clusters, alone=found.alone))
    for name in ("patterns", "merged", "reworded", "strategies", "moved", "left_out"):
        if count := getattr(found, name):
            terminal.line(f"  {count}  {say(f'reflect.{name}')}")


def _show_cluster(cluster: Cluster, terminal: Terminal) -> None:
    lesson = cluster.pattern
    named = f"  {lined(lesson, terminal)} ({_standing(lesson)})" if lesson else ""
    terminal.line(f"{say('clusters.size', n=cluster.size)}{named}")
    for member in cluster.members:
        terminal.line(f"  {lined(member, terminal)}")
    if cluster.size > len(cluster.members):
        terminal.line(f"  … {cluster.size - len(cluster.members)}")


def _show_lesson(call: Call, lesson: Memory) -> None:
    if call.json:
        call.terminal.json(as_data(lesson))
        return
    call.terminal.line(f"{lined(lesson, call.terminal)} ({_standing(lesson)})")
    call.terminal.line(f"  {plain(lesson.text)}")


def _standing(lesson: Memory) -> str:
    """How a lesson stands: a pattern by its support, a strategy by its category."""
    if isinstance(lesson, Pattern):
        return say(
            "lesson.pattern", level=lesson.level.lower(), status=lesson.status.lower(), n=lesson.episodes
        )
    assert isinstance(lesson, Strategy)
    return say("lesson.strategy", status=lesson.status.lower(), category=plain(lesson.category))
