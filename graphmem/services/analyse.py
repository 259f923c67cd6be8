"""Analyses by somebody else than a rule: work that waits, is claimed under a lease, and answered once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial

from graphmem.analysis.questions import questions
from graphmem.analysis.redaction import redact
from graphmem.domain.analyses import Analysis, AnalysisDraft, WorkItem
from graphmem.domain.answers import Written
from graphmem.domain.errors import GraphmemError, NotFoundError, StaleError
from graphmem.domain.memories import AnalysisState, Experience, Memory, Pattern
from graphmem.domain.records import FOR_AN_ANALYST, Job, JobKind, JobState, RecordKind
from graphmem.domain.rules import MAX_SHORT, check_namespace, check_page, check_required, check_text
from graphmem.ports.changes import Changes, JobFinish, Receipt, Request, Update
from graphmem.ports.listing import job_of
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.answering import answered, told
from graphmem.services.causes import require
from graphmem.services.furnish import Furnish
from graphmem.services.intake import Clock, clean, payload_hash
from graphmem.services.notebook import Notebook
from graphmem.services.open_work import WORK, asks, ending, unanswered, work_about
from graphmem.services.provenance import Provenance
from graphmem.services.receipts import known_receipt
from graphmem.services.revise import BY_CALLER
from graphmem.services.teaching import members_of, retaught

LEASE = timedelta(minutes=15)
"""How long a claimed item is its claimer's alone."""
POISONED = 5
"""Claims after which an item that nobody answered is given up: kept as FAILED, and reported."""
EVIDENCE = 8
"""Failures that are shown with a pattern."""
_log = logging.getLogger(__name__)
_ATTEMPTS = 100
"""How often an answer that met another change of its memory is made again on the newer value."""


class Analyse:
    """Hands out what waits for an analyst, patterns before failures, the oldest first, and takes the answers."""

    def __init__(
        self,
        store: MemoryStore,
        furnish: Furnish,
        clock: Clock,
        notebook: Notebook,
        settle: Callable[[str, str], bool],
    ) -> None:
        """settle: makes a strategy of a pattern (namespace, id) that has earned one."""
        self._store = store
        self._furnish = furnish
        self._clock = clock
        self._notebook = notebook
        self._settle = settle
        self._provenance = Provenance(store)

    def pending(
        self, namespace: str, limit: int = 5, kinds: Sequence[JobKind] = FOR_AN_ANALYST
    ) -> tuple[WorkItem, ...]:
        """What nobody holds, without holding it. limit: 1 to 100. Raises BadInputError."""
        check_namespace(namespace)
        check_page(limit, "limit")
        found: list[WorkItem] = []
        for job in self._open(namespace, limit, kinds):
            item = self._item(namespace, job)
            if item is not None:
                found.append(replace(item, owner="", attempt=0, lease_until=None))
            if len(found) == limit:
                break
        return tuple(found)

    def claim(self, namespace: str, owner: str, limit: int = 5) -> tuple[WorkItem, ...]:
        """Items that are the owner's alone for LEASE; fewer where less waits. limit: 1 to 100. Raises BadInputError."""
        check_namespace(namespace)
        check_page(limit, "limit")
        check_text("owner", owner, MAX_SHORT)
        check_required("owner", owner)
        found: list[WorkItem] = []
        for kind in FOR_AN_ANALYST:
            while len(found) < limit:
                job = self._store.claim(namespace, kind, redact(owner).text, self._clock(), LEASE)
                if job is None:
                    break
                item = self._item(namespace, job)
                if item is not None and job.attempt <= POISONED:
                    found.append(item)
                else:
                    self._drop(namespace, job, item)
        return tuple(found)

    def submit(self, namespace: str, draft: AnalysisDraft, by: str = BY_CALLER) -> Written:
        """Write an answer and end its item, in one transaction; the same answer again gives the first receipt.

        by: the source of the answer.

        Raises NotFoundError, BadInputError, TooLargeError, ConflictError for another answer to what was answered,
        and StaleError when the item is not held by this owner and attempt any more: nothing is changed then.
        """
        check_namespace(namespace)
        draft, redactions = clean(draft)
        hashed = payload_hash(draft)
        if draft.session_id:
            self._notebook.before_write(namespace, {draft.session_id})
        key = draft.key or f"{draft.work_id}:{draft.owner}:{draft.attempt}"
        for _ in range(_ATTEMPTS):
            known = known_receipt(self._store, namespace, key, hashed)
            if known is not None:
                memory = require(self._store, namespace, known.memory_id)
                return _written(memory, key, False, known.revision, redactions)
            job = self._held(namespace, draft)
            request = Request(key=key, payload_hash=hashed, memory_id=job.subject)
            try:
                return self._commit(namespace, draft, job, request, by, redactions)
            except StaleError as error:
                self._furnish.again(namespace)
                lost = error
        raise lost

    def answer(self, namespace: str, answers: Sequence[tuple[str, Analysis]]) -> tuple[Memory, ...]:
        """Write what is said of failures and patterns (by id or ref) that nobody claimed, and end what of them waits
        for an analyst, each in one transaction; all are checked before one is written.

        What was analysed before takes the newer words; the same words again change nothing. Raises NotFoundError,
        BadInputError, TooLargeError, and StaleError for what another analyst holds.
        """
        check_namespace(namespace)
        said = [(id, clean(words)[0]) for id, words in answers]
        self._notebook.before_write(namespace, {words.session_id for _, words in said if words.session_id})
        for id, words in said:
            self._told(namespace, id, words)
        return tuple(self._tell(namespace, id, words) for id, words in said)

    def _tell(self, namespace: str, id: str, said: Analysis) -> Memory:
        for _ in range(_ATTEMPTS):
            current, changed, waiting = self._told(namespace, id, said)
            if changed == current:
                return current
            try:
                return self._write(current, changed, waiting).memories[0]
            except StaleError as error:
                self._furnish.again(namespace)
                lost = error
        raise lost

    def _told(self, namespace: str, id: str, said: Analysis) -> tuple[Memory, Memory, Job | None]:
        """A memory before and after what is said of it, and the job that this ends. Raises StaleError where another
        analyst holds it.
        """
        current = require(self._store, namespace, id)
        changed = told(self._provenance, current, said)
        job = work_about(self._store, current)
        if job is None or unanswered(changed):
            return current, changed, None
        if job.state is JobState.RUNNING and job.lease_until and job.lease_until > self._clock():
            raise StaleError(
                f"another analyst is at {current.ref} until {job.lease_until:%H:%M} UTC",
                field="id",
                remedy="leave it to that one, or answer again after that",
            )
        return current, changed, job

    def _write(self, current: Memory, changed: Memory, job: Job | None, *requests: Request) -> Receipt:
        """Commit a change, its keys, and the end of a job."""
        at = self._clock()
        furnished = self._furnish(current.namespace, [changed], at)
        changes = replace(
            furnished.changes(current.namespace, at),
            update=(
                Update(memory=furnished.memories[0], expected_version=current.version),
                *retaught(self._store, current, furnished.memories[0]),
            ),
            requests=requests,
        )
        receipt = self._store.apply(ending(changes, job))
        if isinstance(current, Pattern):
            self._settled(current)
        return receipt

    def _settled(self, pattern: Pattern) -> None:
        """Make the strategy that a pattern has earned by its new words. The answer stands whatever happens here: what
        was not made is made by the next reflection.
        """
        try:
            self._settle(pattern.namespace, pattern.id)
        except GraphmemError as error:
            _log.warning("a strategy left for later: %s", error.code)

    def _commit(
        self, namespace: str, draft: AnalysisDraft, job: Job, request: Request, by: str, redactions: int
    ) -> Written:
        current = self._subject(namespace, job)
        receipt = self._write(current, answered(self._provenance, current, draft, by), job, request)
        if not receipt.created:
            raise StaleError("the same answer was committed at the same time", remedy="look the key up")
        return _written(receipt.memories[0], request.key, True, receipt.revision, redactions)

    def _held(self, namespace: str, draft: AnalysisDraft) -> Job:
        """The item's job. Raises NotFoundError, and StaleError unless owner and attempt hold it."""
        subject = draft.work_id.partition(":")[0]
        if not self._store.get(namespace, [subject]):
            raise NotFoundError("there is no such work", field="work_id", remedy="claim work, and use its id")
        about = RecordSelection(subject=subject)
        for record in self._store.records(namespace, RecordKind.JOB, about, PageRequest()).items:
            job = job_of(record)
            if job.id == draft.work_id and (job.state, job.owner, job.attempt) == (
                JobState.RUNNING,
                draft.owner,
                draft.attempt,
            ):
                return job
        raise _lost()

    def _subject(self, namespace: str, job: Job) -> Memory:
        memory = self._store.get(namespace, [job.subject]).get(job.subject)
        if memory is None or not asks(WORK[job.kind], memory):
            raise _lost()
        return memory

    def _open(self, namespace: str, first: int, kinds: Sequence[JobKind]) -> Iterator[Job]:
        """Open jobs of these kinds that nobody holds now, in the order they are handed out."""
        for kind in kinds:
            selection, now = RecordSelection(open_jobs=kind), self._clock()
            read = partial(self._store.records, namespace, RecordKind.JOB, selection)
            for page in pages(read, PageRequest(first=first)):
                for job in map(job_of, page.items):
                    if job.lease_until is None or job.lease_until <= now:
                        yield job

    def _item(self, namespace: str, job: Job) -> WorkItem | None:
        """The item of a job; None when there is nothing to answer any more."""
        memory = self._store.get(namespace, [job.subject]).get(job.subject)
        kind = WORK[job.kind]
        if memory is None or not asks(kind, memory):
            return None
        return WorkItem(
            id=job.id,
            kind=kind,
            subject=memory,
            evidence=members_of(self._store, memory, EVIDENCE) if isinstance(memory, Pattern) else (),
            questions=questions(kind, memory.text),
            waiting_since=job.created_at,
            owner=job.owner,
            attempt=job.attempt,
            lease_until=job.lease_until,
        )

    def _drop(self, namespace: str, job: Job, item: WorkItem | None) -> None:
        """End an item that needs no answer, or that nobody answered in too many claims."""
        state = JobState.DONE if item is None else JobState.FAILED
        changes = Changes(namespace=namespace, at=self._clock(), finish=JobFinish.of(job, state))
        if item is not None and isinstance(item.subject, Experience):
            failed = replace(item.subject, analysis=AnalysisState.FAILED)
            changes = replace(changes, update=(Update(memory=failed, expected_version=item.subject.version),))
        with suppress(StaleError):
            self._store.apply(changes)


def _written(memory: Memory, key: str, created: bool, revision: int, redactions: int) -> Written:
    return Written(
        memory=memory,
        key=key,
        created=created,
        revision=revision,
        embedded=bool(memory.vectors),
        redactions=redactions,
    )


def _lost() -> StaleError:
    return StaleError(
        "this work is not yours any more: it was answered, or its lease ran out and another has it",
        field="work_id",
        remedy="claim work again, and answer with the id, owner and attempt that you are given",
    )
