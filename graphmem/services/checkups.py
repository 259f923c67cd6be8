"""Checks that need nothing but what was read: a row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime, timedelta
from statistics import quantiles

from graphmem.analysis.tokens import language_of, tokenize
from graphmem.domain.diagnostics import Check, Row, figures
from graphmem.domain.memories import Experience, Result
from graphmem.domain.replaying import Nearest, Replayed
from graphmem.index.mirror import Header

HEALTHY_PER_TASK = (1.0, 2.4)
"""Mean experiences of a task: 1.2 is healthy (seed 1, 4.2); above twice that too much is written down."""
APART = 0.7
"""Least probability that a failure of the same lineage scores above all others."""


def write_log(
    headers: Sequence[Header], failures: Sequence[Experience], since: datetime, now: datetime
) -> Row:
    """What was written, and how many failures say neither how they showed nor what was right."""
    late = [header for header in headers if header.occurred_at >= since]
    unsaid = sum(not (one.manifestation or one.error_type) for one in failures)
    uncorrected = sum(not one.correction for one in failures)
    n = max(len(failures), 1)
    last = max((header.recorded_at for header in headers), default=None)
    return Row(
        check=Check.WRITE_LOG,
        ok=unsaid / n <= 0.5 if late else False,
        figures=figures(
            {
                "experiences": len(late),
                "failures": sum(header.is_failure for header in late),
                "worked": sum(header.result is Result.SUCCESS for header in late),
                "unsaid_share": unsaid / n,
                "uncorrected_share": uncorrected / n,
                "last_h": (now - last) / timedelta(hours=1) if last else 0.0,
            }
        ),
        command="graphmem failures",
    )


def per_task(headers: Sequence[Header], since: datetime, led_on: Set[str]) -> Row:
    """Experiences of each task of which there is one; a task that left nothing is not seen.

    A chain of causes is one, however long: led_on, the ids of what another memory was caused by, is not counted beside
    where it led to.
    """
    written = [one for one in headers if one.task_id and one.occurred_at >= since]
    ends = Counter(one.task_id for one in written if one.id not in led_on)
    tasks = {one.task_id: max(1, ends[one.task_id]) for one in written}
    mean = sum(tasks.values()) / len(tasks) if tasks else 0.0
    low, high = HEALTHY_PER_TASK
    return Row(
        check=Check.EXPERIENCES_PER_TASK,
        ok=low <= mean <= high if tasks else None,
        figures=figures({"tasks": len(tasks), "mean": mean, "most": max(tasks.values(), default=0)}),
        command="graphmem episodes",
    )


def scores(check: Check, replayed: Replayed, score: Callable[[Nearest], float | None]) -> Row:
    """One arm's scores of the nearest known failure of the same lineage, against the nearest of all others."""
    same = [value for item in replayed.items if item.nearest and (value := score(item.nearest)) is not None]
    other = [value for item in replayed.items if item.rival and (value := score(item.rival)) is not None]
    values: dict[str, float] = {"repeats": len(same)}
    for name, taken in (("same", same), ("other", other)):
        values |= {f"{name}_p{place}": percentile(taken, place) for place in (25, 50, 75) if taken}
    apart = _apart(same, other)
    return Row(
        check=check,
        ok=None if apart is None else apart >= APART,
        figures=figures(values | ({} if apart is None else {"apart_share": apart})),
        command="graphmem replay",
    )


def misses(replayed: Replayed) -> Row:
    """Repeats that would not be said now, by why."""
    missed = Counter(item.miss.lower() for item in replayed.items if item.earlier and item.miss)
    share = replayed.said_now.value
    counted = {
        "repeats": replayed.repeats,
        "said_now": replayed.said_now.count,
        "said_then": replayed.said_then.count,
    }
    return Row(
        check=Check.MISSES,
        ok=None if share is None else share >= 0.5,
        figures=figures(counted | dict(sorted(missed.items()))),
        command="graphmem replay",
    )


def segmenting(languages: Mapping[str, int], failures: Sequence[Experience]) -> Row:
    """How many texts are Chinese, and how the newest Chinese failure is cut."""
    total = sum(languages.values())
    chinese = next((one.situation for one in failures if language_of(one.situation) == "zh"), "")
    words = list(tokenize(chinese))[:20]
    return Row(
        check=Check.SEGMENTING,
        ok=any(len(word) > 1 for word in words) if words else None,
        figures=figures({"texts": total, "chinese_share": languages.get("zh", 0) / total if total else 0.0}),
        command="graphmem doctor --ask",
        sample=" / ".join(words),
    )


def _apart(same: Sequence[float], other: Sequence[float]) -> float | None:
    """Probability that one of the first lies above one of the second, ties half: the area under the ROC curve."""
    if not same or not other:
        return None
    wins = sum((left > right) + 0.5 * (left == right) for left in same for right in other)
    return wins / (len(same) * len(other))


def percentile(values: Sequence[float], place: int) -> float:
    """The value below which so many of a hundred lie, interpolated."""
    return values[0] if len(values) == 1 else quantiles(values, n=100, method="inclusive")[place - 1]
