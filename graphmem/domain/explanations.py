"""What explain answers: the causes of one memory, ranked, with what speaks for and against them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.memories import Memory, Pattern, Strategy


@dataclass(frozen=True, kw_only=True)
class ScorePart:
    """One part of a score, with its name."""

    name: str
    value: float


@dataclass(frozen=True, kw_only=True)
class RankedCause:
    """A candidate root cause. parts: of its score, first whether it is a source. grade: the weakest edge on its best
    path, None for the asked node itself.
    """

    memory: Memory
    score: float
    parts: tuple[ScorePart, ...]
    grade: Grade | None
    hops: int
    on_every_path: bool


@dataclass(frozen=True, kw_only=True)
class CausePath:
    """Ids from the effect to a root, with the product of edge confidences in (0, 1]."""

    ids: tuple[str, ...]
    probability: float


@dataclass(frozen=True, kw_only=True)
class RefutedCause:
    """A cause that was stated and that a reviewer refuted: kept, and left out of every walk."""

    edge: CauseEdge
    memory: Memory


@dataclass(frozen=True, kw_only=True)
class DoubtedCause:
    """A stated cause that the habits of the namespace hardly believe: a question to a person. It stays in the answer.

    probability: of the stated cause beside everything that nobody stated, in [0, 1]. instead: what habits believe most
    of that; None: nothing that is known.
    """

    edge: CauseEdge
    memory: Memory
    probability: float
    instead: Memory | None


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why something happened: the bounded cause graph and its ranked roots.

    edges: stored ones and, at the grade INFERRED, those that habits propose for this answer: evidence of method
    'habits', never stored. earliest and latest are the trivial baselines. joint_fix: the smallest set of causes that
    cuts every path from a root. truncated: the walk hit a bound; nodes at the cut are never ranked as roots, and count
    for joint_fix and on_every_path as if a root lay behind each.
    on_every_path: causes without which no root leads to the effect, nearest first; fixing one is enough. refuted: what
    was left out at the nodes. doubted: edges that stay in, and that habits hardly believe. not_inferred: habits were
    not asked about all of it, since too many episodes were walked through. patterns and strategies: lessons over the
    nodes, those over most of them first. only_inferred: ids of nodes that inferred edges alone lead to; stated_root:
    the first root without such edges. as_of and valid_at: the times that were asked for.
    """

    of: Memory
    root_causes: tuple[RankedCause, ...]
    paths: tuple[CausePath, ...]
    nodes: tuple[Memory, ...]
    edges: tuple[CauseEdge, ...]
    joint_fix: tuple[str, ...] = ()
    on_every_path: tuple[str, ...] = ()
    refuted: tuple[RefutedCause, ...] = ()
    doubted: tuple[DoubtedCause, ...] = ()
    not_inferred: bool = False
    patterns: tuple[Pattern, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    earliest: str = ""
    latest: str = ""
    only_inferred: tuple[str, ...] = ()
    stated_root: str = ""
    truncated: bool = False
    min_grade: Grade = Grade.INFERRED
    as_of: datetime | None = None
    valid_at: datetime | None = None

    @property
    def root(self) -> RankedCause | None:
        """The best root cause; None where the walk was cut before anything was reached that nothing caused."""
        best = next(iter(self.root_causes), None)
        return None if best is None or (self.truncated and not best.parts[0].value) else best


@dataclass(frozen=True, kw_only=True)
class Survival:
    """The probability in [0, 1] that a failure would have happened all the same; 95 % interval over n draws."""

    memory: Memory
    probability: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """What would have been without some causes.

    removed: their ids. prevented: failures that lose every way to a root. still: each failure of the explanation, the
    asked memory first. avoided: how many failures fewer are expected, removed ones included.
    """

    removed: tuple[str, ...]
    prevented: tuple[str, ...]
    still: tuple[Survival, ...]
    avoided: float
