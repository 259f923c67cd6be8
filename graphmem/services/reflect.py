"""Looking at all failures again: asked for, or when it is time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.analysis.tuning import CutCurve, LabelledPair, cut_curve, picture
from graphmem.domain.answers import Cluster, Reflection
from graphmem.domain.encoding import decode
from graphmem.domain.errors import BadInputError, StaleError, UnavailableError
from graphmem.domain.memories import Memory, MemoryKind
from graphmem.domain.records import Job, JobKind, Record, RecordKind
from graphmem.domain.rules import check_namespace, check_page
from graphmem.index.cluster_view import ClusterView
from graphmem.index.following import Following
from graphmem.ports.changes import Changes
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.assign import Assign
from graphmem.services.causes import named
from graphmem.services.intake import Clock, NewId
from graphmem.services.patterns import pattern_over
from graphmem.services.regroup import SEED

DUE_EXPERIENCES = 50
DUE_AFTER = timedelta(days=1)
"""When to look at all failures again: after so many experiences, or so long with new ones (seed 1, 5.5)."""
PICTURED = 1_000
"""Failures in a picture: it costs the cube of their number."""
_COUNTED = "experiences"
_SHOWN = 5
"""Members of a cluster that are shown with it."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """The quality of every cut, and the cut of this namespace now."""

    curve: CutCurve
    now: float


@dataclass(frozen=True, slots=True)
class Dot:
    """A failure in a picture, with its cluster ('' = alone)."""

    memory: Memory
    cluster_id: str
    x: float
    y: float


class Reflect:
    """The batch pass over the failures of a namespace, and what it found."""

    def __init__(
        self,
        store: MemoryStore,
        clusters: Following[ClusterView],
        assign: Assign,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._store = store
        self._clusters = clusters
        self._assign = assign
        self._clock = clock
        self._new_id = new_id

    def reflect(self, namespace: str, profile: str = "") -> Reflection:
        """Cluster all failures anew and bring patterns and strategies up to date; what that led to.

        profile 'seed' clusters as the article did. Raises BadInputError, and UnavailableError when another process
        is at it: the request stays and is done after it.
        """
        check_namespace(namespace)
        if profile not in ("", SEED):
            raise BadInputError("no such profile", field="profile", remedy=f"leave it out, or use '{SEED}'")
        at = self._clock()
        body = {"profile": profile} if profile else {}
        job = Job(id=self._new_id(at), kind=JobKind.ASSIGN, created_at=at, body=body)
        done = self._carried_out(namespace, job)
        if done is None:
            raise UnavailableError(
                "another process is assigning failures; what you asked for is done after it",
                remedy="ask again in a minute",
            )
        return done

    def if_due(self, namespace: str) -> bool:
        """Look again if it is time to; whether that was done here. Where another is at work on the failures, the
        request stays and is done after it; however often it is made until then, it is one.
        """
        last = self._last(namespace)
        if not self._is_due_after(namespace, last):
            return False
        at = self._clock()
        job = Job(id=f"due:{last.at.isoformat() if last else ''}", kind=JobKind.ASSIGN, created_at=at)
        try:
            return self._carried_out(namespace, job) is not None
        except StaleError:
            return False  # this very look is in somebody's hands

    def is_due(self, namespace: str) -> bool:
        """Whether it is time to look again: 50 experiences since the last look, or a day with at least one."""
        return self._is_due_after(namespace, self._last(namespace))

    def clusters(self, namespace: str, first: int = 20) -> tuple[Cluster, ...]:
        """The largest clusters of two or more failures, with their pattern if they have one. first: 1 to 100."""
        check_namespace(namespace)
        check_page(first)
        with self._clusters.current(namespace) as view:
            named = [(name, ids) for name, ids in view.stored().items() if len(ids) > 1]
            largest = sorted(named, key=lambda item: (-len(item[1]), item[0]))[:first]
            patterns = {name: pattern_over(view, ids) for name, ids in largest}
        members = self._store.get(namespace, [member for _, ids in largest for member in ids[:_SHOWN]])
        return tuple(
            Cluster(
                id=name,
                size=len(ids),
                members=tuple(members[member] for member in ids[:_SHOWN] if member in members),
                pattern=patterns[name],
            )
            for name, ids in largest
        )

    def tune(self, namespace: str, judged: Sequence[tuple[str, str, bool]]) -> Tuning:
        """How well each cut would tell failures that belong together, by pairs (ids or refs) that a person judged.

        Raises BadInputError for a pair of which one is no failure here, and without a pair that belongs together.
        """
        check_namespace(namespace)
        found = named(self._store, namespace, [name for one, other, _ in judged for name in (one, other)])
        ids = {name: memory.id for name, memory in found.items()}
        pairs = [LabelledPair(ids.get(one, one), ids.get(other, other), same) for one, other, same in judged]
        with self._clusters.current(namespace) as view:
            return Tuning(cut_curve(list(view.failures.values()), pairs, view.background), view.cuts.group)

    def picture(self, namespace: str) -> tuple[Dot, ...]:
        """The latest PICTURED failures in two dimensions, alike ones near each other, the oldest first."""
        check_namespace(namespace)
        with self._clusters.current(namespace) as view:
            latest = sorted(view.failures.values(), key=lambda failure: failure.id)[-PICTURED:]
            places = picture(latest, view.background)
            names = {failure.id: view.cluster_of(failure.id) for failure in latest}
        held = self._store.get(namespace, list(places))
        return tuple(Dot(held[name], names[name], *place) for name, place in places.items() if name in held)

    def _carried_out(self, namespace: str, job: Job) -> Reflection | None:
        """What the look led to that a job asks for; None while another process assigns failures.

        Raises StaleError when the job is in somebody's hands already.
        """
        self._store.apply(Changes(namespace=namespace, at=job.created_at, jobs=(job,)))
        while self._assign.pending(namespace):
            pass
        for record in reversed(self._records(namespace, job.created_at)):
            if record.id == job.id:
                return _reflection(record)
        return None

    def _last(self, namespace: str) -> Record | None:
        newest = RecordSelection(newest=True)
        found = self._store.records(namespace, RecordKind.REFLECTION, newest, PageRequest(first=1)).items
        return found[0] if found else None

    def _is_due_after(self, namespace: str, last: Record | None) -> bool:
        counted = last.body.get(_COUNTED, 0) if last else 0
        new = self._store.state(namespace).counts.get(MemoryKind.EXPERIENCE, 0) - int(counted)
        late = last is not None and self._clock() - last.at >= DUE_AFTER
        return new >= DUE_EXPERIENCES or (late and new > 0)

    def _records(self, namespace: str, since: datetime) -> list[Record]:
        """The looks since a time, oldest first."""
        selection, first = RecordSelection(since=since), PageRequest(first=100)
        found = pages(
            lambda page: self._store.records(namespace, RecordKind.REFLECTION, selection, page), first
        )
        return [record for page in found for record in page.items]


def _reflection(record: Record) -> Reflection:
    return decode(Reflection, {name: value for name, value in record.body.items() if name != _COUNTED})
