"""How one kind of failure usually leads to another: class by class, over all episodes."""

from __future__ import annotations

from datetime import datetime

from graphmem.analysis import propagation as analysis
from graphmem.analysis.class_links import MIN_EPISODES
from graphmem.analysis.history import Occurrence
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import MemoryKind
from graphmem.domain.overview import Bond, ClassPropagation, Propagation
from graphmem.services.habits import occurrence
from graphmem.services.survey import Survey

MOST_PAIRS = analysis.MAX_CLASSES**2
MOST_TRIALS = 1_000_000


def check_pairs(min_trials: int, limit: int) -> None:
    """Refuse min_trials outside 1 to 1,000,000 and a limit outside 1 to 40,000. Raises BadInputError."""
    for field, value, most in (("min_trials", min_trials, MOST_TRIALS), ("limit", limit, MOST_PAIRS)):
        if not 1 <= value <= most:
            raise BadInputError(f"must be from 1 to {most}", field=field, remedy="e.g. 5")


def propagated(seen: Survey, since: datetime | None, min_trials: int, limit: int) -> Propagation:
    """The pairs of classes with at least min_trials trials among the experiences since a time; limit of them.

    A class is the normalised error type. What was inferred or refuted counts for nothing.
    """
    events = _events(seen, since)
    found = analysis.propagation(events, seen.edges, min_trials=min_trials)
    return Propagation(
        pairs=tuple(_told(item) for item in found.pairs[:limit]),
        total=len(found.pairs),
        classes=found.classes,
        episodes=found.episodes,
        needed=MIN_EPISODES,
        unclassed=sum(event.failed and not event.error_class for event in events),
    )


def _events(seen: Survey, since: datetime | None) -> list[Occurrence]:
    return [
        occurrence(header)
        for header in seen.headers.values()
        if header.kind is MemoryKind.EXPERIENCE and (since is None or header.occurred_at >= since)
    ]


def _told(item: analysis.ClassPropagation) -> ClassPropagation:
    chance, link = item.probability, item.link
    return ClassPropagation(
        cause_class=item.cause_class,
        effect_class=item.effect_class,
        trials=item.trials,
        caused=item.caused,
        probability=chance.value,
        low=chance.low,
        high=chance.high,
        followed=item.followed,
        together=link.together if link else 0,
        lift=item.lift,
        q=link.q if link else None,
        bond=link.bond if link else Bond.CO_OCCURS,
    )
