"""What is about to be done, and what was found that is like it: the evidence for and against saying anything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """What the agent is about to do."""

    situation: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class PastFailure:
    """A failure that was found for a situation. relevance as in fusion.relevance; nearness: that of its situation
    alone; situation: action and context; family: what failed (error class), '' when unknown; tool and task_type as
    recorded; witness: not informed by what was served, so that its word counts in the gate; cluster: the id of the one
    it is in, '' for none; pattern: the id of the pattern in use over it, '' for none; weak: only the nearest there is,
    so that it counts towards no question.
    """

    id: str
    relevance: float
    action: str
    situation: str
    family: str
    tool: str
    task_type: str
    nearness: float = 0.0
    witness: bool = True
    cluster: str = ""
    pattern: str = ""
    weak: bool = False

    @property
    def classes(self) -> frozenset[str]:
        """What it is in the eyes of the gate: its cluster, and its error class. Clusters alone would part failures of
        one error that lie in two of them, or of which one lies in none.
        """
        named = (("cluster", self.cluster), ("error", self.family))
        return frozenset(f"{kind} {name}" for kind, name in named if name)


@dataclass(frozen=True, slots=True)
class PastSuccess:
    """What worked. Fields as of a PastFailure; averted: an agent said that a reminder of such failures applied to it,
    so that it would have failed.
    """

    situation: str
    tool: str
    nearness: float
    averted: bool = False
