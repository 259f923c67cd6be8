"""Explanations to draw, with texts of somebody who means harm."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.answers import Impact
from graphmem.domain.causation import Evidence, Grade
from graphmem.domain.explanations import DoubtedCause, Explanation, RankedCause, RefutedCause, ScorePart
from graphmem.domain.memories import Memory
from tests.builders import at, caused, evidence, fact, failure, pattern, refuted

HOSTILE = '</text><script>alert("1")</script> & \' "\\" <img src=x onerror=y>\u202e\x07]]>'
"""Ends tags, attributes and strings of every language here, turns text around and rings the bell."""


def named(memory: Memory, ref: str, **fields: object) -> Memory:
    """A memory as a store names it."""
    return replace(memory, ref=ref, title=f"{ref} {HOSTILE}", **fields)  # type: ignore[arg-type]


def explanation(cyclic: bool = False) -> Explanation:
    """E-3 <- E-2 <- F-1 and E-3 <- F-1 by habit; E-1 refuted; a lesson. cyclic: E-2 <- E-3 too."""
    root = named(fact(f"the port is 80 {HOSTILE}"), "F-1")
    step = named(failure(f"take {HOSTILE}", manifestation=HOSTILE, occurred_at=at(5)), "E-2")
    end = named(failure("write 报表", context=f"line\n{HOSTILE}", task_id=HOSTILE, occurred_at=at(9)), "E-3")
    other = named(failure(f"retry {HOSTILE}"), "E-1")
    habit = Evidence(Grade.INFERRED, 0.3, "habits", "graphmem", at(9))
    edges = [
        caused(end, step, evidence=(evidence(0.8, note=HOSTILE),)),
        caused(step, root, evidence=(evidence(0.9, grade=Grade.TRACED),)),
        caused(end, root, evidence=(habit,)),
    ]
    if cyclic:
        edges.append(caused(step, end))
    said = caused(end, other, verdicts=(replace(refuted(), reason=HOSTILE),))
    parts = (ScorePart(name="origin", value=0.7), ScorePart(name="reach", value=1.0))
    ranked = [
        RankedCause(memory=item, score=score, parts=parts, grade=grade, hops=hops, on_every_path=hops == 2)
        for item, score, grade, hops in ((root, 0.9, Grade.TRACED, 2), (end, 0.1, None, 0))
    ]
    return Explanation(
        of=end,
        root_causes=tuple(ranked),
        paths=(),
        nodes=(end, step, root),
        edges=tuple(edges),
        joint_fix=(root.id,),
        on_every_path=(root.id,),
        earliest=root.id,
        latest=step.id,
        refuted=(RefutedCause(edge=said, memory=other),),
        doubted=(DoubtedCause(edge=edges[0], memory=step, probability=0.04, instead=other),),
        patterns=(named(pattern(f"look first {HOSTILE}"), "P-1"),),  # type: ignore[arg-type]
        only_inferred=(),
        stated_root=root.id,
    )


def damage(found: Explanation) -> Impact:
    """What followed from the root."""
    root = found.root_causes[0].memory
    return Impact(of=root, nodes=found.nodes, edges=found.edges, failures=2, tasks=1, truncated=False)
