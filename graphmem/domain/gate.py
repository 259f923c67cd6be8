"""What the reminder gate looks at, and the model that makes a probability of it."""

from __future__ import annotations

from dataclasses import dataclass

FEATURES = 1
"""Which features these are: outcomes that were noted with others cannot be fitted together with them."""


@dataclass(frozen=True, slots=True)
class GateFeatures:
    """What the gate looks at. relevance and gap are on the scale of fusion.relevance; the rest in [0, 1].

    agreement: how many of the nearest failures are in the class of the best, as a share of NEAREST;
    vote_share: the same among those found, with weights 1 / rank.
    """

    relevance: float
    gap: float
    agreement: float
    vote_share: float

    def values(self) -> tuple[float, ...]:
        """The features in the order of GatePrior.slopes."""
        return (self.relevance, self.gap, self.agreement, self.vote_share)


@dataclass(frozen=True, slots=True)
class GatePrior:
    """A logistic model; slopes >= 0, so that more evidence never lowers the probability."""

    intercept: float
    slopes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GateLook:
    """What the gate looked at for one question: the best witness among the failures, and the evidence for it.

    version: FEATURES of the service that looked.
    """

    memory_id: str
    evidence: GateFeatures
    version: int = FEATURES
