"""The cause graph looked over at the door: what has no cause, what cannot be, what is shared."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry import UNSET

from graphmem.domain.overview import Relation
from graphmem.entrypoints.graphql import answers, reading
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.edges import CauseEdge, cause_edge
from graphmem.entrypoints.graphql.kinds import Memory, mirrored, node, nodes
from graphmem.ports.queries import PageRequest

_FIRST = 20


@strawberry.type(description="A memory that led to both of two. nearest: no other shared cause lies between.")
class SharedCause:
    """A shared cause."""

    memory: Memory
    nearest: bool
    hops: list[int] = strawberry.field(description="From a, from b.")


@strawberry.type(description="What two memories have to do with each other. relation is that of a to b.")
class CommonCause:
    """The answer of commonCause."""

    first: Memory
    second: Memory
    relation: Relation
    confounded: bool = strawberry.field(
        description="They occur together at least partly because something led to each without the other."
    )
    causes: list[SharedCause]
    truncated: bool


@strawberry.type(description="A circle: each memory was caused by the next, the last by the first.")
class Cycle:
    """A cycle."""

    memories: list[Memory]


@strawberry.type
class OddityQuery:
    """What can be asked about the cause graph itself."""

    @answered()
    def common_cause(self, info: Asked, a: strawberry.ID, b: strawberry.ID) -> CommonCause:
        """Did one of the two lead to the other, or did something lead to both?"""
        found = info.context.services.oddities.common_cause(
            info.context.namespace, reading.named(a, "a"), reading.named(b, "b")
        )
        causes = [
            mirrored(SharedCause, item, memory=node(item.memory), hops=list(item.hops))
            for item in found.causes
        ]
        return mirrored(CommonCause, found, first=node(found.first), second=node(found.second), causes=causes)

    @answered()
    def orphans(
        self,
        info: Asked,
        first: int | None = _FIRST,
        after: str | None = UNSET,
        since: datetime | None = UNSET,
    ) -> answers.MemoryConnection:
        """Failures for which no cause is known, newest first: what to link next. first: 1 to 100."""
        page = PageRequest(first=_FIRST if first is None else first, after=after or "")
        oddities = info.context.services.oddities
        return answers.connection(oddities.orphans(info.context.namespace, page, since or None))

    @answered()
    def time_violations(self, info: Asked, first: int | None = _FIRST) -> list[CauseEdge]:
        """Edges whose cause is more than five seconds later than its effect, the worst first. first: 1 to 100."""
        services, namespace = info.context.services, info.context.namespace
        found = services.oddities.time_violations(namespace, _FIRST if first is None else first)
        return [cause_edge(edge) for edge in found]

    @answered()
    def cycles(self, info: Asked, first: int | None = _FIRST) -> list[Cycle]:
        """Circles of causes, one of every tangle. first: 1 to 100."""
        services, namespace = info.context.services, info.context.namespace
        found = services.oddities.cycles(namespace, _FIRST if first is None else first)
        return [Cycle(memories=nodes(circle)) for circle in found]
