"""Failures that happened, asked about again: what was said then, what would be said now.

No peeking: at each failure only what had been recorded before it counts, and nothing of its own task. Which failures
are the same mistake is told by the clusters of today; they judge the answer and do not make it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.analysis.effects import rate
from graphmem.analysis.fusion import WEAK_DEVIATIONS
from graphmem.analysis.holdout import listed
from graphmem.domain.answers import Recollection, Strength
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.domain.encoding import decode
from graphmem.domain.memories import Experience, Memory, Result
from graphmem.domain.proof import Rate
from graphmem.domain.records import RecordKind
from graphmem.domain.recurrence import Exposure
from graphmem.domain.replaying import Hindsight, Miss, Nearest, Replayed, ReplayedFailure, is_said
from graphmem.domain.rules import MAX_TEXT, check_namespace, check_time
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror, Header
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.notebook import Notebook
from graphmem.services.recall import Recall

MOST = 500
"""Failures that are asked about again at most, the newest; of what worked MOST_WORKED."""
MOST_WORKED = 200
RIVALS = 500
"""Known failures of other lineages that are compared at most, the newest."""
_PAGE = 1_000
_SESSION = timedelta(days=2)
"""How much earlier than a failure its session may have been told."""


@dataclass(frozen=True, slots=True)
class _Graph:
    """What of the mirror is needed: what is asked about again, and the failures of each lineage."""

    failures: Sequence[Header]
    all_failures: Sequence[Header]
    worked: Sequence[Header]
    lineage_of: Mapping[str, str]
    members: Mapping[str, Sequence[Header]]
    truncated: bool


class Replay:
    """Reads and asks; it writes nothing, and no session is told."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, recall: Recall, notebook: Notebook) -> None:
        self._store = store
        self._indexes = indexes
        self._recall = recall
        self._notebook = notebook

    def replay(self, namespace: str, since: datetime, most: int = MOST) -> Replayed:
        """Failures that occurred since a time, newest first, at most so many, and as a counterweight what worked.

        Raises BadInputError, UnavailableError.
        """
        check_namespace(namespace)
        check_time("since", since)
        self._notebook.flush()
        graph = self._graph(namespace, since, most)
        told = self._told(namespace, since - _SESSION, graph)
        memories = self._store.get(namespace, [header.id for header in (*graph.failures, *graph.worked)])
        items = [
            self._again(namespace, memory, header, graph, told)
            for header in graph.failures
            if isinstance(memory := memories.get(header.id), Experience)
        ]
        repeats = [item for item in items if item.earlier]
        return Replayed(
            since=since,
            failures=len(items),
            repeats=len(repeats),
            said_then=rate(sum(item.said_then for item in repeats), len(repeats)),
            said_now=rate(sum(item.said_now for item in repeats), len(repeats)),
            listed_then=rate(sum(item.then is not None for item in repeats), len(repeats)),
            listed_now=rate(sum(item.now is not None for item in repeats), len(repeats)),
            disturbed=self._disturbed(
                namespace, [memories[one.id] for one in graph.worked if one.id in memories]
            ),
            items=tuple(items),
            truncated=graph.truncated,
        )

    def _graph(self, namespace: str, since: datetime, most: int) -> _Graph:
        with self._indexes.current(namespace) as index:
            headers = sorted(
                index.mirror.experiences(), key=lambda one: (one.occurred_at, one.id), reverse=True
            )
            members: dict[str, list[Header]] = defaultdict(list)
            for header in headers:
                if header.is_failure:
                    members[_lineage(index.mirror, header.id)].append(header)
            every = [header for header in headers if header.is_failure]
            failures = [header for header in every if header.occurred_at >= since]
            worked = [one for one in headers if one.result is Result.SUCCESS and one.occurred_at >= since]
            return _Graph(
                failures=failures[:most],
                all_failures=every,
                worked=worked[:MOST_WORKED],
                lineage_of={one.id: name for name, held in members.items() for one in held},
                members=members,
                truncated=len(failures) > most,
            )

    def _told(self, namespace: str, since: datetime, graph: _Graph) -> dict[tuple[str, str], list[Exposure]]:
        """What was shown to each session of each lineage of today."""
        told: dict[tuple[str, str], list[Exposure]] = defaultdict(list)
        selection, first = RecordSelection(since=since), PageRequest(first=_PAGE)
        found = pages(
            lambda page: self._store.records(namespace, RecordKind.EXPOSURE, selection, page), first
        )
        for page in found:
            for record in page.items:
                if "lineage" in record.body and (exposure := decode(Exposure, record.body)).shown:
                    name = graph.lineage_of.get(exposure.memory_id, exposure.lineage)
                    told[exposure.session_id, name].append(exposure)
        return told

    def _again(
        self,
        namespace: str,
        failure: Experience,
        header: Header,
        graph: _Graph,
        told: Mapping[tuple[str, str], Sequence[Exposure]],
    ) -> ReplayedFailure:
        own = graph.lineage_of[failure.id]
        then = Hindsight(min(failure.occurred_at, failure.recorded_at), header.episode)
        known = _known(graph.members[own], then)
        question = question_of(failure)
        found = self._recall.in_hindsight(namespace, question, then)
        now = _strength(found, own, graph)
        strangers = _known((one for one in graph.all_failures if graph.lineage_of[one.id] != own), then)
        nearest = self._nearest(namespace, question, then, known)
        return ReplayedFailure(
            failure=failure,
            earlier=len(known),
            then=_shown(told.get((failure.session_id, own), ()), then.moment) if failure.session_id else None,
            now=now,
            others=sum(graph.lineage_of.get(one.evidence[0].id) != own for one in found.reminders),
            nearest=nearest,
            rival=self._nearest(namespace, question, then, strangers[:RIVALS]) if known else None,
            miss=None if is_said(now) else _miss(now, nearest),
        )

    def _nearest(
        self, namespace: str, question: Question, then: Hindsight, ids: Sequence[str]
    ) -> Nearest | None:
        best = self._recall.compared(namespace, question, then, ids)[:1] if ids else []
        memories = self._store.get(namespace, [candidate.id for candidate in best])
        for candidate in best:
            if candidate.id in memories:
                return Nearest(
                    memory=memories[candidate.id],
                    relevance=candidate.relevance,
                    lexical_score=candidate.lexical,
                    deviation=candidate.deviation,
                )
        return None

    def _disturbed(self, namespace: str, worked: Sequence[Memory]) -> Rate:
        """How many of the experiences that worked would get a reminder."""
        asked = [memory for memory in worked if isinstance(memory, Experience)]
        count = 0
        for memory in asked:
            then = Hindsight(min(memory.occurred_at, memory.recorded_at), memory.episode)
            count += bool(self._recall.in_hindsight(namespace, question_of(memory), then).reminders)
        return rate(count, len(asked))


def question_of(memory: Experience) -> Question:
    """What an agent would have asked before it: the situation, and what it was about to use; nothing of the outcome."""
    keys = SituationKeys(agent=memory.agent, tool=memory.tool, task_type=memory.task_type)
    return Question(situation=memory.situation[:MAX_TEXT], keys=keys)


def _known(failures: Iterable[Header], then: Hindsight) -> list[str]:
    return [one.id for one in failures if one.recorded_at < then.moment and one.episode != then.episode]


def _lineage(mirror: GraphMirror, memory_id: str) -> str:
    return next(iter(mirror.lineages(memory_id)), memory_id)


def _strength(found: Recollection, own: str, graph: _Graph) -> Strength | None:
    """The strongest way in which an answer lists failures of a lineage."""

    def lineages_of(memory: Memory) -> tuple[str, ...]:
        return (graph.lineage_of[memory.id],) if memory.id in graph.lineage_of else ()

    place = listed(found, lineages_of).get(own)
    return place.strength if place else None


def _shown(exposures: Sequence[Exposure], moment: datetime) -> Strength | None:
    """The strongest way in which a session had been shown a lineage before a moment."""
    before = [exposure for exposure in exposures if exposure.at < moment]
    said = [one.strength for one in before if one.said_at is not None and one.said_at < moment]
    listed_only = [Strength.BACKGROUND for _ in before]
    return min((*said, *listed_only), key=list(Strength).index, default=None)


def _miss(now: Strength | None, nearest: Nearest | None) -> Miss:
    if nearest is None:
        return Miss.NOTHING_KNOWN
    if now is Strength.BACKGROUND:
        return Miss.NOT_SURE
    near = nearest.lexical_score > 0 or (nearest.deviation or 0.0) > WEAK_DEVIATIONS
    return Miss.BEHIND if near else Miss.NOT_FOUND
