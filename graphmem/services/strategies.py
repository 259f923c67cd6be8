"""Making a strategy out of a pattern: by a person's word, or by policy."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial

from graphmem.analysis.lessons import same_lesson
from graphmem.analysis.redaction import redact
from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.drafts import Promotion
from graphmem.domain.memories import MemoryKind, Pattern, State, Strategy, StrategyStatus, Writer
from graphmem.domain.rules import title_of
from graphmem.ports.changes import Changes, Request
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.furnish import Furnish
from graphmem.services.patterns import BY_RULE

_PAGE = 500
GENERAL = "general"
"""The category of a pattern whose tasks have no type."""


def strategies_over(store: MemoryStore, pattern: Pattern) -> list[Strategy]:
    """All strategies that were made of a pattern, retired ones too."""
    selection = EdgeSelection(kinds=(GeneralizesEdge.kind,), to_ids=(pattern.id,))
    edges = store.edges(pattern.namespace, selection, PageRequest()).items
    found = store.get(pattern.namespace, [edge.from_id for edge in edges])
    return [memory for memory in found.values() if isinstance(memory, Strategy)]


def same_strategy(store: MemoryStore, wanted: Strategy) -> Strategy | None:
    """A strategy that is not retired and says nearly the same about the same kind of work."""
    selection = Selection(kinds=(MemoryKind.STRATEGY,), states=(State.ACTIVE,))
    read = partial(store.find, wanted.namespace, selection)
    known = (one for page in pages(read, PageRequest(first=_PAGE, ascending=True)) for one in page.items)
    for one in known:
        if isinstance(one, Strategy) and one.status is not StrategyStatus.RETIRED and _alike(one, wanted):
            return one
    return None


def has_guidance(pattern: Pattern) -> bool:
    """Whether a pattern says what to do: a remedy, or a lesson that somebody worded."""
    return bool(pattern.prevention) or pattern.source != BY_RULE


def category_of(pattern: Pattern) -> str:
    """The kind of work that a pattern is about."""
    return pattern.task_types[0] if pattern.task_types else GENERAL


def strategy_of(
    pattern: Pattern, wanted: Promotion, id: str, at: datetime, status: StrategyStatus
) -> Strategy:
    """A strategy that says what was wanted of it, else what prevents the failures of the pattern."""
    guidance = redact(wanted.guidance).text or pattern.prevention or pattern.lesson
    return Strategy(
        id=id,
        namespace=pattern.namespace,
        occurred_at=at,
        recorded_at=at,
        title=title_of(guidance),
        task_type=category_of(pattern),
        category=redact(wanted.category).text or category_of(pattern),
        guidance=guidance,
        status=status,
        writer=Writer(wanted.by),
    )


def sharing(pattern: Pattern, strategy: Strategy, at: datetime) -> Changes:
    """The one action that puts a pattern under a strategy that another pattern led to."""
    key = f"strategy:{pattern.id}:0"
    return Changes(
        namespace=pattern.namespace,
        at=at,
        edges=(
            GeneralizesEdge(from_id=strategy.id, to_id=pattern.id, recorded_at=at, source=strategy.writer.id),
        ),
        requests=(Request(key=key, payload_hash=key, memory_id=strategy.id),),
    )


def promotion(pattern: Pattern, strategy: Strategy, earlier: int, furnish: Furnish) -> Changes:
    """The one action that makes the strategy. earlier: strategies that the pattern had before.

    Its key names the pattern and how many came before, so that of two at once one is made.
    """
    furnished = furnish(pattern.namespace, [strategy], strategy.recorded_at)
    at, source = strategy.recorded_at, strategy.writer.id
    edge = GeneralizesEdge(from_id=strategy.id, to_id=pattern.id, recorded_at=at, source=source)
    key = f"strategy:{pattern.id}:{earlier}"
    return replace(
        furnished.changes(pattern.namespace, at),
        create=furnished.memories,
        edges=(edge,),
        requests=(Request(key=key, payload_hash=key, memory_id=strategy.id),),
    )


def _alike(first: Strategy, second: Strategy) -> bool:
    return first.category == second.category and same_lesson(first.guidance, second.guidance)
