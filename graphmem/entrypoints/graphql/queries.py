"""The reading fields."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry import UNSET

from graphmem.analysis.walks import DEFAULT_HOPS
from graphmem.domain import drafts
from graphmem.domain.causation import Grade
from graphmem.domain.rules import check_page
from graphmem.entrypoints.graphql import answers, explanations, proof, reading
from graphmem.entrypoints.graphql.analyses import AnalysisQuery
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import Spread, answered
from graphmem.entrypoints.graphql.diagnosing import DiagnosingQuery
from graphmem.entrypoints.graphql.inputs import MemoryFilter, RecallArguments, SituationKeys
from graphmem.entrypoints.graphql.keeping import KeepingQuery
from graphmem.entrypoints.graphql.kinds import member
from graphmem.entrypoints.graphql.lessons import LessonQuery
from graphmem.entrypoints.graphql.oddities import OddityQuery
from graphmem.entrypoints.graphql.overview import OverviewQuery
from graphmem.entrypoints.graphql.problems import outcome
from graphmem.entrypoints.graphql.results import MemoryResult
from graphmem.ports.queries import PageRequest

_PAGE = 20


@strawberry.type
class Query(LessonQuery, KeepingQuery, OddityQuery, OverviewQuery, AnalysisQuery, DiagnosingQuery):
    """What can be asked. Nothing here changes a memory; with a sessionId it is noted what was listed."""

    @answered(Spread("asked", RecallArguments))
    def recall(self, info: Asked, asked: RecallArguments) -> answers.Recollection:
        """Ask before acting: facts, own errors, what worked, and reminders where they are earned."""
        services, namespace = info.context.services, info.context.namespace
        return answers.recollection(services.recall.ask(namespace, reading.question(asked)))

    @answered()
    def brief(
        self,
        info: Asked,
        task: str,
        concern: str | None = UNSET,
        keys: SituationKeys | None = UNSET,
        session_id: str | None = UNSET,
        limit: int | None = 3,
    ) -> answers.Brief:
        """What to know at the start of a task, and which failures are likely in it."""
        question = drafts.Question(
            situation=task,
            concern=concern or "",
            keys=reading.situation_keys(keys),
            session_id=session_id or "",
            limit=3 if limit is None else limit,
        )
        return answers.brief(info.context.services.brief.brief(info.context.namespace, question))

    @answered()
    def explain(
        self,
        info: Asked,
        id: strawberry.ID,
        max_hops: int | None = DEFAULT_HOPS,
        limit: int | None = 5,
        min_grade: Grade | None = Grade.INFERRED,
        as_of: datetime | None = UNSET,
        valid_at: datetime | None = UNSET,
    ) -> explanations.Explanation:
        """Why did this happen: the graph of its causes with ranked roots. maxHops 1 to 50.

        asOf: memories, edges and verdicts as they stood then. validAt: without facts that did not hold then.
        """
        return explanations.explanation(
            info.context.services.explain.explain(
                info.context.namespace,
                reading.named(id),
                DEFAULT_HOPS if max_hops is None else max_hops,
                5 if limit is None else limit,
                min_grade or Grade.INFERRED,
                as_of or None,
                valid_at or None,
            )
        )

    @answered()
    def impact(self, info: Asked, id: strawberry.ID, max_hops: int | None = DEFAULT_HOPS) -> answers.Impact:
        """What followed from this memory. maxHops 1 to 50."""
        hops = DEFAULT_HOPS if max_hops is None else max_hops
        return answers.impact(
            info.context.services.explain.impact(info.context.namespace, reading.named(id), hops)
        )

    @answered()
    def suggest_causes(self, info: Asked, id: strawberry.ID) -> list[answers.CauseProposal]:
        """Possible causes from the same task; nothing is written. Confirm with linkCause."""
        return answers.proposals(
            info.context.services.link.suggest(info.context.namespace, reading.named(id))
        )

    @answered()
    def memory(self, info: Asked, id: strawberry.ID) -> MemoryResult:
        """The memory with this id or ref, in whatever state."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: member(services.browse.memory(namespace, reading.named(id))))

    @answered()
    def memories(
        self,
        info: Asked,
        filter: MemoryFilter | None = UNSET,
        first: int | None = _PAGE,
        after: str | None = UNSET,
    ) -> answers.MemoryConnection:
        """Memories by plain filters, newest first. first: 1 to 100."""
        page = PageRequest(first=check_page(_PAGE if first is None else first), after=after or "")
        found = info.context.services.browse.memories(info.context.namespace, reading.selection(filter), page)
        return answers.connection(found)

    @answered()
    def recurrence(
        self, info: Asked, subject: strawberry.ID | None = UNSET, since: datetime | None = UNSET
    ) -> proof.Recurrence:
        """How often failures came back after they were shown: of a failure, a pattern or a strategy, or of all."""
        named = reading.named(subject or "", "subject")
        measure = info.context.services.measure
        return proof.recurrence_of(measure.recurrence(info.context.namespace, named, since or None))

    @answered()
    def experiment(
        self, info: Asked, subject: strawberry.ID | None = UNSET, since: datetime | None = UNSET
    ) -> proof.Experiment:
        """What showing did against withholding, and what should be retired for it. Needs a hold-out rate above 0."""
        named = reading.named(subject or "", "subject")
        measure = info.context.services.measure
        return proof.experiment(measure.experiment(info.context.namespace, named, since or None))

    @answered()
    def status(self, info: Asked) -> answers.Status:
        """Where this namespace and the index over it stand."""
        return answers.status(info.context.services.inspect.status(info.context.namespace))
