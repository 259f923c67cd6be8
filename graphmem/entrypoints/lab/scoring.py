"""How often the planted root is found, beside what costs nothing; and how much that rests on single edges."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from graphmem.analysis.estimates import wilson
from graphmem.domain.causation import Grade
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import is_failure
from graphmem.entrypoints.library import GraphMemory
from graphmem.tooling.chains import Planted, PlantedEpisode

HOPS = 50
"""The whole chain of a task."""
_Pick = Callable[[Explanation], str]


def hits(
    memory: GraphMemory, episodes: Sequence[PlantedEpisode], min_grade: Grade = Grade.INFERRED
) -> pd.DataFrame:
    """Share of the episodes whose planted root each way names, with Wilson's 95 % interval.

    Rows: graphmem's first root; the earliest, the latest and a chance failure among the stated causes; and the earliest
    one when inferred edges are walked too, which is how much of an answer is the walk and not the ranking.
    """
    found = [memory.explain(one.asked, max_hops=HOPS, min_grade=min_grade) for one in episodes]
    stated = [memory.explain(one.asked, max_hops=HOPS, min_grade=Grade.TRACED) for one in episodes]
    ways: dict[str, tuple[_Pick, list[Explanation]]] = {
        "graphmem": (_first, found),
        "earliest stated cause": (_earliest, stated),
        "latest stated cause": (_latest, stated),
        "by chance": (_chance, stated),
        "earliest, inferred too": (_earliest, found),
    }
    rows = {}
    for name, (pick, answers) in ways.items():
        right = sum(pick(answer) == one.root for answer, one in zip(answers, episodes, strict=True))
        share = wilson(right, len(episodes))
        rows[name] = {"value": share.value, "low": share.low, "high": share.high, "n": share.n}
    return pd.DataFrame.from_dict(rows, orient="index")


def without_edges(history: Planted, share: float, seed: int = 0) -> Planted:
    """The history as it would be, had a share in [0, 1] of its edges never been recorded."""
    chance = random.Random(seed)
    return replace(history, edges=tuple(edge for edge in history.edges if chance.random() >= share))


def _first(found: Explanation) -> str:
    return found.root_causes[0].memory.id if found.root_causes else found.of.id


def _earliest(found: Explanation) -> str:
    return min(_failures(found))[1]


def _latest(found: Explanation) -> str:
    return max(_failures(found))[1]


def _chance(found: Explanation) -> str:
    return random.Random(found.of.id).choice(sorted(_failures(found)))[1]


def _failures(found: Explanation) -> list[tuple[object, str]]:
    """(time, id) of every failure among the causes; the one asked where there is none."""
    causes = [node for node in found.nodes if is_failure(node) and node.id != found.of.id] or [found.of]
    return [(node.occurred_at, node.id) for node in causes]
