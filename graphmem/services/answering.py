"""What an analyst's answer makes of the memory it is about, and what of it is only handed back."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.analyses import Analysis
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import AnalysisState, Experience, Memory, Pattern, RootCause, is_failure
from graphmem.domain.rules import INFORMED_BY, check_required, title_of
from graphmem.services.provenance import Provenance
from graphmem.services.revise import BY_CALLER


def answered(provenance: Provenance, current: Memory, said: Analysis, by: str = BY_CALLER) -> Memory:
    """The failure or pattern after the answer. by: the source of the answer.

    What the analyst was served and hands back is kept and marked: it supports no lesson and merges no patterns
    (invariant 8). Raises BadInputError for an answer that does not fit the question.
    """
    if isinstance(current, Experience) and said.root_cause is None:
        said = replace(said, root_cause=RootCause(summary=""))
    return told(provenance, current, said, by)


def told(provenance: Provenance, current: Memory, said: Analysis, by: str = BY_CALLER) -> Memory:
    """The memory after words that nobody may have asked for: like an answer, but an experience can be given a
    generalization alone. Words that stand there already change nothing. Raises BadInputError.
    """
    if isinstance(current, Pattern):
        return _worded(provenance, current, said, by)
    if isinstance(current, Experience):
        return _explained(provenance, current, said, by)
    raise BadInputError(
        f"{current.ref} is neither a pattern nor an experience", field="id", remedy="name P-n, or E-n"
    )


def _explained(provenance: Provenance, current: Experience, said: Analysis, by: str) -> Experience:
    _refuse(said, ("lesson", "trigger_conditions"), "an experience")
    changed = current
    if said.root_cause is not None:
        cause = _cause(said, by)
        check_required("root_cause.summary", cause.summary)
        state = AnalysisState.DONE if is_failure(current) else current.analysis
        changed = replace(changed, root_cause=cause, analysis=state)
    if said.generalization:
        changed = replace(changed, generalization=said.generalization, generalization_source=by)
    if changed == current:
        return current
    cause_said = changed.root_cause if said.root_cause else None
    words = replace(current, correction="", generalization=said.generalization, root_cause=cause_said)
    found = provenance.handed_back(words, said.session_id)
    informed_by = tuple(dict.fromkeys((*current.informed_by, *said.informed_by, *found)))
    return replace(changed, informed_by=informed_by)


def _worded(provenance: Provenance, current: Pattern, said: Analysis, by: str) -> Pattern:
    _refuse(said, ("generalization",), "a pattern")
    check_required("lesson", said.lesson)
    cause = _cause(said, by)
    changed = replace(
        current,
        title=title_of(said.lesson),
        lesson=said.lesson,
        trigger_conditions=said.trigger_conditions or current.trigger_conditions,
        root_cause=cause.summary or current.root_cause,
        root_cause_type=cause.type or current.root_cause_type,
        prevention=cause.prevention or current.prevention,
        source=by,
    )
    if changed == current:
        return current
    words = replace(changed, prevention=cause.prevention)
    found = tuple(dict.fromkeys((*said.informed_by, *provenance.handed_back(words, said.session_id))))
    if not found:
        return changed
    return replace(changed, metadata={**changed.metadata, INFORMED_BY: list(found)})


def _cause(said: Analysis, by: str) -> RootCause:
    """The root cause as answered, its source the analyst; steps count from 1."""
    cause = said.root_cause or RootCause(summary="")
    for name in ("deviated_at", "change_at"):
        step = getattr(cause, name)
        if step is not None and step < 1:
            raise BadInputError(
                "steps count from 1", field=f"root_cause.{name}", remedy="leave it out if unknown"
            )
    return replace(cause, source=by)


def _refuse(said: Analysis, names: tuple[str, ...], what: str) -> None:
    for name in names:
        if getattr(said, name):
            raise BadInputError(f"is not asked of {what}", field=name, remedy="leave it out")
