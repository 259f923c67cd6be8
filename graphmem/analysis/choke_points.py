"""Through which nodes do many chains from a root cause to a failure lead."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from heapq import nsmallest

from graphmem.analysis.cause_order import CauseOrder


@dataclass(frozen=True, slots=True)
class ChokePoint:
    """A node between causes and failures. chains: distinct (root cause, failure) pairs joined through it.

    chains = roots x failures: every root behind it reaches every failure before it.
    """

    id: str
    roots: int
    failures: int

    @property
    def chains(self) -> int:
        """Distinct (root, failure) pairs with a path through the node."""
        return self.roots * self.failures


def choke_points(order: CauseOrder, failing: Set[str], limit: int = 10) -> list[ChokePoint]:
    """Nodes through which most pairs of root and failure are joined, best first; both ends excluded.

    Stress centrality over reachability instead of shortest paths (after Shimbel 1953): a chain is not left out
    because a shorter one exists. Members of one cycle stand side by side with equal counts.
    """
    sources = order.sources()
    roots = order.counts([order.members[group][0] for group in sources], towards_effects=False)
    reached = order.counts(failing)
    ends = set(sources)
    points = (
        (-roots[group] * failures, -failures, node, group)
        for group, members in enumerate(order.members)
        if group not in ends
        for node in members
        if (failures := reached[group] - (node in failing))
    )
    best = nsmallest(limit, points)
    return [ChokePoint(node, roots[group], -failures) for _, failures, node, group in best]
