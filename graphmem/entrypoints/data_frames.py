"""What a namespace holds as pandas data frames. pandas comes with the extra `lab`; only this module imports it.

Texts are '' where nothing was said, times are UTC to the microsecond, NaT and NA stand for what does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import pandas as pd

from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.memories import Experience, is_failure
from graphmem.domain.rules import error_class
from graphmem.services.history import Judged

_T = TypeVar("_T")
Column = tuple[Any, Callable[[_T], object]]
"""The dtype of a column, and how its value is read from an item."""

_TEXT = "str"
_TIME = "datetime64[us, UTC]"
_GRADE = pd.CategoricalDtype([grade.name for grade in Grade], ordered=True)

EXPERIENCES: Mapping[str, Column[Experience]] = {
    "ref": (_TEXT, lambda item: item.ref),
    "title": (_TEXT, lambda item: item.title),
    "action": (_TEXT, lambda item: item.action),
    "context": (_TEXT, lambda item: item.context),
    "result": (_TEXT, lambda item: item.result.value),
    "failed": ("bool", is_failure),
    "error_type": (_TEXT, lambda item: item.error_type),
    "error_class": (_TEXT, lambda item: error_class(item.error_type)),
    "tool": (_TEXT, lambda item: item.tool),
    "agent": (_TEXT, lambda item: item.agent),
    "task_type": (_TEXT, lambda item: item.task_type),
    "task_id": (_TEXT, lambda item: item.task_id),
    "session_id": (_TEXT, lambda item: item.session_id),
    "episode": (_TEXT, lambda item: item.episode),
    "occurred_at": (_TIME, lambda item: item.occurred_at),
    "recorded_at": (_TIME, lambda item: item.recorded_at),
    "state": (_TEXT, lambda item: item.state.value),
    "cluster_id": (_TEXT, lambda item: item.cluster_id),
    "tier": (_TEXT, lambda item: item.tier.value),
    "analysis": (_TEXT, lambda item: item.analysis.value),
    "root_cause": (_TEXT, lambda item: item.root_cause.summary if item.root_cause else ""),
    "root_cause_type": (
        _TEXT,
        lambda item: item.root_cause.type if item.root_cause and item.root_cause.type else "",
    ),
    "correction": (_TEXT, lambda item: item.correction),
    "generalization": (_TEXT, lambda item: item.generalization),
    "informed": ("bool", lambda item: bool(item.informed_by)),
    "writer": (_TEXT, lambda item: item.writer.id),
    "channel": (_TEXT, lambda item: item.writer.channel.value),
    "trust": ("float64", lambda item: item.writer.trust),
    "tags": ("object", lambda item: item.tags),
    "version": ("int64", lambda item: item.version),
}
"""One row an experience, by id. failed: the result is FAILURE; informed: it was told something before it acted."""

EDGES: Mapping[str, Column[CauseEdge]] = {
    "effect_id": (_TEXT, lambda edge: edge.effect_id),
    "cause_id": (_TEXT, lambda edge: edge.cause_id),
    "grade": (_GRADE, lambda edge: None if edge.grade is None else edge.grade.name),
    "confidence": ("float64", lambda edge: edge.confidence),
    "active": ("bool", lambda edge: edge.active),
    "lag": ("float64", lambda edge: edge.lag_ms / 1000),
    "recorded_at": (_TIME, lambda edge: edge.recorded_at),
    "evidence": ("int64", lambda edge: len(edge.evidence)),
    "methods": ("object", lambda edge: tuple(dict.fromkeys(item.method for item in edge.evidence))),
    "verdict": (_TEXT, lambda edge: edge.verdicts[-1].kind.value if edge.verdicts else ""),
}
"""One row a cause edge, refuted ones too (grade NA, confidence 0, active False). lag: seconds from cause to effect."""

EXPOSURES: Mapping[str, Column[Judged]] = {
    "session_id": (_TEXT, lambda item: item.exposure.session_id),
    "lineage": (_TEXT, lambda item: item.lineage),
    "memory_id": (_TEXT, lambda item: item.exposure.memory_id),
    "at": (_TIME, lambda item: item.exposure.at),
    "said_at": (_TIME, lambda item: item.exposure.said_at),
    "shown": ("bool", lambda item: item.exposure.shown),
    "rate": ("float64", lambda item: item.exposure.rate),
    "strength": (_TEXT, lambda item: item.exposure.strength.value),
    "answer": (_TEXT, lambda item: item.exposure.answer.value if item.exposure.answer else ""),
    "answered_at": (_TIME, lambda item: item.exposure.answered_at),
    "outcome": (_TEXT, lambda item: item.outcome.value),
}
"""One row an exposure, by id, as the rates of recurrence and experiment count them: a lineage once a session."""


def experiences(items: Iterable[Experience]) -> pd.DataFrame:
    """Experiences as a frame with the columns of EXPERIENCES, indexed by id."""
    return _frame(items, EXPERIENCES, lambda item: item.id)


def edges(items: Iterable[CauseEdge]) -> pd.DataFrame:
    """Cause edges as a frame with the columns of EDGES, numbered from 0."""
    return _frame(items, EDGES, None)


def exposures(items: Iterable[Judged]) -> pd.DataFrame:
    """Exposures as a frame with the columns of EXPOSURES, indexed by id."""
    return _frame(items, EXPOSURES, lambda item: item.exposure.id)


def _frame(
    items: Iterable[_T], columns: Mapping[str, Column[_T]], key: Callable[[_T], str] | None
) -> pd.DataFrame:
    """A frame whose columns have their dtypes even where it has no rows."""
    rows = list(items)
    index = None if key is None else pd.Index([key(item) for item in rows], dtype=_TEXT, name="id")
    return pd.DataFrame(
        {
            name: pd.Series([read(item) for item in rows], dtype=dtype, index=index)
            for name, (dtype, read) in columns.items()
        }
    )
