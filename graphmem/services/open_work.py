"""Work that waits for an analyst: how it begins with a memory, and how it ends when nothing is asked any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from graphmem.domain.analyses import WorkKind
from graphmem.domain.memories import AnalysisState, Experience, Memory, Pattern, State, is_failure
from graphmem.domain.records import Job, JobKind, JobState, RecordKind
from graphmem.ports.changes import Changes, JobFinish
from graphmem.ports.listing import job_of
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.ports.store import MemoryStore
from graphmem.services.patterns import BY_RULE

WORK = {JobKind.ANALYSE: WorkKind.FAILURE, JobKind.GENERALIZE: WorkKind.PATTERN}
"""What an analyst is asked by a job of a kind."""
_UNANSWERED = (AnalysisState.PENDING, AnalysisState.FAILED)
_SETTLER = "settled"
"""Who holds a job in the action that ends it without an analyst."""


def analyses(memories: Iterable[Memory], at: datetime) -> tuple[Job, ...]:
    """What an analyst is to be asked about new memories: failures whose writer named no cause, patterns by rule."""
    return tuple(
        Job(id=f"{memory.id}:{kind.value.lower()}", kind=kind, created_at=at, subject=memory.id)
        for memory in memories
        for kind, work in WORK.items()
        if asks(work, memory)
    )


def asks(kind: WorkKind, memory: Memory) -> bool:
    """Whether a memory is in use and still to be analysed."""
    if memory.state is not State.ACTIVE:
        return False
    if kind is WorkKind.PATTERN:
        return isinstance(memory, Pattern) and memory.source == BY_RULE
    return is_failure(memory) and isinstance(memory, Experience) and memory.analysis is AnalysisState.PENDING


def unanswered(memory: Memory) -> bool:
    """Whether an analyst is asked about a memory, or was until the work was given up."""
    if isinstance(memory, Experience) and memory.analysis in _UNANSWERED:
        memory = replace(memory, analysis=AnalysisState.PENDING)
    return any(asks(kind, memory) for kind in WorkKind)


def work_about(store: MemoryStore, memory: Memory) -> Job | None:
    """What of a memory waits for an analyst, is held, or was given up."""
    about = RecordSelection(subject=memory.id)
    found = store.records(memory.namespace, RecordKind.JOB, about, PageRequest()).items
    return next((job for job in map(job_of, found) if job.kind in WORK), None)


def ending(changes: Changes, job: Job | None) -> Changes:
    """The action with the end of a job: one that nobody holds is taken in the same action, so that who claims it at
    the same moment is refused; one that somebody holds is ended for its holder.
    """
    if job is None:
        return changes
    if job.state is not JobState.RUNNING:
        job = replace(job, state=JobState.RUNNING, owner=_SETTLER, attempt=job.attempt + 1)
        changes = replace(changes, jobs=(*changes.jobs, job))
    return replace(changes, finish=JobFinish.of(job))


def settled(store: MemoryStore, changes: Changes, before: Memory, after: Memory) -> Changes:
    """The action that changes a memory, with the end of what an analyst was to be asked where that answers it, or
    takes the memory out of use. An analyst who is at it finds the work gone: what a caller says stands.
    """
    if not unanswered(before) or unanswered(after):
        return changes
    return ending(changes, work_about(store, before))
