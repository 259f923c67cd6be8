"""Many failures at the door: which few causes make most of them, and where their chains meet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry
from strawberry import UNSET

from graphmem.domain import overview as domain
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.kinds import Memory, Pattern, mirrored, node, nodes

_LIMIT = 10
_TRIALS = 5
_PAIRS = 100


@strawberry.type(
    description="A root cause, or all root causes of one cluster, in the order of what fixing them saves."
)
class Priority:
    """One cause to fix."""

    id: strawberry.ID = strawberry.field(description="The cluster, or the only root cause.")
    causes: list[Memory] = strawberry.field(
        description="The root causes, the latest first, at most five of count."
    )
    count: int
    pattern: Pattern | None
    failures: int = strawberry.field(description="All that it led to, itself included if it failed.")
    gained: int = strawberry.field(description="Those that no earlier priority covers.")
    covered: float = strawberry.field(description="Share of all failures covered so far: the coverage curve.")


@strawberry.type(
    description="Few causes behind many failures. Each item adds what the ones before it left over."
)
class Priorities:
    """The answer of priorities."""

    items: list[Priority]
    failures: int
    orphans: int = strawberry.field(
        description="Failures with no known cause; each is a root cause itself. Many: link causes first."
    )
    cut: int | None = strawberry.field(
        description="How many of the first items cover four fifths of the failures; null when those listed do not."
    )


@strawberry.type(
    description="A memory between causes and failures; chains = roots x failures joined through it."
)
class ChokePoint:
    """A choke point."""

    memory: Memory
    roots: int
    failures: int
    chains: int


@strawberry.type(description="How one class of failures led to another. A class is a normalised error type.")
class ClassPropagation:
    """A pair of classes."""

    cause_class: str
    effect_class: str
    trials: int = strawberry.field(
        description="Occurrences of the cause class after which its episode went on."
    )
    caused: int = strawberry.field(
        description="Trials that a failure of the effect class names as its cause."
    )
    probability: float = strawberry.field(description="Of causing; its 90 % interval is [low, high].")
    low: float
    high: float
    followed: int = strawberry.field(
        description="Trials after which the effect class occurred, by whatever cause."
    )
    together: int = strawberry.field(description="Episodes with both.")
    lift: float = strawberry.field(description="How many times as many of these as by chance.")
    q: float | None = strawberry.field(
        description="False-discovery rate at which they still go together; null where too little is known."
    )
    bond: domain.Bond


@strawberry.type(description="Class by class, the most probable first.")
class Propagation:
    """The answer of propagation."""

    pairs: list[ClassPropagation]
    total: int = strawberry.field(description="How many pairs there are; limit bounds those listed.")
    classes: list[str]
    episodes: int
    needed: int = strawberry.field(description="With fewer episodes every bond is CO_OCCURS.")
    unclassed: int = strawberry.field(description="Failures without an error type, left out.")


@strawberry.type
class OverviewQuery:
    """What can be asked about all failures at once."""

    @answered()
    def priorities(
        self, info: Asked, since: datetime | None = UNSET, limit: int | None = _LIMIT
    ) -> Priorities:
        """The fewest root causes behind most of the failures since a time. limit: 1 to 100."""
        services, namespace = info.context.services, info.context.namespace
        found = services.overview.priorities(namespace, since or None, _LIMIT if limit is None else limit)
        return mirrored(Priorities, found, items=[_priority(item) for item in found.items])

    @answered()
    def choke_points(
        self, info: Asked, since: datetime | None = UNSET, limit: int | None = _LIMIT
    ) -> list[ChokePoint]:
        """Memories through which most pairs of a root cause and a failure are joined. limit: 1 to 100."""
        services, namespace = info.context.services, info.context.namespace
        found = services.overview.choke_points(namespace, since or None, _LIMIT if limit is None else limit)
        return [mirrored(ChokePoint, item, memory=node(item.memory)) for item in found]

    @answered()
    def propagation(
        self,
        info: Asked,
        since: datetime | None = UNSET,
        min_trials: int | None = _TRIALS,
        limit: int | None = _PAIRS,
    ) -> Propagation:
        """How one kind of failure usually leads to another. minTrials: 1 to 1,000,000; limit: 1 to 40,000 pairs."""
        services, namespace = info.context.services, info.context.namespace
        found = services.overview.propagation(
            namespace,
            since or None,
            _TRIALS if min_trials is None else min_trials,
            _PAIRS if limit is None else limit,
        )
        return mirrored(Propagation, found, pairs=[mirrored(ClassPropagation, item) for item in found.pairs])


def _priority(found: domain.Priority) -> Priority:
    pattern: Any = node(found.pattern) if found.pattern else None
    return mirrored(Priority, found, causes=nodes(found.causes), pattern=pattern)
