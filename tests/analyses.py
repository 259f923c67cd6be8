"""Work for an analyst, and answers that fit it."""

from __future__ import annotations

from typing import Any

from graphmem.domain.analyses import AnalysisDraft, WorkItem, WorkKind
from graphmem.domain.memories import ContextSufficiency, RootCause, RootCauseType
from graphmem.wiring import Services
from tests.builders import NS

CAUSE = RootCause(
    summary="the empty cell was not looked for",
    type=RootCauseType.INFORMATION_GAP,
    prevention="look at the cells before parsing them",
    deviated_at=2,
    context_sufficiency=ContextSufficiency.INSUFFICIENT,
    change_at=1,
)
TASKS = ("fly over the sea", "bake brown bread", "paint the wall", "tune a guitar", "plant an oak")
"""Unlike each other: no pattern comes of them."""
LESSON = "a cell may be empty: ask for it before anything reads it"


def claimed(services: Services, owner: str = "ana", limit: int = 1) -> WorkItem:
    """The next item, held."""
    return services.analyse.claim(NS, owner, limit)[0]


def answer(item: WorkItem, **fields: Any) -> AnalysisDraft:
    """An answer that fits the item."""
    fitting: dict[str, Any] = {"root_cause": CAUSE}
    if item.kind is WorkKind.PATTERN:
        fitting["lesson"] = LESSON
    return AnalysisDraft(work_id=item.id, owner=item.owner, attempt=item.attempt, **(fitting | fields))


def submitted(services: Services, item: WorkItem, **fields: Any) -> Any:
    """The memory after an answer."""
    return services.analyse.submit(NS, answer(item, **fields)).memory


def waiting(services: Services) -> list[str]:
    """The refs of what nobody holds."""
    return [item.subject.ref for item in services.analyse.pending(NS, 100)]


def left(services: Services) -> tuple[int, int]:
    """Jobs and analyses that are still to be done."""
    state = services.store.state(NS)
    return state.pending_jobs, state.pending_analyses
