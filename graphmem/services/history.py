"""The exposures of a namespace with what became of them: read page by page, judged by the experiences of today."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.encoding import decode
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, MemoryKind, State
from graphmem.domain.records import RecordKind
from graphmem.domain.recurrence import (
    Exposure,
    Lineage,
    Outcome,
    SessionEnd,
    Step,
    by_session,
    lineage_from,
    outcome,
)
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror, Header
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore

MOST_READ = 100_000
"""Exposures that one answer rests on at most, the oldest first."""
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Judged:
    """An exposure, the lineage that it belongs to today, and what became of it."""

    exposure: Exposure
    lineage: str
    outcome: Outcome


@dataclass(frozen=True, kw_only=True)
class History:
    """What can be said of the exposures since a time. said: lineage -> when it was first said, ever.

    learnt: lineage -> ids of the patterns and strategies in force that belong to it.
    """

    judged: tuple[Judged, ...]
    lineages: Mapping[str, Lineage]
    said: Mapping[str, datetime]
    steps: tuple[Step, ...]
    learnt: Mapping[str, tuple[str, ...]]
    truncated: bool


@dataclass
class _Read:
    """What the pages held: exposures from since on, ends of sessions, first sayings by lineage."""

    exposures: list[Exposure] = field(default_factory=list)
    ends: dict[str, datetime] = field(default_factory=dict)
    said: dict[str, Exposure] = field(default_factory=dict)
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Graph:
    """What of the mirror the judgement needs."""

    steps: tuple[Step, ...]
    today: Mapping[str, str]
    members: Mapping[str, list[Step]]
    wanted: frozenset[str] | None
    learnt: Mapping[str, tuple[str, ...]]


def read_history(
    store: MemoryStore,
    indexes: IndexSet,
    namespace: str,
    subject: Memory | None,
    since: datetime | None,
    now: datetime,
) -> History:
    """The judged exposures of a subject's lineages, or of all. since bounds exposures and steps.

    Raises BadInputError for a subject without a lineage: a fact, or what worked.
    """
    read = _exposures(store, namespace, since)
    graph = _graph(indexes, namespace, subject, [*read.exposures, *read.said.values()])
    first = _first_of_each(read.exposures, graph)
    lineages = {name: lineage_from(name, graph.members.get(name, ())) for name in {name for _, name in first}}
    for name in graph.wanted or ():
        lineages.setdefault(name, lineage_from(name, graph.members.get(name, ())))
    sessions = by_session(graph.steps)
    judged = tuple(
        Judged(
            exposure,
            name,
            outcome(
                exposure,
                lineages[name],
                sessions.get(exposure.session_id, ()),
                read.ends.get(exposure.session_id),
                now,
            ),
        )
        for exposure, name in first
    )
    return History(
        judged=judged,
        lineages=lineages,
        said=_first_said(read.said.values(), graph),
        steps=tuple(step for step in graph.steps if since is None or step.at >= since),
        learnt=graph.learnt,
        truncated=read.truncated,
    )


def _exposures(store: MemoryStore, namespace: str, since: datetime | None) -> _Read:
    """All pages from the beginning: when something was first said may lie before since."""
    read, first = _Read(), PageRequest(first=_PAGE)
    found = pages(lambda page: store.records(namespace, RecordKind.EXPOSURE, RecordSelection(), page), first)
    for page in found:
        for record in page.items:
            if "lineage" not in record.body:
                end = decode(SessionEnd, record.body)
                read.ends[end.session_id] = end.at
                continue
            exposure = decode(Exposure, record.body)
            _note_said(read.said, exposure)
            if since is not None and exposure.at < since:
                continue
            if len(read.exposures) == MOST_READ:
                read.truncated = True
                return read
            read.exposures.append(exposure)
    return read


def _note_said(said: dict[str, Exposure], exposure: Exposure) -> None:
    """Keep the exposure by which a lineage was said first."""
    if exposure.said_at is None or not exposure.shown:
        return
    old = said.get(exposure.lineage)
    if old is None or old.said_at is None or exposure.said_at < old.said_at:
        said[exposure.lineage] = exposure


def _graph(
    indexes: IndexSet, namespace: str, subject: Memory | None, exposures: Iterable[Exposure]
) -> _Graph:
    with indexes.current(namespace) as index:
        mirror = index.mirror
        wanted = None if subject is None else frozenset(mirror.lineages(subject.id))
        if wanted is not None and not wanted:
            raise BadInputError(
                "is neither a failure nor learnt from failures",
                field="subject",
                remedy="name a failure, a pattern or a strategy",
            )
        steps = tuple(_step(header) for header in mirror.experiences())
        members: dict[str, list[Step]] = defaultdict(list)
        for step in steps:
            if step.failed:
                members[step.cluster_id or step.id].append(step)
        today = {}
        for exposure in exposures:
            name = exposure.lineage
            moved = mirror.lineages(name) or mirror.lineages(exposure.memory_id)
            today[exposure.id] = name if name in members or not moved else moved[0]
        return _Graph(steps, today, members, wanted, _learnt(mirror))


def _learnt(mirror: GraphMirror) -> dict[str, tuple[str, ...]]:
    learnt: dict[str, list[str]] = defaultdict(list)
    for header in mirror.headers.values():
        if header.kind in (MemoryKind.PATTERN, MemoryKind.STRATEGY) and header.state is State.ACTIVE:
            for name in mirror.lineages(header.id):
                learnt[name].append(header.id)
    return {name: tuple(sorted(ids)) for name, ids in learnt.items()}


def _first_of_each(exposures: Sequence[Exposure], graph: _Graph) -> list[tuple[Exposure, str]]:
    """The first exposure of each lineage in each session, where the lineage is wanted and still there."""
    first: dict[tuple[str, str], tuple[Exposure, str]] = {}
    for exposure in exposures:
        name = graph.today[exposure.id]
        if name in (graph.members if graph.wanted is None else graph.wanted):
            first.setdefault((exposure.session_id, name), (exposure, name))
    return list(first.values())


def _first_said(said: Iterable[Exposure], graph: _Graph) -> dict[str, datetime]:
    first: dict[str, datetime] = {}
    for exposure in said:
        if exposure.said_at is not None:
            name = graph.today[exposure.id]
            first[name] = min(first.get(name, exposure.said_at), exposure.said_at)
    return first


def _step(header: Header) -> Step:
    return Step(
        id=header.id,
        at=header.occurred_at,
        failed=header.is_failure,
        cluster_id=header.cluster_id,
        family=header.error_class,
        tool=header.tool,
        task_type=header.task_type,
        session_id=header.session_id,
        episode=header.episode,
    )
