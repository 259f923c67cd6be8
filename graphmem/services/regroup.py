"""All failures of a namespace clustered anew: clusters keep their names where they go on, patterns that say the
same become one, lessons are worded again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from itertools import combinations

from graphmem.analysis.clusters import Group, cluster
from graphmem.analysis.failures import Failure
from graphmem.analysis.lessons import same_lesson
from graphmem.analysis.lineage import match
from graphmem.domain.answers import Reflection
from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.memories import Experience, MemoryKind, Pattern, State
from graphmem.domain.records import Job, Record, RecordKind
from graphmem.domain.rules import MAX_ITEMS, is_witness
from graphmem.index.cluster_view import ClusterView, own_name
from graphmem.index.following import Following
from graphmem.ports.changes import Changes, JobFinish, Update
from graphmem.ports.store import MemoryStore
from graphmem.services.furnish import Furnish
from graphmem.services.growth import Growth
from graphmem.services.intake import Clock
from graphmem.services.open_work import settled
from graphmem.services.patterns import BY_RULE, lesson_by_rule, worded

LEASE = timedelta(seconds=60)
"""How long a namespace is held by who assigns its failures, unless it goes on."""
SEED = "seed"
"""Profile of the article: DBSCAN on raw vectors."""
LATEST = 5_000
"""Failures clustered at once, the latest: the work grows with the square of their number."""
BATCH = 200
"""Memories that one action changes."""
_WORDING = (
    "title",
    "lesson",
    "trigger_conditions",
    "root_cause",
    "root_cause_type",
    "prevention",
    "source",
)
"""What a pattern says, and who worded it."""


@dataclass
class _Tally:
    """What was done so far."""

    moved: int = 0
    merged: int = 0
    reworded: int = 0


class Regroup:
    """The batch pass. Each action is whole and moves the job's lease; begun again, it goes on where it stopped."""

    def __init__(
        self,
        store: MemoryStore,
        clusters: Following[ClusterView],
        growth: Growth,
        furnish: Furnish,
        clock: Clock,
        as_seed: Callable[[Iterable[Failure]], list[Group]],
    ) -> None:
        """as_seed: how the article clusters."""
        self._store = store
        self._clusters = clusters
        self._growth = growth
        self._furnish = furnish
        self._clock = clock
        self._as_seed = as_seed

    def run(self, namespace: str, job: Job) -> None:
        """Do a job that asks for all failures; its last action ends it and keeps what was done as a record.

        Raises StaleError when the job is another's by now, or a memory was changed in between: then it is done anew.
        """
        tally = _Tally()
        with self._clusters.current(namespace) as view:
            before = set(view.patterns)
            groups = self._grouped(view, str(job.body.get("profile", "")))
            self._rename(namespace, view, job, groups, tally)
        with self._clusters.current(namespace) as view:
            named = {name: ids for name, ids in view.stored().items() if len(ids) > 1}
            for cluster_id in named:
                self._grow(namespace, cluster_id, job)
        for pattern_id in self._merge(namespace, job, tally):
            self._reword(namespace, pattern_id, job, tally)
        with self._clusters.current(namespace) as view:
            made = sum(self._growth.settle(namespace, name) for name in sorted(view.patterns))
            self._end(namespace, view, job, tally, before, made)

    def _grouped(self, view: ClusterView, profile: str) -> list[Group]:
        latest = sorted(view.failures.values(), key=lambda failure: failure.id)[-LATEST:]
        return self._as_seed(latest) if profile == SEED else cluster(latest, view.background)

    def _rename(
        self, namespace: str, view: ClusterView, job: Job, groups: Sequence[Group], tally: _Tally
    ) -> None:
        """Store who is in which cluster now, and which clusters went on in another."""
        stored = view.stored()
        lineage = match([group.ids for group in groups], stored)
        names = _names(groups, lineage.kept)
        wanted = {
            member: "" if group.ids == (name,) else name
            for group, name in zip(groups, names, strict=True)
            for member in group.ids
        }
        now = {member: view.cluster_of(member) for member in wanted}
        moves = sorted(member for member, name in wanted.items() if now[member] != name)
        gone = {old: new for old, new in lineage.merged.items() if len(stored[old]) > 1}
        for start in range(0, len(moves), BATCH):
            at = self._clock()
            found = self._store.get(namespace, moves[start : start + BATCH])
            updates = tuple(
                Update(memory=replace(memory, cluster_id=wanted[memory.id]), expected_version=memory.version)
                for memory in found.values()
                if isinstance(memory, Experience)
            )
            self._apply(Changes(namespace=namespace, at=at, update=updates), job)
            tally.moved += len(updates)
        if gone:
            at = self._clock()
            records = [
                Record(kind=RecordKind.CLUSTER, id=old, at=at, body={"into": new})
                for old, new in gone.items()
            ]
            self._apply(Changes(namespace=namespace, at=at, records=tuple(records)), job)

    def _grow(self, namespace: str, cluster_id: str, job: Job) -> None:
        while True:
            with self._clusters.current(namespace) as view:
                grown = self._growth.changes(namespace, view, cluster_id, self._clock())
            if grown.changes.size or grown.changes.records:
                self._apply(grown.changes, job)
            if not grown.more:
                return

    def _merge(self, namespace: str, job: Job, tally: _Tally) -> list[str]:
        """Put patterns that rule and chance made twice into the oldest; ids of those that go on."""
        with self._clusters.current(namespace) as view:
            pairs = list(_same(view))
        for kept, dropped in pairs:
            with self._clusters.current(namespace) as view:
                used = _in_use(view)
                if kept in used and dropped in used:
                    self._absorb(namespace, view, (used[kept], used[dropped]), job)
                    tally.merged += 1
        with self._clusters.current(namespace) as view:
            return list(_in_use(view))

    def _absorb(self, namespace: str, view: ClusterView, pair: tuple[Pattern, Pattern], job: Job) -> None:
        """Join the members of the second pattern to the first, then take the second out of use."""
        kept, dropped = pair
        at = self._clock()
        missing = sorted(set(view.under(dropped.id)) - set(view.under(kept.id)))
        edges = [
            GeneralizesEdge(from_id=kept.id, to_id=member, recorded_at=at, source=BY_RULE)
            for member in missing
        ]
        for start in range(0, len(edges), MAX_ITEMS - 1):
            batch = tuple(edges[start : start + MAX_ITEMS - 1])
            self._apply(Changes(namespace=namespace, at=at, edges=batch), job)
        retired = replace(dropped, state=State.SUPERSEDED, status_reason=f"says the same as {kept.ref}")
        update = Update(memory=retired, expected_version=dropped.version)
        self._inherit(kept, dropped, job)
        changes = Changes(namespace=namespace, at=at, update=(update,))
        self._apply(settled(self._store, changes, dropped, retired), job)

    def _inherit(self, kept: Pattern, dropped: Pattern, job: Job) -> None:
        """Let the pattern that goes on take over the wording: somebody's words outlive those of a rule."""
        if kept.source != BY_RULE or dropped.source == BY_RULE:
            return
        at = self._clock()
        stored = self._store.get(kept.namespace, [kept.id])[kept.id]
        reworded = replace(stored, **{name: getattr(dropped, name) for name in _WORDING})
        furnished = self._furnish(kept.namespace, [reworded], at)
        update = Update(memory=furnished.memories[0], expected_version=stored.version)
        changes = replace(furnished.changes(kept.namespace, at), update=(update,))
        self._apply(settled(self._store, changes, stored, reworded), job)

    def _reword(self, namespace: str, pattern_id: str, job: Job, tally: _Tally) -> None:
        """Word the lesson of a pattern that a rule made again, from the members it has now."""
        with self._clusters.current(namespace) as view:
            pattern = view.patterns[pattern_id]
            members = [name for name in view.under(pattern_id) if name in view.failures][-MAX_ITEMS:]
            if pattern.source != BY_RULE or not members:
                return
            found = self._store.get(namespace, members)
            known = {name: memory for name, memory in found.items() if isinstance(memory, Experience)}
            lesson = lesson_by_rule(view, members, known)
        changed = worded(pattern, lesson)
        if changed == pattern:
            return
        at = self._clock()
        furnished = self._furnish(namespace, [changed], at)
        update = Update(memory=furnished.memories[0], expected_version=pattern.version)
        self._apply(replace(furnished.changes(namespace, at), update=(update,)), job)
        tally.reworded += 1

    def _apply(self, changes: Changes, job: Job) -> None:
        """Commit a part; only who holds the job can, and holds it longer by that."""
        self._store.apply(going_on(changes, job))

    def _end(
        self, namespace: str, view: ClusterView, job: Job, tally: _Tally, before: set[str], strategies: int
    ) -> None:
        at = self._clock()
        sizes = [len(ids) for ids in view.stored().values()]
        done = Reflection(
            failures=min(len(view.failures), LATEST),
            left_out=max(0, len(view.failures) - LATEST),
            clusters=sum(size > 1 for size in sizes),
            alone=sum(size == 1 for size in sizes),
            moved=tally.moved,
            patterns=len(set(view.patterns) - before),
            merged=tally.merged,
            reworded=tally.reworded,
            strategies=strategies,
        )
        experiences = self._store.state(namespace).counts.get(MemoryKind.EXPERIENCE, 0)
        body = asdict(done) | {"experiences": experiences}
        record = Record(kind=RecordKind.REFLECTION, id=job.id, at=at, body=body)
        finish = JobFinish.of(job)
        self._store.apply(Changes(namespace=namespace, at=at, records=(record,), finish=finish))


def going_on(changes: Changes, job: Job) -> Changes:
    """A part of a job's work: only who holds the job can commit it, and holds it longer by that."""
    held = replace(job, lease_until=changes.at + LEASE)
    return replace(changes, jobs=(*changes.jobs, held))


def _names(groups: Sequence[Group], kept: Sequence[str | None]) -> list[str]:
    """A name per group: the cluster that goes on in it, else the id of its first member, if that names no other."""
    taken = {name for name in kept if name}
    names = []
    for group, name in zip(groups, kept, strict=True):
        names.append(name or own_name(group.ids[0], group.ids[0] in taken))
    return names


def _same(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Pairs of patterns in use, the older first, that most members of one cluster share, or whose lessons say
    nearly the same in words of their own.
    """
    used = _in_use(view)
    home = {name: _home(view, name) for name in used}
    for first, second in combinations(used, 2):
        together = home[first] and home[first] == home[second]
        own = is_witness(used[first]) and is_witness(used[second])
        if together or (own and same_lesson(used[first].lesson, used[second].lesson)):
            yield first, second


def _in_use(view: ClusterView) -> dict[str, Pattern]:
    """The patterns in use by id, the oldest first."""
    return {name: pattern for name, pattern in sorted(view.patterns.items()) if pattern.state is State.ACTIVE}


def _home(view: ClusterView, pattern_id: str) -> str:
    """The cluster that holds more than half of the members of a pattern, '' when none does."""
    members = view.under(pattern_id)
    counts = Counter(view.cluster_of(member) for member in members)
    return next((name for name, count in counts.items() if name and 2 * count > len(members)), "")
