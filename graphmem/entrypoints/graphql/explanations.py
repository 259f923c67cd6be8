"""What explain answers, as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry import UNSET

from graphmem.domain import explanations as domain
from graphmem.domain.causation import Grade
from graphmem.entrypoints.graphql import reading
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.edges import CauseEdge, cause_edge
from graphmem.entrypoints.graphql.kinds import Memory, Pattern, Strategy, mirrored, node, nodes
from graphmem.services.what_if import what_if as without


@strawberry.type(description="One part of a score, with its name.")
class ScorePart:
    """A part of a score."""

    name: str
    value: float


@strawberry.type(
    description="A candidate root cause. grade: the weakest edge on its best path, null for the node asked."
)
class RootCause:
    """A ranked cause."""

    memory: Memory
    score: float
    parts: list[ScorePart]
    grade: Grade | None
    hops: int
    on_every_path: bool


@strawberry.type(description="Ids from the effect to a root, with the product of the edges' confidences.")
class CausePath:
    """A path."""

    ids: list[strawberry.ID]
    probability: float


@strawberry.type(description="A cause that was stated and refuted: kept, and left out of every walk.")
class RefutedCause:
    """A refuted cause."""

    edge: CauseEdge
    memory: Memory


@strawberry.type(
    description="A stated cause that the habits of the namespace hardly believe: a question; it stays in the walk."
)
class DoubtedCause:
    """A doubted cause."""

    edge: CauseEdge
    memory: Memory
    probability: float = strawberry.field(description="Of this cause beside everything that nobody stated.")
    instead: Memory | None = strawberry.field(
        description="What habits believe most of what nobody stated; null: nothing that is known."
    )


@strawberry.type(
    description="How probably a failure would have happened all the same, with its 95 % interval over n draws."
)
class Survival:
    """A failure without the removed causes."""

    memory: Memory
    probability: float
    low: float
    high: float
    n: int


@strawberry.type(description="What would have been without some causes.")
class WhatIf:
    """The answer of whatIf."""

    removed: list[strawberry.ID]
    prevented: list[strawberry.ID] = strawberry.field(description="Failures that lose every way to a root.")
    still: list[Survival]
    avoided: float = strawberry.field(description="How many failures fewer are expected.")


@strawberry.type(description="Why something happened: the bounded cause graph, flat, and its ranked roots.")
class Explanation:
    """The answer of explain."""

    of: Memory
    root_causes: list[RootCause]
    paths: list[CausePath]
    nodes: list[Memory]
    edges: list[CauseEdge]
    joint_fix: list[strawberry.ID] = strawberry.field(
        description="The smallest set of causes that cuts every path from a root."
    )
    earliest: strawberry.ID = strawberry.field(description="Baseline: the cause that happened first.")
    latest: strawberry.ID = strawberry.field(description="Baseline: the cause that happened last.")
    on_every_path: list[strawberry.ID] = strawberry.field(
        description="Causes without which no root leads here, nearest first: fixing one is enough."
    )
    refuted: list[RefutedCause] = strawberry.field(description="Causes that a reviewer refuted: left out.")
    doubted: list[DoubtedCause] = strawberry.field(
        description="Stated causes that habits hardly believe: for reviewCause. They stay in the walk."
    )
    not_inferred: bool = strawberry.field(
        description="Habits were not asked about all of it: too many episodes were walked through."
    )
    patterns: list[Pattern] = strawberry.field(description="Lessons over the nodes, over most of them first.")
    strategies: list[Strategy] = strawberry.field(description="Strategies over these patterns.")
    only_inferred: list[strawberry.ID] = strawberry.field(
        description="Nodes that inferred edges alone lead to: without these edges they vanish."
    )
    stated_root: strawberry.ID = strawberry.field(description="The first root cause without inferred edges.")
    truncated: bool = strawberry.field(description="The walk hit a bound; nodes at the cut are not ranked.")
    min_grade: Grade
    as_of: datetime | None
    valid_at: datetime | None
    source: strawberry.Private[domain.Explanation]

    @answered()
    def what_if(self, remove: list[strawberry.ID] | None = UNSET) -> WhatIf:
        """What would have happened all the same without these nodes (id or ref), with intervals.

        Without remove: had the causes of jointFix not been.
        """
        named = (
            None if remove is None or remove is UNSET else [reading.named(name, "remove") for name in remove]
        )
        found = without(self.source, named)
        still = [mirrored(Survival, item, memory=node(item.memory)) for item in found.still]
        return mirrored(WhatIf, found, still=still)


def explanation(found: domain.Explanation) -> Explanation:
    """Explanation as a GraphQL object."""
    roots = [mirrored(RootCause, item, memory=node(item.memory)) for item in found.root_causes]
    refuted = [RefutedCause(edge=cause_edge(item.edge), memory=node(item.memory)) for item in found.refuted]
    doubted = [
        mirrored(
            DoubtedCause,
            item,
            edge=cause_edge(item.edge),
            memory=node(item.memory),
            instead=None if item.instead is None else node(item.instead),
        )
        for item in found.doubted
    ]
    return mirrored(
        Explanation,
        found,
        of=node(found.of),
        root_causes=roots,
        nodes=nodes(found.nodes),
        edges=[cause_edge(edge) for edge in found.edges],
        refuted=refuted,
        doubted=doubted,
        patterns=nodes(found.patterns),
        strategies=nodes(found.strategies),
        source=found,
    )
