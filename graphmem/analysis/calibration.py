"""From scores to a probability that a reminder applies, the evidence it is made of, and what outcomes say of it.

Source: D. P. Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM J. Control
and Optimization 20 (1982) 221-246, for slopes that stay at or above 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmem.domain.gate import FEATURES, GateFeatures, GatePrior, GateTrial

NEAREST = 5
"""How many nearest failures vote."""
SHIPPED = GatePrior(intercept=-2.02, slopes=(1.47, 0.16, 2.20, 0.0), version=FEATURES)
"""Fitted on boundary50 and AgentRx by cross-validation: python -m benchmarks.fit_gate."""
LEAST = 50
"""Labels from which a gate is fitted at all; of each kind LEAST_OF_EACH."""
LEAST_OF_EACH = 10
STIFFNESS = (0.25, 1.0, 1.0, 1.0, 1.0)
"""How hard the shipped intercept and slopes hold: precisions, in labels' worth of information. Few labels move the
intercept; slopes follow where there are many.
"""
FOLDS = 10
_STEPS = 100
_HALVINGS = 40
_DRAWS = 1_000
_FLOOR = np.array((-np.inf, 0.0, 0.0, 0.0, 0.0))
_Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate saw once, and whether the failure was to the point. group: the session, held out as one."""

    evidence: GateFeatures
    relevant: bool
    group: str


def features(scored: Sequence[tuple[Set[str], float]]) -> GateFeatures:
    """Gate features of the best of several failures, given as (classes, relevance), best first.

    Two failures agree when they share a class; one in no class agrees with itself alone. Raises IndexError when
    there is none.
    """
    own, best = scored[0]
    nearest = scored[:NEAREST]
    alike = [index == 0 or not own.isdisjoint(classes) for index, (classes, _) in enumerate(nearest)]
    weights = [1 / (rank + 1) for rank in range(len(nearest))]
    other = next((value for (_, value), same in zip(nearest, alike, strict=True) if not same), 0.0)
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


def in_force(gate: GatePrior | None) -> GatePrior:
    """The gate of a namespace: what was fitted there on the features of today, else the shipped one."""
    return gate if gate is not None and gate.version == FEATURES else SHIPPED


def refit(judgements: Sequence[Judgement], prior: GatePrior = SHIPPED) -> GatePrior:
    """The gate that fits judgements best: log loss plus a ridge towards the prior, slopes >= 0 (projected Newton)."""
    x, y = _arrays(judgements)
    start = np.array((prior.intercept, *prior.slopes))
    stiff = np.array(STIFFNESS)

    def loss(weights: _Numbers) -> float:
        score = x @ weights
        return float(np.sum(np.logaddexp(0, score) - y * score) + stiff @ (weights - start) ** 2 / 2)

    weights = start
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        gradient = x.T @ (p - y) + stiff * (weights - start)
        free = (weights > _FLOOR) | (gradient < 0)
        curved = (x.T * (p * (1 - p))) @ x + np.diag(stiff)
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(curved[np.ix_(free, free)], gradient[free])
        least = loss(weights)
        tries = (np.maximum(weights - step / 2**halving, _FLOOR) for halving in range(_HALVINGS))
        lower = next((found for found in tries if loss(found) < least), None)
        if lower is None:
            break
        weights = lower
    return GatePrior(float(weights[0]), tuple(float(slope) for slope in weights[1:]), FEATURES)


def tried(judgements: Sequence[Judgement]) -> GateTrial | None:
    """A refit on all judgements, and its worth on sessions held out, a tenth at a time; None with too few labels.

    The interval is a bootstrap over sessions, whose judgements go together.
    """
    relevant = sum(item.relevant for item in judgements)
    if len(judgements) < LEAST or min(relevant, len(judgements) - relevant) < LEAST_OF_EACH:
        return None
    groups = sorted({item.group for item in judgements})
    place = {name: number for number, name in enumerate(groups)}
    shipped, refitted, counts = np.zeros((3, len(groups)))
    for fold in range(FOLDS):
        rest = [item for item in judgements if place[item.group] % FOLDS != fold]
        gate = refit(rest)
        for item in judgements:
            own = place[item.group]
            if own % FOLDS == fold:
                shipped[own] += _log_loss(SHIPPED, item)
                refitted[own] += _log_loss(gate, item)
                counts[own] += 1
    low, high = _interval(shipped - refitted, counts)
    total = float(counts.sum())
    before, after = float(shipped.sum()) / total, float(refitted.sum()) / total
    return GateTrial(
        refitted=refit(judgements),
        shipped_loss=before,
        refitted_loss=after,
        gain=before - after,
        low=low,
        high=high,
        better=low > 0,
    )


def _arrays(judgements: Sequence[Judgement]) -> tuple[_Numbers, _Numbers]:
    """Evidence as rows that begin with 1, and labels as 0 and 1."""
    x = np.array([(1.0, *item.evidence.values()) for item in judgements], dtype=np.float64)
    return x.reshape(-1, len(STIFFNESS)), np.array([item.relevant for item in judgements], dtype=np.float64)


def _log_loss(gate: GatePrior, item: Judgement) -> float:
    p = probability(gate, item.evidence)
    return -math.log(max(p if item.relevant else 1 - p, 1e-300))


def _interval(sums: _Numbers, counts: _Numbers) -> tuple[float, float]:
    """95 % interval of the mean of what groups sum up to, by drawing groups."""
    chance = np.random.default_rng(1)
    means = []
    for _ in range(_DRAWS):
        rows = chance.integers(0, len(sums), len(sums))
        means.append(sums[rows].sum() / counts[rows].sum())
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
