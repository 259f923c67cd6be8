"""Which few causes make most failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from graphmem.analysis.cause_order import CauseOrder


@dataclass(frozen=True, slots=True)
class Priority:
    """One cause, or several that are one by name, in the order of what fixing them next would save.

    ids: the root causes it stands for. failures: all failures that it led to (itself, if it failed). gained:
    those that no earlier priority had covered. covered: share of all failures covered so far, in [0, 1]: the
    coverage curve.
    """

    name: str
    ids: tuple[str, ...]
    failures: int
    gained: int
    covered: float


def priorities(
    order: CauseOrder, failing: Set[str], limit: int = 10, names: Mapping[str, str] | None = None
) -> list[Priority]:
    """Root causes that together cover most failures, at most limit; fewer when nothing is left to cover.

    A root cause covers every failing node that it led to. Picked greedily: at least 1 - 1/e of what the best
    set of that size covers (Nemhauser, Wolsey, Fisher 1978), with lazy gains (Minoux 1978). Only roots are
    candidates: whatever lies between covers no more than its root. names: causes of the same name count as
    one (e.g. the cluster, so that a mistake made in every task is one cause); without a name, a cause is its
    own. A cycle that nothing caused is one cause.
    """
    causes = _named_sources(order, names or {})
    marked = [sum(node in failing for node in members) for members in order.members]
    reached = order.counts(failing)
    queue = [(-sum(reached[group] for group in groups), name) for name, groups in causes.items()]
    heapify(queue)
    found: list[Priority] = []
    covered: set[int] = set()
    done, total = 0, sum(marked)
    while queue and len(found) < limit and done < total:
        name = heappop(queue)[1]
        fresh = _uncovered(order, causes[name], covered)
        gained = sum(marked[group] for group in fresh)
        if gained and queue and (-gained, name) > queue[0]:
            heappush(queue, (-gained, name))
            continue
        if not gained:
            continue
        done += gained
        ids = tuple(node for group in causes[name] for node in order.members[group])
        everything = sum(marked[group] for group in _uncovered(order, causes[name], set()))
        found.append(Priority(name, ids, everything, gained, done / total))
        covered |= fresh
    return found


def _named_sources(order: CauseOrder, names: Mapping[str, str]) -> dict[str, list[int]]:
    causes: dict[str, list[int]] = {}
    for group in order.sources():
        first = order.members[group][0]
        causes.setdefault(names.get(first) or first, []).append(group)
    return causes


def _uncovered(order: CauseOrder, starts: Sequence[int], covered: Set[int]) -> set[int]:
    """Groups reached from starts and not yet covered; behind a covered one everything is covered."""
    reached = {group for group in starts if group not in covered}
    waiting = list(reached)
    while waiting:
        for effect in order.effects[waiting.pop()]:
            if effect not in covered and effect not in reached:
                reached.add(effect)
                waiting.append(effect)
    return reached
