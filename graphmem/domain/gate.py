"""What the reminder gate looks at, and the model that makes a probability of it."""

from __future__ import annotations

from dataclasses import dataclass

FEATURES = 2
"""Which features these are: outcomes that were noted with others cannot be fitted together with them.

What is stored without a version is of version 1, whatever this says by then: it is given wherever something is made.
"""


@dataclass(frozen=True, slots=True)
class GateFeatures:
    """What the gate looks at. relevance and gap are on the scale of fusion.relevance; the rest in [0, 1].

    agreement: how many of the nearest failures share a class with the best, its cluster or its error class, as a
    share of NEAREST;
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
    """A logistic model; slopes >= 0, so that more evidence never lowers the probability. version: of its features."""

    intercept: float
    slopes: tuple[float, ...]
    version: int = 1


@dataclass(frozen=True, slots=True)
class GateLook:
    """What the gate looked at for one question: the best witness among the failures, and the evidence for it.

    version: FEATURES of the service that looked.
    """

    memory_id: str
    evidence: GateFeatures
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class GateTrial:
    """A gate that was fitted on outcomes, beside the shipped one, on outcomes that it had not seen.

    shipped_loss and refitted_loss: mean log loss in nats, less is better. gain: their difference, above 0 where the
    refit is better, with its interval over sessions (95 %). better: the whole interval lies above 0.
    """

    refitted: GatePrior
    shipped_loss: float
    refitted_loss: float
    gain: float
    low: float
    high: float
    better: bool
