"""From scores to a probability that a reminder applies, and the evidence it is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graphmem.domain.gate import GateFeatures, GatePrior

NEAREST = 5
"""How many nearest failures vote."""
SHIPPED = GatePrior(intercept=-2.02, slopes=(1.47, 0.16, 2.20, 0.0))
"""Fitted on boundary50 and AgentRx by cross-validation: python -m benchmarks.fit_gate."""


def features(scored: Sequence[tuple[str, float]]) -> GateFeatures:
    """Gate features of the best of several failures, given as (class, relevance), best first.

    Raises IndexError when there is none. The class '' is nobody's class: it never agrees with another.
    """
    best_class, best = scored[0]
    nearest = scored[:NEAREST]
    alike = [
        index == 0 or (bool(best_class) and name == best_class) for index, (name, _) in enumerate(nearest)
    ]
    weights = [1 / (rank + 1) for rank in range(len(nearest))]
    other = next((value for (name, value), same in zip(nearest, alike, strict=True) if not same), 0.0)
    return GateFeatures(
        relevance=best,
        gap=max(0.0, best - max(0.0, other)),
        agreement=sum(alike) / NEAREST,
        vote_share=sum(weight for weight, same in zip(weights, alike, strict=True) if same) / sum(weights),
    )


def probability(prior: GatePrior, evidence: GateFeatures) -> float:
    """Probability in (0, 1) that the best failure is of the right kind (logistic)."""
    score = prior.intercept + sum(s * v for s, v in zip(prior.slopes, evidence.values(), strict=True))
    return 1 / (1 + math.exp(-score))
