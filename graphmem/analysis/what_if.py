"""What if these causes had not been: which failures lose all their causes, and how sure is that."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.estimates import Estimate, wilson
from graphmem.domain.causation import CauseEdge

DRAWS = 2_000
"""Worlds drawn; the interval of a probability is then at most 4.4 points wide."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What removing causes would have done.

    prevented: failures that lose every way to a cause that nothing caused, sorted. still: per failure the
    probability that it would have happened all the same. avoided: how many failures fewer are expected.
    """

    removed: tuple[str, ...]
    prevented: tuple[str, ...]
    still: Mapping[str, Estimate]
    avoided: float


def what_if(
    edges: Iterable[CauseEdge], failing: Set[str], removed: Collection[str], draws: int = DRAWS, seed: int = 0
) -> WhatIf:
    """Removes causes from a bounded graph of active edges (e.g. Walk.edges, one walk or several joined).

    Every edge passes its cause on with its confidence, independently, and one passed-on cause is enough
    (noisy-OR: Pearl 1988, section 4.3.2); what nothing caused happened. Exact probabilities are #P-hard (Valiant
    1979), so worlds are drawn, the same with and without the removed causes. still conditions on what did
    happen: of the worlds in which the failure happens, the share in which it happens without the removed ones
    too, i.e. 1 - probability of necessity (Pearl 2009, section 9.2), with Wilson's 95 % interval over those worlds;
    n counts them, and with n = 0 nothing is known: [0, 1]. prevented needs no probabilities. A cycle that nothing
    caused began with any of its members. Equal seeds give equal answers.
    """
    usable = [edge for edge in edges if edge.active and edge.effect_id != edge.cause_id]
    order = CauseOrder(sorted(failing), ((edge.effect_id, edge.cause_id) for edge in usable))
    gone = frozenset(removed)
    causes = _causes(usable)
    certain: dict[tuple[str, str], int] = {(edge.effect_id, edge.cause_id): 1 for edge in usable}
    alive = _happening(order, causes, certain, 1, gone)
    passed = _drawn(usable, draws, np.random.default_rng(seed))
    before = _happening(order, causes, passed, (1 << draws) - 1, frozenset())
    after = _happening(order, causes, passed, (1 << draws) - 1, gone)
    still = {node: _still(before[node], after[node], alive[node]) for node in sorted(failing)}
    return WhatIf(
        removed=tuple(sorted(gone)),
        prevented=tuple(node for node in still if not alive[node]),
        still=still,
        avoided=sum(1 - estimate.value for estimate in still.values()),
    )


def _causes(edges: Iterable[CauseEdge]) -> dict[str, list[str]]:
    causes: dict[str, list[str]] = {}
    for edge in edges:
        causes.setdefault(edge.effect_id, []).append(edge.cause_id)
    return causes


def _drawn(edges: Sequence[CauseEdge], draws: int, random: np.random.Generator) -> dict[tuple[str, str], int]:
    """Per edge the worlds in which it passes its cause on, as bits."""
    passed = {}
    for edge in sorted(edges, key=lambda item: (item.effect_id, item.cause_id)):
        bits = np.packbits(random.random(draws) < edge.confidence)
        passed[edge.effect_id, edge.cause_id] = int.from_bytes(bits.tobytes(), "big") >> (-draws % 8)
    return passed


def _happening(
    order: CauseOrder,
    causes: Mapping[str, Sequence[str]],
    passed: Mapping[tuple[str, str], int],
    everywhere: int,
    gone: Set[str],
) -> dict[str, int]:
    """Per node the worlds in which it happens, as bits; a cycle is walked until nothing changes."""
    worlds: dict[str, int] = {}
    for group in order.sequence:
        members = order.members[group]
        began = 0 if order.causes[group] else everywhere
        worlds |= {node: 0 if node in gone else began for node in members}
        changed = True
        while changed:
            changed = False
            for node in members:
                if node in gone:
                    continue
                now = worlds[node]
                for cause in causes.get(node, ()):
                    now |= worlds[cause] & passed[node, cause]
                changed = changed or (now != worlds[node] and len(members) > 1)
                worlds[node] = now
    return worlds


def _still(before: int, after: int, alive: int) -> Estimate:
    happened = before.bit_count()
    if not alive:
        return Estimate(0.0, 0.0, 0.0, happened)
    return wilson((before & after).bit_count(), happened) if happened else Estimate(1.0, 0.0, 1.0, 0)
