"""Reminders as GraphQL types."""

from __future__ import annotations

from collections.abc import Iterable

import strawberry

from graphmem.domain import answers as domain
from graphmem.domain.answers import Strength
from graphmem.entrypoints.graphql.kinds import Memory, mirrored, node, nodes


@strawberry.type(description="A past mistake worth saying now.")
class Reminder:
    """A reminder."""

    strength: Strength
    text: str
    subject: Memory
    evidence: list[Memory]
    confidence: float | None = strawberry.field(
        description="Probability that it applies; null = uncalibrated."
    )
    exposure_id: strawberry.ID | None = strawberry.field(
        description="What answerReminder takes; null without a sessionId."
    )


def reminders(found: Iterable[domain.Reminder]) -> list[Reminder]:
    """Reminders as GraphQL objects."""
    return [
        mirrored(
            Reminder,
            item,
            subject=node(item.subject),
            evidence=nodes(item.evidence),
            exposure_id=strawberry.ID(item.exposure_id) if item.exposure_id else None,
        )
        for item in found
    ]
