"""When past failures are worth a question: several of one kind match, and what worked does not outweigh them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from graphmem.analysis.inputs import InputClass, InputProfile, profile
from graphmem.analysis.past_runs import Asked, PastFailure, PastSuccess

ASK_RELEVANCE = 0.12
"""Least relevance of a failure that counts towards a question (benchmarks.fit_gate)."""
ASK_FAILURES = 3
ASK_SHARE = 0.25
"""Share of failures among the nearest runs from which a question is asked (benchmarks.asking)."""

Worked = Callable[[], Sequence[PastSuccess]]
"""Tells what worked in situations like the one asked about; called only where a question hangs on it."""


def questions(
    asked: Asked,
    failures: Sequence[PastFailure],
    special: Mapping[str, Collection[InputClass]],
    already: Collection[str],
    worked: Worked,
) -> Iterator[tuple[str, ...]]:
    """The ids of the failures behind each question, of those that fit, given best first. No failure is in two of them,
    and none in already. special: the special inputs of each failure, by id. What worked because a reminder was applied
    counts as failed.
    """
    shown = profile(asked.situation)
    taken = set(already)
    for group in _families(failures, asked.tool):
        known = frozenset[InputClass]().union(*(special[failure.id] for failure in group))
        matching = [failure for failure in group if _matches(shown, failure, known)]
        ids = tuple(failure.id for failure in matching)
        if len(ids) < ASK_FAILURES or not taken.isdisjoint(ids):
            continue
        alike = [success for success in worked() if _speaks(asked, shown, success)]
        averted = [success.nearness for success in alike if success.averted]
        failed = [failure.nearness for failure in matching] + averted
        if failing_share(failed, [success.nearness for success in alike if not success.averted]) >= ASK_SHARE:
            taken.update(ids)
            yield ids


def failing_share(failed: Sequence[float], worked: Sequence[float]) -> float:
    """How large a share of runs like the one asked about fails, in [0, 1], from how near those are that failed (at
    least ASK_FAILURES) and that worked.

    Runs are looked at from the nearest on, until ASK_FAILURES of them failed; of so many as were needed, ties with the
    last one included, (failures - 1) / (runs - 1) is the unbiased estimate (Haldane 1945, Biometrika 33, inverse
    sampling).
    """
    reach = sorted(failed, reverse=True)[ASK_FAILURES - 1]
    failures = sum(nearness >= reach for nearness in failed)
    runs = failures + sum(nearness >= reach for nearness in worked)
    return (failures - 1) / (runs - 1)


def _families(failures: Sequence[PastFailure], tool: str) -> list[list[PastFailure]]:
    """Failures of one pattern, or of one error class and one tool, or one task type, in the order of their best
    member. tool: what is about to be used; failures of another one only count by their pattern. '' for any.
    """
    groups: dict[tuple[str, str, str], list[PastFailure]] = defaultdict(list)
    for failure in failures:
        if failure.pattern:
            groups["pattern", failure.pattern, ""].append(failure)
        if not failure.family or (tool and failure.tool and tool != failure.tool):
            continue
        if failure.tool:
            groups["tool", failure.tool, failure.family].append(failure)
        if failure.task_type:
            groups["task type", failure.task_type, failure.family].append(failure)
    return list(groups.values())


def _matches(shown: InputProfile, failure: PastFailure, known: frozenset[InputClass]) -> bool:
    """Whether a failure counts towards a question. known: the special inputs its family failed on.

    A family that failed on special inputs is asked about when the question shows one of them, or any special
    input once there were two different ones; every other match must be near enough.
    """
    near = failure.relevance >= ASK_RELEVANCE
    if not known or not shown.concrete:
        return near
    return bool(shown.special) and (len(known) >= 2 or bool(known & shown.special))


def _speaks(asked: Asked, shown: InputProfile, success: PastSuccess) -> bool:
    """Whether what worked tells of this: with the same tool, on the same kind of input as far as one is shown."""
    if asked.tool and success.tool and asked.tool != success.tool:
        return False
    special = profile(success.situation).special
    if shown.special:
        return not special.isdisjoint(shown.special)
    return not (shown.ordinary and special)
