"""Work that was tried too often: kept as FAILED, counted, and tried again when somebody says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from graphmem.domain.answers import Finding
from graphmem.domain.memories import AnalysisState, Experience
from graphmem.domain.records import Job, JobKind, JobState, RecordKind
from graphmem.ports.changes import Changes, Update
from graphmem.ports.listing import job_of
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock

_AT_ONCE = 500
"""Jobs read at a time."""
_TRY_AGAIN = "'graphmem doctor --repair' has them tried again"
_REMEDIES = {
    JobKind.ANALYSE: f"nobody who claimed them answered: answer with memory_reflect, or {_TRY_AGAIN}",
    JobKind.GENERALIZE: f"nobody who claimed them answered: answer with memory_reflect, or {_TRY_AGAIN}",
    JobKind.NOTIFY: f"see whether GRAPHMEM_WEBHOOK answers, then {_TRY_AGAIN}",
}


def given_up(store: MemoryStore, namespace: str) -> Iterator[Job]:
    """The jobs that nobody tries any more, oldest first."""
    read = partial(store.records, namespace, RecordKind.JOB, RecordSelection(failed_jobs=True))
    for page in pages(read, PageRequest(first=_AT_ONCE)):
        yield from map(job_of, page.items)


def count_given_up(store: MemoryStore, namespace: str) -> dict[str, int]:
    """How many there are, by kind; kinds of which there is none are left out."""
    return dict(sorted(Counter(job.kind.value for job in given_up(store, namespace)).items()))


def findings(failed: Mapping[str, int]) -> tuple[Finding, ...]:
    """What is to be said of so many by kind."""
    if not failed:
        return (Finding(ok=True, what="no work was given up"),)
    return tuple(
        Finding(
            ok=False,
            what=f"{count} {kind} given up",
            remedy=_REMEDIES.get(JobKind(kind), f"see the log for the reason; {_TRY_AGAIN}"),
        )
        for kind, count in failed.items()
    )


def revival(store: MemoryStore, namespace: str, job: Job, clock: Clock) -> Changes:
    """The action that has a job tried again from its first attempt; its failure waits for an analysis again."""
    waiting = replace(job, state=JobState.PENDING, owner="", lease_until=None, attempt=0)
    changes = Changes(namespace=namespace, at=clock(), jobs=(waiting,))
    memory = store.get(namespace, [job.subject]).get(job.subject) if job.subject else None
    if not isinstance(memory, Experience) or memory.analysis is not AnalysisState.FAILED:
        return changes
    again = replace(memory, analysis=AnalysisState.PENDING)
    return replace(changes, update=(Update(memory=again, expected_version=memory.version),))
