"""Copying a namespace from one store to another, of whatever make."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.domain.answers import CopyProgress, CopyReport
from graphmem.domain.causation import EdgeKind
from graphmem.domain.errors import ConflictError, NotFoundError, UnavailableError
from graphmem.domain.memories import MemoryKind
from graphmem.domain.records import Job, JobKind
from graphmem.domain.rules import check_namespace
from graphmem.ports.changes import Changes, JobFinish
from graphmem.ports.queries import Damage, NamespaceState
from graphmem.ports.store import MemoryStore
from graphmem.services.comparing import NAMED, differences
from graphmem.services.copying import Copying, Tell
from graphmem.services.holding import Holder, open_job

JOB_ID = "copy"
ROUNDS = 3
"""How often what the source was given meanwhile is followed before the copy is called different."""


class Copy:
    """Copies from the store of the services, known by name, into another one.

    The copy is a job of the target: killed anywhere, the same call goes on where it stopped.
    """

    def __init__(self, store: MemoryStore, name: str, holder: Holder) -> None:
        self._store = store
        self._name = name
        self._holder = holder

    def copy(self, namespace: str, target: MemoryStore, tell: Tell = lambda _: None) -> CopyReport:
        """Make the namespace in target what it is in the store: ids, refs, times, versions, vectors, verdicts, keys.

        Whatever is written to the store meanwhile is followed. Nobody else may write to the target.

        Raises NotFoundError when the store has no such namespace, ConflictError when the target's holds anything
        but an unfinished copy of the same store, when the two differ in the end, or when the source holds what a person
        edited so that it cannot be read, UnavailableError when another
        process copies into it or a store cannot answer: what is copied by then stays, and the next call goes on.
        """
        check_namespace(namespace)
        if namespace not in self._store.namespaces():
            raise NotFoundError(
                f"{self._name} has no namespace {namespace!r}",
                field="namespace",
                remedy="see those that it has with 'graphmem status'",
            )
        self._begin(namespace, target)
        job = self._claim(namespace, target, tell)
        run = Copying(self._store, target, namespace, job, self._holder.clock, tell)
        ended = False
        try:
            if unlike := self._rounds(namespace, target, run):
                broken = self._unreadable(namespace)
                raise _unreadable(namespace, broken) if broken else _different(namespace, unlike)
            report = self._end(namespace, target, run.job)
            ended = True
        finally:
            if not ended:
                self._holder.release(target, namespace, run.job)
        return report

    def _rounds(self, namespace: str, target: MemoryStore, run: Copying) -> Sequence[str]:
        """Follow the source until the copy is equal; what differs after the last round."""
        unlike: Sequence[str] = ()
        for _ in range(ROUNDS):
            try:
                run.round()
            except NotFoundError as error:
                if broken := self._unreadable(namespace):
                    raise _unreadable(namespace, broken) from error
                raise
            unlike = differences(self._store, target, namespace)
            if not unlike:
                break
        return unlike

    def _unreadable(self, namespace: str) -> list[Damage]:
        """What a person edited at the source into something that cannot be copied."""
        return [damage for damage in self._store.damaged(namespace, NAMED) if damage.whole]

    def _begin(self, namespace: str, target: MemoryStore) -> None:
        """Have the job in the target."""
        if namespace not in target.namespaces():
            at = self._holder.clock()
            job = Job(id=JOB_ID, kind=JobKind.COPY, created_at=at, body={"source": self._name})
            target.apply(Changes(namespace=namespace, at=at, jobs=(job,)))
            return
        held = open_job(target, namespace, JobKind.COPY)
        if held is None:
            raise ConflictError(
                f"the target's namespace {namespace!r} is not empty",
                field="target",
                remedy="copy into a new file, or into an empty database",
            )
        if held.body["source"] != self._name:
            raise ConflictError(
                f"the target holds an unfinished copy of {held.body['source']}",
                field="target",
                remedy="go on with that copy, or copy into a new file or an empty database",
            )

    def _claim(self, namespace: str, target: MemoryStore, tell: Tell) -> Job:
        waiting = CopyProgress(namespace=namespace, step="WAITING")
        job = self._holder.claim(target, namespace, JobKind.COPY, lambda: tell(waiting))
        if job is None:
            raise UnavailableError(
                f"another process copies into the target's namespace {namespace!r}",
                field="target",
                remedy="let it end",
            )
        return job

    def _end(self, namespace: str, target: MemoryStore, job: Job) -> CopyReport:
        finish = JobFinish.of(job)
        target.apply(Changes(namespace=namespace, at=self._holder.clock(), finish=finish))
        return _report(target.state(namespace))


def _report(state: NamespaceState) -> CopyReport:
    return CopyReport(
        namespace=state.namespace,
        memories=state.total(MemoryKind),
        edges=state.total(EdgeKind),
        digest=state.digest,
    )


def _unreadable(namespace: str, broken: Sequence[Damage]) -> ConflictError:
    named = "; ".join(f"{damage.name} ({damage.why})" for damage in broken)
    return ConflictError(
        f"{namespace!r} holds what cannot be read: {named}",
        field="source",
        remedy="put it right, or remove it with its edges and run 'graphmem doctor --repair'; then copy into a new "
        "file, or into an empty database",
    )


def _different(namespace: str, unlike: Sequence[str]) -> ConflictError:
    return ConflictError(
        f"the copy of {namespace!r} differs: {'; '.join(unlike)}",
        field="target",
        remedy="let nobody write to the target, and copy again: it goes on where it stopped",
    )
