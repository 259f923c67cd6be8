"""Commands on what caused what."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.analysis.walks import DEFAULT_HOPS
from graphmem.domain.causation import CauseEdge, Grade, VerdictKind
from graphmem.domain.drafts import ASSERTED_CONFIDENCE, CauseLink, CauseReview
from graphmem.entrypoints.cli.answers import show_impact
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import headline, lined, marked
from graphmem.entrypoints.cli.piping import piped
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.trees import edge_label
from graphmem.entrypoints.cli.words import say
from graphmem.entrypoints.plain import cause_of
from graphmem.wiring import Services, build


@dataclass(frozen=True, kw_only=True)
class Link(Printing):
    """Options of link."""

    effect: Annotated[str, argument("EFFECT")]
    cause: Annotated[str, argument("CAUSE")] = ""
    confidence: Annotated[float, option("--confidence")] = ASSERTED_CONFIDENCE
    note: Annotated[str, piped(option("--note"))] = ""
    traced: Annotated[bool, option("--traced")] = False
    by: Annotated[str, option("--by")] = ""


@dataclass(frozen=True, kw_only=True)
class Review(Printing):
    """Options of review."""

    effect: Annotated[str, argument("EFFECT")]
    cause: Annotated[str, argument("CAUSE")]
    verdict: Annotated[VerdictKind, argument("VERDICT", case_sensitive=False)]
    reason: Annotated[str, piped(option("--reason"))] = ""
    by: Annotated[str, option("--by")] = ""


@dataclass(frozen=True, kw_only=True)
class Impact(Printing):
    """Options of impact."""

    ref: Annotated[str, argument("REF")]
    max_hops: Annotated[int, option("--max-hops")] = DEFAULT_HOPS


def link(call: Call, options: Link) -> None:
    """State a cause; without one, list what may be it."""
    with closing(build(call.settings)) as services:
        if not options.cause:
            _suggest(call, services, options.effect)
            return
        wanted = CauseLink(
            effect=options.effect,
            cause=cause_of(options.cause, options.confidence, options.note),
            grade=Grade.TRACED if options.traced else Grade.ASSERTED,
            by=options.by or "cli",
        )
        _show_edge(call, services, services.link.link(call.namespace, wanted))


def review(call: Call, options: Review) -> None:
    """Confirm or refute a cause."""
    wanted = CauseReview(
        effect=options.effect,
        cause=options.cause,
        verdict=options.verdict,
        by=options.by or "cli",
        reason=options.reason,
    )
    with closing(build(call.settings)) as services:
        _show_edge(call, services, services.link.review(call.namespace, wanted))


def impact(call: Call, options: Impact) -> None:
    """Draw what followed from something."""
    with closing(build(call.settings)) as services:
        found = services.explain.impact(call.namespace, options.ref, options.max_hops)
    if call.json:
        call.terminal.json(as_data(found))
    else:
        show_impact(found, call.terminal)


def _suggest(call: Call, services: Services, effect: str) -> None:
    proposals = services.link.suggest(call.namespace, effect)
    if call.json:
        call.terminal.json([as_data(proposal) for proposal in proposals])
        return
    if not proposals:
        call.terminal.line(say("link.none"))
    for proposal in proposals:
        ref = marked(proposal.memory, call.terminal)
        call.terminal.line(f"{proposal.score:.2f}  {ref} {headline(proposal.memory)}")
        call.terminal.line(f"      {plain(', '.join(proposal.reasons))}")


def _show_edge(call: Call, services: Services, edge: CauseEdge) -> None:
    if call.json:
        call.terminal.json(as_data(edge))
        return
    effect, cause = (services.browse.memory(call.namespace, end) for end in (edge.effect_id, edge.cause_id))
    support = edge_label(edge, call.terminal) if edge.active else say("edge.refuted")
    call.terminal.line(lined(effect, call.terminal))
    call.terminal.line(f"└─ {support}  {lined(cause, call.terminal)}")
