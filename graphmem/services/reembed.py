"""Giving every memory vectors of another embedder, while the memory is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from graphmem.domain.answers import ReembedProgress, ReembedReport
from graphmem.domain.encoding import encode
from graphmem.domain.errors import BadInputError, NotFoundError, StaleError, UnavailableError
from graphmem.domain.memories import Memory, MemoryKind
from graphmem.domain.records import Job, JobKind, SpaceParameters
from graphmem.domain.rules import check_namespace
from graphmem.ports.changes import Changes, JobFinish, Update
from graphmem.ports.queries import Page, PageRequest, Selection
from graphmem.ports.store import MemoryStore
from graphmem.services.embedding import Embedding
from graphmem.services.holding import LEASE, Holder, open_job
from graphmem.services.spaces import Spaces, space_record

JOB_ID = "reembed"
BATCH = 50
"""Memories of one batch: as many as a slow model embeds within a lease."""
_ATTEMPTS = 20
"""How often a batch is read again because one of its memories was changed meanwhile."""

Tell = Callable[[ReembedProgress], None]


class Reembed:
    """Moves namespaces into the space of the running embedder. The work is a job, gone on with after a kill.

    Its first commit says that the namespace is in the new space and not complete: from then on no process compares
    vectors (answers are by words, and say so), and vectors of any other space are refused by the store. Its last
    commit says that it is complete.
    """

    def __init__(self, store: MemoryStore, spaces: Spaces, embedding: Embedding, holder: Holder) -> None:
        self._store = store
        self._spaces = spaces
        self._embedding = embedding
        self._holder = holder

    def reembed(self, namespace: str, tell: Tell = lambda _: None) -> ReembedReport:
        """Replace every vector of the namespace; does nothing where all are of the running embedder's space.

        Raises NotFoundError when there is no such namespace, BadInputError without an embedder, UnavailableError
        when another process does it, or the embedder or the store cannot answer: the next call goes on.
        """
        check_namespace(namespace)
        own = self._embedding.parameters
        if own is None:
            raise BadInputError("none is chosen", field="embedder", remedy="choose one with --embedder")
        if namespace not in self._store.namespaces():
            raise NotFoundError(
                f"no namespace {namespace!r}", field="namespace", remedy="choose with --namespace"
            )
        name = f"{own.space.provider}:{own.space.model}"
        self._spaces.forget(namespace)
        if self._spaces.standing(namespace).stored is not None and self._spaces.standing(namespace).compared:
            return ReembedReport(namespace=namespace, space=name, memories=0)
        if not self._embedding.answers():
            raise self._silent()
        return ReembedReport(namespace=namespace, space=name, memories=self._work(namespace, own, tell))

    def _work(self, namespace: str, own: SpaceParameters, tell: Tell) -> int:
        """Hold the job and do it; how many memories were embedded now."""
        job = self._claim(namespace, tell)
        ended = False
        try:
            job = self._entered(namespace, own, job)
            done = 0
            while job.body["after"] is not None:
                job, count = self._batch(namespace, job)
                done += count
                tell(self._progress(namespace, done))
            self._end(namespace, own, job)
            ended = True
        finally:
            if not ended:
                self._holder.release(self._store, namespace, job)
            self._spaces.forget(namespace)
        return done

    def _claim(self, namespace: str, tell: Tell) -> Job:
        if open_job(self._store, namespace, JobKind.REEMBED) is None:
            at = self._holder.clock()
            job = Job(id=JOB_ID, kind=JobKind.REEMBED, created_at=at)
            self._store.apply(Changes(namespace=namespace, at=at, jobs=(job,)))
        waiting = ReembedProgress(namespace=namespace, waiting=True)
        held = self._holder.claim(self._store, namespace, JobKind.REEMBED, lambda: tell(waiting))
        if held is None:
            raise UnavailableError(
                f"another process re-embeds {namespace!r}", field="namespace", remedy="let it end"
            )
        return held

    def _entered(self, namespace: str, own: SpaceParameters, job: Job) -> Job:
        """The job of this space: as it was left, or begun, and with it the namespace's time in the new space."""
        if job.body.get("space") == encode(own.space):
            return job
        at, version = self._holder.clock(), self._store.state(namespace).parameters_version
        moved = self._moved(job, space=encode(own.space), version=version + 1, after="")
        self._store.apply(
            Changes(
                namespace=namespace,
                at=at,
                records=(space_record(own, at, complete=False),),
                jobs=(moved,),
                parameters_version=version + 1,
                expected_parameters_version=version,
            )
        )
        return moved

    def _batch(self, namespace: str, job: Job) -> tuple[Job, int]:
        """Embed the next memories, oldest first; the job after them, and how many got other vectors."""
        for _ in range(_ATTEMPTS):
            page = self._page(namespace, str(job.body["after"]))
            update = self._embedded(page.items)
            moved = self._moved(job, after=page.next or None)
            changes = Changes(namespace=namespace, at=self._holder.clock(), update=update, jobs=(moved,))
            version = int(job.body["version"])
            try:
                self._store.apply(replace(changes, expected_parameters_version=version))
            except (StaleError, NotFoundError) as error:
                if error.field in ("job", "parameters_version"):
                    raise
                lost = error
            else:
                return moved, len(update)
        raise lost

    def _page(self, namespace: str, after: str) -> Page[Memory]:
        """Memories in the order of their times, which no change moves: each that was there is met once.

        A cursor of another store, brought here by a copy, begins anew.
        """
        page = PageRequest(first=BATCH, after=after, ascending=True)
        try:
            return self._store.find(namespace, Selection(), page)
        except BadInputError:
            return self._store.find(namespace, Selection(), replace(page, after=""))

    def _embedded(self, memories: Sequence[Memory]) -> tuple[Update, ...]:
        """Updates of those whose vectors are not yet what they should be."""
        vectors = self._embedding.embed(memories, patient=True)
        if vectors is None:
            raise self._silent()
        return tuple(
            Update(memory=replace(memory, vectors=own), expected_version=memory.version)
            for memory, own in zip(memories, vectors, strict=True)
            if own != memory.vectors
        )

    def _end(self, namespace: str, own: SpaceParameters, job: Job) -> None:
        at, version = self._holder.clock(), int(job.body["version"])
        finish = JobFinish.of(job)
        self._store.apply(
            Changes(
                namespace=namespace,
                at=at,
                records=(space_record(own, at),),
                finish=finish,
                parameters_version=version + 1,
                expected_parameters_version=version,
            )
        )

    def _moved(self, job: Job, **body: object) -> Job:
        return replace(job, body={**job.body, **body}, lease_until=self._holder.clock() + LEASE)

    def _progress(self, namespace: str, done: int) -> ReembedProgress:
        whole = self._store.state(namespace).total(MemoryKind)
        return ReembedProgress(namespace=namespace, done=done, total=whole)

    def _silent(self) -> UnavailableError:
        return UnavailableError(
            "it does not answer", field="embedder", remedy="see the log, and call it again: it goes on"
        )
