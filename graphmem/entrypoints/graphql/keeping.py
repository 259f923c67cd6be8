"""Looking back over the memory as a whole, over GraphQL."""

from __future__ import annotations

import datetime as time

import strawberry
from strawberry import UNSET

from graphmem.analysis.day_markdown import day_markdown
from graphmem.domain import episodes as domain
from graphmem.domain import replaying
from graphmem.domain.answers import Strength
from graphmem.domain.replaying import Miss
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.kinds import Experience, Memory, member, mirrored, node, nodes
from graphmem.entrypoints.graphql.proof import Rate
from graphmem.services.wording import check_language


@strawberry.type(
    description="Memories of one task, else of one session, else one memory alone; oldest first."
)
class Episode:
    """An episode."""

    task_id: str
    session_id: str
    memories: list[Memory]


@strawberry.type(description="Facts and experiences of one day in UTC.")
class DayLog:
    """A day."""

    day: time.date
    episodes: list[Episode]
    truncated: bool = strawberry.field(description="More happened than is listed (5,000).")
    source: strawberry.Private[domain.DayLog]

    @answered()
    def markdown(self, language: str | None = UNSET) -> str:
        """The day as Markdown, 'en' (default) or 'zh'."""
        return day_markdown(self.source, check_language(language or None, "en"))


@strawberry.type(description="A failure that was known then, and how near it came.")
class Nearest:
    """A near miss."""

    memory: Memory
    relevance: float
    lexical_score: float = strawberry.field(description="BM25, 0 or more.")
    deviation: float | None = strawberry.field(
        description="Of the cosine, in standard deviations above chance; null without vectors."
    )


@strawberry.type(description="A failure that happened, asked about again.")
class ReplayedFailure:
    """A failure."""

    failure: Experience
    earlier: int = strawberry.field(
        description="Failures of its lineage, of other tasks, that had been recorded by then."
    )
    then: Strength | None = strawberry.field(
        description="How its lineage was shown to its session before it; null: not at all."
    )
    now: Strength | None = strawberry.field(description="Likewise, by today's memory of what was known then.")
    others: int = strawberry.field(description="Reminders about other mistakes that it would get.")
    nearest: Nearest | None = strawberry.field(
        description="The known failure of its lineage that comes nearest."
    )
    rival: Nearest | None = strawberry.field(description="That of all other lineages.")
    miss: Miss | None = strawberry.field(description="Why it would not be said.")


@strawberry.type(
    description="Failures asked about again, each with what had been recorded before it and in other tasks."
)
class Replay:
    """The answer of replay."""

    since: time.datetime
    failures: int
    repeats: int = strawberry.field(
        description="Those with an earlier failure of their lineage; the rates are of these."
    )
    said_then: Rate
    said_now: Rate
    listed_then: Rate
    listed_now: Rate
    disturbed: Rate = strawberry.field(description="What worked and would get a reminder.")
    truncated: bool = strawberry.field(description="Older failures were left out.")
    items: list[ReplayedFailure] = strawberry.field(description="Newest first.")


@strawberry.type
class KeepingQuery:
    """What can be asked about the memory as a whole."""

    @answered()
    def episodes(self, info: Asked, day: time.date) -> DayLog:
        """What happened on a day (UTC), by task and session: the daily log."""
        found = info.context.services.daybook.day(info.context.namespace, day)
        held = [
            Episode(task_id=item.task_id, session_id=item.session_id, memories=nodes(item.memories))
            for item in found.episodes
        ]
        return DayLog(day=found.day, episodes=held, truncated=found.truncated, source=found)

    @answered()
    def replay(self, info: Asked, since: time.datetime) -> Replay:
        """Failures since a time: what was said before them then, and what today's memory would say. At each only
        what had been recorded before it counts.
        """
        return _replay(info.context.services.replay.replay(info.context.namespace, since))


def _replay(found: replaying.Replayed) -> Replay:
    shares = ("said_then", "said_now", "listed_then", "listed_now", "disturbed")
    rates = {name: mirrored(Rate, getattr(found, name)) for name in shares}
    return mirrored(Replay, found, items=[replayed(item) for item in found.items], **rates)


def replayed(item: replaying.ReplayedFailure) -> ReplayedFailure:
    """A replayed failure as a GraphQL object."""
    near = {"nearest": _nearest(item.nearest), "rival": _nearest(item.rival)}
    return mirrored(ReplayedFailure, item, failure=member(item.failure), **near)


def _nearest(found: replaying.Nearest | None) -> Nearest | None:
    return mirrored(Nearest, found, memory=node(found.memory)) if found else None
