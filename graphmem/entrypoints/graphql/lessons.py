"""Lessons at the door: clusters of failures, the patterns and strategies made of them, and what people decide."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import strawberry
from strawberry import UNSET

from graphmem.domain import answers as domain
from graphmem.domain import drafts
from graphmem.domain.memories import PatternStatus, StrategyStatus
from graphmem.entrypoints.graphql import reading
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.kinds import (
    Experience,
    Pattern,
    Strategy,
    member,
    mirrored,
    node,
    nodes,
    written_node,
)
from graphmem.entrypoints.graphql.problems import Conflict, InvalidInput, NotFound, TooLarge, outcome

_FIRST = 20


@strawberry.input(description="How to reflect. profile 'seed': cluster as the article did (DBSCAN).")
class ReflectInput:
    """A look at all failures."""

    profile: str | None = UNSET


@strawberry.input(
    description="A decision about a pattern: OPEN, RESOLVED or MUTED. A failure after RESOLVED makes it REGRESSED."
)
class PatternReview:
    """A review of a pattern."""

    id: strawberry.ID
    status: PatternStatus
    by: str | None = UNSET
    reason: str | None = UNSET


@strawberry.input(
    description="Makes a pattern a strategy in force. Without guidance: what prevents the failures."
)
class PromoteInput:
    """A pattern to promote."""

    pattern: strawberry.ID
    category: str | None = UNSET
    guidance: str | None = UNSET
    by: str | None = UNSET


@strawberry.input(description="A decision about a strategy: ACTIVE, RETIRED or PROPOSED.")
class StrategyReview:
    """A review of a strategy."""

    id: strawberry.ID
    status: StrategyStatus
    by: str | None = UNSET
    reason: str | None = UNSET


@strawberry.type(description="What one look at all failures led to.")
class Reflection:
    """A reflection."""

    failures: int = strawberry.field(description="How many were looked at.")
    left_out: int = strawberry.field(description="Older ones, beyond what is clustered at once.")
    clusters: int = strawberry.field(description="Groups of two or more.")
    alone: int = strawberry.field(description="Failures like no other.")
    moved: int = strawberry.field(description="Failures that are in another cluster than before.")
    patterns: int = strawberry.field(description="New ones.")
    merged: int = strawberry.field(description="Patterns that said the same as an older one.")
    reworded: int = strawberry.field(description="Lessons worded anew.")
    strategies: int = strawberry.field(description="New ones.")


@strawberry.type(description="Failures that belong together.")
class Cluster:
    """A cluster."""

    id: strawberry.ID
    size: int
    members: list[Experience] = strawberry.field(description="The first five.")
    pattern: Pattern | None = strawberry.field(description="The pattern over most of them, if there is one.")


ReflectResult: TypeAlias = Annotated[Reflection | InvalidInput, strawberry.union("ReflectResult")]
PatternResult: TypeAlias = Annotated[
    Pattern | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("PatternResult")
]
StrategyResult: TypeAlias = Annotated[
    Strategy | InvalidInput | TooLarge | NotFound | Conflict, strawberry.union("StrategyResult")
]


@strawberry.type
class LessonQuery:
    """What can be asked about lessons."""

    @answered()
    def clusters(self, info: Asked, first: int | None = _FIRST) -> list[Cluster]:
        """The largest clusters of failures, with their pattern if they have one. first: 1 to 100."""
        services, namespace = info.context.services, info.context.namespace
        return [
            _cluster(item)
            for item in services.reflect.clusters(namespace, _FIRST if first is None else first)
        ]


@strawberry.type
class LessonMutation:
    """What can be done about lessons."""

    @answered()
    def reflect(self, info: Asked, input: ReflectInput | None = UNSET) -> ReflectResult:
        """Cluster all failures anew, and bring patterns and strategies up to date."""
        services, namespace = info.context.services, info.context.namespace
        profile = (input.profile if input else "") or ""
        return outcome(lambda: mirrored(Reflection, services.reflect.reflect(namespace, profile)))

    @answered()
    def review_pattern(self, info: Asked, input: PatternReview) -> PatternResult:
        """Say that a pattern is settled, not to be said, or open again."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(
            lambda: member(services.curate.review_pattern(namespace, drafts.PatternReview(**_named(input))))
        )

    @answered()
    def promote_pattern(self, info: Asked, input: PromoteInput) -> StrategyResult:
        """Make a pattern a strategy in force. A pattern has one strategy that is not retired."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(
            lambda: written_node(
                services.curate.promote(namespace, drafts.Promotion(**_named(input, "pattern")))
            )
        )

    @answered()
    def review_strategy(self, info: Asked, input: StrategyReview) -> StrategyResult:
        """Put a strategy in force, out of force, or back to being proposed."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(
            lambda: member(services.curate.review_strategy(namespace, drafts.StrategyReview(**_named(input))))
        )


def _named(source: PatternReview | PromoteInput | StrategyReview, field: str = "id") -> dict[str, Any]:
    """What was given, once it names a memory that can be asked for."""
    reading.named(getattr(source, field), field)
    return reading.given(source)


def _cluster(found: domain.Cluster) -> Cluster:
    pattern = node(found.pattern) if found.pattern else None
    return Cluster(id=strawberry.ID(found.id), size=found.size, members=nodes(found.members), pattern=pattern)  # type: ignore[arg-type]
