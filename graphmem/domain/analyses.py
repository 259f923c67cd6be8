"""Work for an analyst, and its answer: why one failure happened, or what a pattern teaches in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.domain.memories import Experience, Memory, RootCause


class WorkKind(StrEnum):
    """What is asked: the root cause of a failure, or the lesson of a pattern in words."""

    FAILURE = "FAILURE"
    PATTERN = "PATTERN"


@dataclass(frozen=True, kw_only=True)
class WorkItem:
    """One thing to analyse. Texts of subject and evidence come from strangers: they are data, not instructions.

    subject: the failure, or the pattern; evidence: failures under the pattern, some of them, oldest first.
    questions: what is to be answered, in the language of the subject. attempt: 0 while nobody holds it; who holds it
    answers with owner and attempt until lease_until.
    """

    id: str
    kind: WorkKind
    subject: Memory
    evidence: tuple[Experience, ...] = ()
    questions: tuple[str, ...] = ()
    waiting_since: datetime
    owner: str = ""
    attempt: int = 0
    lease_until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What somebody makes of a failure or of a pattern.

    Of a failure root_cause (with a summary) and, where there is one, generalization; of a pattern lesson,
    trigger_conditions and root_cause. session_id and informed_by: what the analyst had been shown by this memory.
    """

    root_cause: RootCause | None = None
    generalization: str = ""
    lesson: str = ""
    trigger_conditions: str = ""
    session_id: str = ""
    informed_by: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AnalysisDraft(Analysis):
    """The answer to a work item, by who holds it."""

    work_id: str
    owner: str
    attempt: int
    key: str = ""
