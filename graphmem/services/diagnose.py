"""Why the memory does not help, looked for in the order of seed 1 (5.1, 5.4): written, told apart, found, said too
often, slow, left undone, badly grouped, badly cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from time import perf_counter

from graphmem.domain.causation import CauseEdge
from graphmem.domain.diagnostics import Check, Diagnostics, Row, figures
from graphmem.domain.drafts import Question
from graphmem.domain.memories import Experience, Level, MemoryKind, Result, State
from graphmem.domain.records import FOR_AN_ANALYST, JobKind, Record, RecordKind
from graphmem.domain.replaying import Hindsight
from graphmem.domain.rules import check_namespace, check_time
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import Header
from graphmem.ports.queries import PageRequest, RecordSelection, Selection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.checkups import misses, per_task, percentile, scores, segmenting, write_log
from graphmem.services.embedding import Embedding
from graphmem.services.giving_up import count_given_up
from graphmem.services.holding import open_job
from graphmem.services.intake import Clock
from graphmem.services.recall import Recall
from graphmem.services.replay import Replay, question_of

SINCE = timedelta(days=30)
"""How far back it looks when nothing is said."""
PROBES = 50
"""Failures that are asked about again, the newest."""
TIMED = 20
"""Questions that are timed."""
READ = 1_000
"""Failures read in full for the write log, the newest."""
SLOW_MS = 200.0
"""What seed 1 (5.2) calls a stable latency."""
LUMP = 0.5
"""A cluster of more than this share of all failures is a lump (from LUMP_FROM failures on)."""
LUMP_FROM = 10
LATE = timedelta(hours=1)
"""A job that waits longer than this has no worker."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the checks look with. stopwatch: seconds; reminder_share: above it the agent is warned too often."""

    recall: Recall
    replay: Replay
    embedding: Embedding
    clock: Clock
    reminder_share: float
    stopwatch: Callable[[], float] = perf_counter


class Diagnose:
    """Reads, asks and times; it writes nothing, and no session is told."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, tools: Tools) -> None:
        self._store = store
        self._indexes = indexes
        self._tools = tools

    def diagnose(self, namespace: str, since: datetime | None = None) -> Diagnostics:
        """All checks over what happened since a time, by default the last 30 days.

        Raises BadInputError, UnavailableError.
        """
        check_namespace(namespace)
        now = self._tools.clock()
        start = check_time("since", since) if since is not None else now - SINCE
        latency = self._latency(namespace)
        replayed = self._tools.replay.replay(namespace, start, PROBES)
        with self._indexes.current(namespace) as index:
            headers = list(index.mirror.experiences())
            led_on = {
                edge.to_id for edge in index.mirror.edges() if isinstance(edge, CauseEdge) and edge.active
            }
            languages = index.languages()
        failures = self._failures(namespace, start)
        rows = (
            write_log(headers, failures, start, now),
            per_task(headers, start, led_on),
            scores(Check.WORD_SCORES, replayed, lambda near: near.lexical_score),
            scores(Check.MEANING_SCORES, replayed, lambda near: near.deviation),
            misses(replayed),
            self._reminders(namespace, start),
            latency,
            self._jobs(namespace, now),
            self._clusters(namespace, headers),
            segmenting(languages, failures),
        )
        missed = tuple(item for item in replayed.items if item.earlier and not item.said_now)
        return Diagnostics(since=start, at=now, rows=rows, misses=missed)

    def _failures(self, namespace: str, since: datetime) -> list[Experience]:
        selection = Selection(
            kinds=(MemoryKind.EXPERIENCE,),
            results=(Result.FAILURE,),
            states=(State.ACTIVE,),
            occurred_from=since,
        )
        page = self._store.find(namespace, selection, PageRequest(first=READ))
        return [memory for memory in page.items if isinstance(memory, Experience)]

    def _reminders(self, namespace: str, since: datetime) -> Row:
        """Sessions that were told something as a warning or a question, of those that asked."""
        asked = {record.subject for record in self._records(namespace, RecordKind.SERVED, since)}
        told = {
            str(record.body["session_id"])
            for record in self._records(namespace, RecordKind.EXPOSURE, since)
            if record.body.get("said_at") and record.body.get("shown", True)
        }
        share = len(told & asked) / len(asked) if asked else 0.0
        limit = self._tools.reminder_share
        return Row(
            check=Check.REMINDERS,
            ok=share <= limit if asked else None,
            figures=figures(
                {"sessions": len(asked), "told": len(told & asked), "told_share": share, "limit_share": limit}
            ),
            command="graphmem experiment",
        )

    def _latency(self, namespace: str) -> Row:
        """Questions like the newest experiences, timed now and here, after one that brings the index up to date."""
        with self._indexes.current(namespace) as index:
            newest = sorted(index.mirror.experiences(), key=lambda one: one.occurred_at)[-TIMED:]
            held = len(index.mirror.headers)
        memories = self._store.get(namespace, [header.id for header in newest]).values()
        questions = [question_of(one) for one in memories if isinstance(one, Experience)]
        times = [self._timed(namespace, question) for question in questions[:1] + questions][1:]
        values: dict[str, float] = {"memories": held, "questions": len(times)}
        for stage, taken in zip(("vectors", "search"), zip(*times, strict=True), strict=False):
            values |= {f"{stage}_p50_ms": median(taken), f"{stage}_p95_ms": percentile(taken, 95)}
        whole = [sum(stages) for stages in times]
        return Row(
            check=Check.LATENCY,
            ok=percentile(whole, 95) <= SLOW_MS if whole else None,
            figures=figures(values),
            command="graphmem sweep --dry-run",
        )

    def _timed(self, namespace: str, question: Question) -> tuple[float, float]:
        """Milliseconds for the vector of a text that is not remembered, and for everything after it."""
        tools = self._tools
        asked = Question(situation=f"{question.situation[:60_000]}\n?", keys=question.keys)
        began = tools.stopwatch()
        tools.embedding.vectors([asked.situation])
        embedded = tools.stopwatch()
        tools.recall.in_hindsight(namespace, asked, Hindsight(tools.clock()))
        return 1_000 * (embedded - began), 1_000 * (tools.stopwatch() - embedded)

    def _jobs(self, namespace: str, now: datetime) -> Row:
        """Work of the service that waits or is at work, how long the oldest has; apart, what waits for an analyst,
        and what of either was given up.
        """
        state = self._store.state(namespace)
        first = (open_job(self._store, namespace, kind) for kind in JobKind if kind not in FOR_AN_ANALYST)
        oldest = max((now - job.created_at for job in first if job), default=timedelta())
        lost = sum(count_given_up(self._store, namespace).values())
        return Row(
            check=Check.JOBS,
            ok=oldest <= LATE and not lost,
            figures=figures(
                {
                    "pending": state.pending_jobs,
                    "oldest_h": oldest / timedelta(hours=1),
                    "analyses": state.pending_analyses,
                    "given_up": lost,
                }
            ),
            command="graphmem doctor --repair" if lost or state.pending_jobs else "graphmem serve",
        )

    def _clusters(self, namespace: str, headers: Sequence[Header]) -> Row:
        """The picture of the clusters: how many, how large, how many failures are like no other, and their patterns."""
        failures = [header for header in headers if header.is_failure]
        sizes = Counter(header.cluster_id for header in failures if header.cluster_id)
        groups = sorted((size for size in sizes.values() if size > 1), reverse=True)
        patterns = self._store.find(
            namespace, Selection(kinds=(MemoryKind.PATTERN,), states=(State.ACTIVE,)), PageRequest(first=READ)
        ).items
        levels = Counter(getattr(pattern, "level", Level.NONE) for pattern in patterns)
        largest = groups[0] / len(failures) if groups else 0.0
        enough = len(failures) >= LUMP_FROM
        return Row(
            check=Check.CLUSTERS,
            ok=largest <= LUMP and bool(groups) if enough else None,
            figures=figures(
                {
                    "failures": len(failures),
                    "clusters": len(groups),
                    "largest_share": largest,
                    "alone_share": 1 - sum(groups) / len(failures) if failures else 0.0,
                    "medium_patterns": levels[Level.MEDIUM],
                    "high_patterns": levels[Level.HIGH],
                }
            ),
            command="graphmem clusters",
        )

    def _records(self, namespace: str, kind: RecordKind, since: datetime | None) -> Iterable[Record]:
        selection, first = RecordSelection(since=since), PageRequest(first=READ)
        for page in pages(lambda page: self._store.records(namespace, kind, selection, page), first):
            yield from page.items
