"""A share or probability with the interval that belongs to it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betaincinv, ndtri

JEFFREYS = 0.5
"""Both parameters of Jeffreys' prior of a share."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability in [0, 1] between low and high, from n observations or draws."""

    value: float
    low: float
    high: float
    n: int


def wilson(hits: int, n: int, level: float = 0.95) -> Estimate:
    """The share hits / n with Wilson's score interval (Wilson 1927); [0, 1] around 0.5 when n is 0."""
    if not n:
        return Estimate(0.5, 0.0, 1.0, 0)
    z = float(ndtri(0.5 + level / 2))
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)), n)


def beta_share(hits: int, n: int, level: float = 0.9) -> Estimate:
    """The mean of a share's Beta posterior with its equal-tailed interval, under Jeffreys' prior.

    Posterior Beta(1/2 + hits, 1/2 + n - hits); the interval covers close to its level even for few trials
    (Brown, Cai, DasGupta 2001); as there, an end is 0 or 1 when hits is 0 or n.
    """
    a, b = JEFFREYS + hits, JEFFREYS + n - hits
    tail = (1 - level) / 2
    low = float(betaincinv(a, b, tail)) if hits else 0.0
    high = float(betaincinv(a, b, 1 - tail)) if hits < n else 1.0
    return Estimate(a / (a + b), low, high, n)
