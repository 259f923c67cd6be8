"""Shares, their differences, and what they prove. All intervals are two-sided, 95 %.

Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J. Am. Stat. Assoc. 22
(1927) 209-212; R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of
eleven methods", Statistics in Medicine 17 (1998) 873-890, method 10; R. A. Fisher, "The Design of Experiments" (1935),
chapter 2, two-sided by the sum of all tables that are no more probable than the one seen.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from graphmem.domain.proof import Effect, Fate, Rate

Z = NormalDist().inv_cdf(0.975)
ENOUGH = 30
"""Decided exposures that each arm needs before "does not help" is said."""
WORTH = 0.05
"""The least reduction of a recurrence rate worth keeping a strategy for."""
_TIE = 1e-7
"""Tables count as equally probable up to this relative difference."""


def rate(count: int, n: int) -> Rate:
    """A share with its score interval (Wilson 1927); without trials nothing is known: [0, 1].

    Raises ValueError unless 0 <= count <= n.
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is no share")
    if n == 0:
        return Rate(count=0, n=0, value=None, low=0.0, high=1.0)
    share = count / n
    spread = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    centre, scale = share + Z**2 / (2 * n), 1 + Z**2 / n
    low = (centre - spread) / scale if count else 0.0
    high = (centre + spread) / scale if count < n else 1.0
    return Rate(count=count, n=n, value=share, low=low, high=high)


def effect(first: Rate, second: Rate) -> Effect:
    """first minus second with its interval (Newcombe 1998, method 10), exact p, lift and the alarm.

    The alarm is raised when the whole interval lies above 0: the first, what was shown, fails more often. Where there
    is no effect that happens in about 2.5 % of all looks; who looks often is alarmed more often than that.
    """
    if first.value is None or second.value is None:
        return Effect()
    difference = first.value - second.value
    low = difference - math.hypot(first.value - first.low, second.high - second.value)
    high = difference + math.hypot(first.high - first.value, second.value - second.low)
    return Effect(
        difference=difference,
        low=low,
        high=high,
        p=exact_p(first.count, first.n, second.count, second.n),
        lift=1 - first.value / second.value if second.value else None,
        harm=low > 0,
    )


def exact_p(first: int, first_n: int, second: int, second_n: int) -> float:
    """Fisher's exact test of two shares, two-sided.

    Written out, since importing scipy.stats would more than double the start of every command; a test holds it to
    scipy's.
    """
    hits, total = first + second, first_n + second_n
    whole = _log_choose(total, hits)
    least, most = max(0, hits - second_n), min(first_n, hits)
    logs = [
        _log_choose(first_n, one) + _log_choose(second_n, hits - one) - whole
        for one in range(least, most + 1)
    ]
    seen = logs[first - least]
    return min(1.0, math.fsum(math.exp(log) for log in logs if log <= seen + _TIE))


def fate(shown: Rate, withheld: Rate) -> Fate | None:
    """What should become of something said, by its recurrence; None: keep it, or wait for more data.

    It harms when the alarm is raised; it does not help when both arms have ENOUGH decided exposures and the interval
    rules out that it saves as much as WORTH.
    """
    found = effect(shown, withheld)
    if found.harm:
        return Fate.HARMS
    if found.low is None or min(shown.n, withheld.n) < ENOUGH:
        return None
    return Fate.DOES_NOT_HELP if found.low > -WORTH else None


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
