"""Looking back over the memory as a whole, over GraphQL."""

from __future__ import annotations

import datetime as time

import strawberry
from strawberry import UNSET

from graphmem.analysis.day_markdown import day_markdown
from graphmem.domain import episodes as domain
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.kinds import Memory, nodes
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
