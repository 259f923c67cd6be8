"""The part of the Python door that looks after a memory: its lessons, its order, what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from graphmem.domain.analyses import AnalysisDraft, WorkItem
from graphmem.domain.answers import CauseProposal, Cluster, ImportReport, Reflection, Status, Written
from graphmem.domain.diagnostics import Diagnostics
from graphmem.domain.drafts import PatternReview, Promotion, StrategyReview
from graphmem.domain.episodes import DayLog
from graphmem.domain.memories import Memory, Pattern, PatternStatus, Strategy, StrategyStatus
from graphmem.domain.replaying import Replayed
from graphmem.domain.tiers import Swept
from graphmem.entrypoints.plain import drafted, member
from graphmem.ports.queries import Page, PageRequest, Selection
from graphmem.wiring import Services

REPLAYED = timedelta(days=30)
"""How far back replay looks unless it is told."""


class Upkeep:
    """What lessons say and become, why the memory does not help, and everything that it holds."""

    services: Services
    namespace: str

    def memories(self, first: int = 20, after: str = "", **selection: Any) -> Page[Memory]:
        """Memories, newest first, a page at a time; selection as in Selection. Raises GraphmemError."""
        wanted = drafted(Selection, selection)
        return self.services.browse.memories(self.namespace, wanted, PageRequest(first=first, after=after))

    def suggest_causes(self, memory_id: str) -> tuple[CauseProposal, ...]:
        """Earlier events of the task that may be the cause; nothing is written. Raises GraphmemError."""
        return self.services.link.suggest(self.namespace, memory_id)

    def clusters(self, first: int = 20) -> tuple[Cluster, ...]:
        """What failures have in common, the largest clusters first. Raises GraphmemError."""
        return self.services.reflect.clusters(self.namespace, first)

    def reflect(self) -> Reflection:
        """Look at all failures again, and bring clusters and lessons up to date. Raises GraphmemError."""
        return self.services.reflect.reflect(self.namespace)

    def promote(self, pattern: str, guidance: str = "", category: str = "") -> Written:
        """Make a pattern (id or ref) a strategy; without guidance, what prevents it. Raises GraphmemError."""
        said = {"pattern": pattern, "guidance": guidance, "category": category, "by": "library"}
        return self.services.curate.promote(self.namespace, drafted(Promotion, said))

    def decide(
        self, lesson: str, status: PatternStatus | StrategyStatus | str, reason: str = ""
    ) -> Pattern | Strategy:
        """Settle a pattern (OPEN, RESOLVED, MUTED) or a strategy (ACTIVE, RETIRED, PROPOSED). Raises GraphmemError."""
        found = self.services.browse.memory(self.namespace, lesson)
        said = {"id": found.id, "by": "library", "reason": reason}
        if isinstance(found, Strategy):
            decision = member("status", StrategyStatus, status)
            return self.services.curate.review_strategy(
                self.namespace, StrategyReview(status=decision, **said)
            )
        settled = member("status", PatternStatus, status)
        return self.services.curate.review_pattern(self.namespace, PatternReview(status=settled, **said))

    def pending_work(self, limit: int = 5) -> tuple[WorkItem, ...]:
        """What waits for an analyst. Raises GraphmemError."""
        return self.services.analyse.pending(self.namespace, limit)

    def claim_work(self, owner: str, limit: int = 5) -> tuple[WorkItem, ...]:
        """Work that is the owner's alone for fifteen minutes. Raises GraphmemError."""
        return self.services.analyse.claim(self.namespace, owner, limit)

    def submit_analysis(self, item: WorkItem, **answer: Any) -> Written:
        """Answer claimed work; answer as in AnalysisDraft. Raises GraphmemError."""
        held = {"work_id": item.id, "owner": item.owner, "attempt": item.attempt}
        draft = drafted(AnalysisDraft, {**held, **answer})
        return self.services.analyse.submit(self.namespace, draft)

    def status(self) -> Status:
        """Where the namespace and its index stand. Raises GraphmemError."""
        return self.services.inspect.status(self.namespace)

    def diagnostics(self, since: datetime | None = None) -> Diagnostics:
        """Why the memory does not help, a check per row. Raises GraphmemError."""
        return self.services.diagnose.diagnose(self.namespace, since)

    def replay(self, since: datetime | None = None) -> Replayed:
        """Ask about past failures again, then and now; without since of thirty days. Raises GraphmemError."""
        return self.services.replay.replay(self.namespace, since or datetime.now(UTC) - REPLAYED)

    def episodes(self, day: date | None = None) -> DayLog:
        """A day in UTC by task and session; without one today. Raises GraphmemError."""
        return self.services.daybook.day(self.namespace, day or datetime.now(UTC).date())

    def sweep(self, dry_run: bool = False) -> Swept:
        """Move experiences between tiers; removes none. Raises GraphmemError."""
        return self.services.sweep.sweep(self.namespace, dry_run)

    def export(self) -> Iterator[str]:
        """The namespace as lines of JSON, one after the other. Raises GraphmemError."""
        return self.services.transfer.export(self.namespace)

    def import_lines(self, lines: Iterable[str]) -> ImportReport:
        """Write what export gave; what is known already is not written again. Raises GraphmemError."""
        return self.services.transfer.import_lines(self.namespace, lines)
