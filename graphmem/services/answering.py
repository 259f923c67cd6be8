"""What an analyst's answer makes of the memory it is about, and what of it is only handed back."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.analyses import AnalysisDraft
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import AnalysisState, Experience, Memory, Pattern, RootCause
from graphmem.domain.rules import INFORMED_BY, check_required, title_of
from graphmem.services.provenance import Provenance
from graphmem.services.revise import BY_CALLER


def answered(provenance: Provenance, current: Memory, draft: AnalysisDraft) -> Memory:
    """The failure or pattern after the answer.

    What the analyst was served and hands back is kept and marked: it supports no lesson and merges no patterns
    (invariant 8). Raises BadInputError for an answer that does not fit the question.
    """
    if isinstance(current, Pattern):
        return _worded(provenance, current, draft)
    assert isinstance(current, Experience)
    return _explained(provenance, current, draft)


def _explained(provenance: Provenance, current: Experience, draft: AnalysisDraft) -> Experience:
    _refuse(draft, ("lesson", "trigger_conditions"), "a failure")
    cause = _cause(draft)
    check_required("root_cause.summary", cause.summary)
    said = replace(current, correction="", generalization=draft.generalization, root_cause=cause)
    found = provenance.handed_back(said, draft.session_id)
    changed = replace(
        current,
        root_cause=cause,
        analysis=AnalysisState.DONE,
        informed_by=tuple(dict.fromkeys((*current.informed_by, *draft.informed_by, *found))),
    )
    if not draft.generalization:
        return changed
    return replace(changed, generalization=draft.generalization, generalization_source=BY_CALLER)


def _worded(provenance: Provenance, current: Pattern, draft: AnalysisDraft) -> Pattern:
    _refuse(draft, ("generalization",), "a pattern")
    check_required("lesson", draft.lesson)
    cause = _cause(draft)
    changed = replace(
        current,
        title=title_of(draft.lesson),
        lesson=draft.lesson,
        trigger_conditions=draft.trigger_conditions or current.trigger_conditions,
        root_cause=cause.summary or current.root_cause,
        root_cause_type=cause.type or current.root_cause_type,
        prevention=cause.prevention or current.prevention,
        source=BY_CALLER,
    )
    said = replace(changed, prevention=cause.prevention)
    found = tuple(dict.fromkeys((*draft.informed_by, *provenance.handed_back(said, draft.session_id))))
    if not found:
        return changed
    return replace(changed, metadata={**changed.metadata, INFORMED_BY: list(found)})


def _cause(draft: AnalysisDraft) -> RootCause:
    """The root cause as answered, its source the analyst; steps count from 1."""
    cause = draft.root_cause or RootCause(summary="")
    for name in ("deviated_at", "change_at"):
        step = getattr(cause, name)
        if step is not None and step < 1:
            raise BadInputError(
                "steps count from 1", field=f"root_cause.{name}", remedy="leave it out if unknown"
            )
    return replace(cause, source=BY_CALLER)


def _refuse(draft: AnalysisDraft, names: tuple[str, ...], what: str) -> None:
    for name in names:
        if getattr(draft, name):
            raise BadInputError(f"is not asked of {what}", field=name, remedy="leave it out")
