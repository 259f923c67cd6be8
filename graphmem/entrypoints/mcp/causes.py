"""What memory_explain answers: a memory in full, its ranked root causes, and the chain to them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from graphmem.domain import explanations as domain
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.memories import Experience, Memory, Pattern, RootCause
from graphmem.entrypoints.mcp.answers import Answer, Seen, seen, shown


class Analysis(Answer):
    """Why a failure happened, as somebody said. Steps count from 1."""

    summary: str
    type: str | None = None
    prevention: str = ""
    deviated_at: int | None = None
    context_sufficiency: str | None = None
    change_at: int | None = None
    source: str = ""


class Detail(Seen):
    """One memory in full; fields that its kind does not have are empty."""

    id: str
    state: str
    version: int
    session_id: str
    task_id: str
    task_type: str
    tags: list[str]
    action: str = ""
    context: str = ""
    output: str = ""
    expected: str = ""
    manifestation: str = ""
    tool: str = ""
    agent: str = ""
    root_cause: Analysis | None = None
    informed_by: list[str] = Field([])
    level: str = Field("", description="Of a pattern: NONE, MEDIUM or HIGH.")
    status: str = Field("", description="Of a pattern or a strategy.")
    episodes: int = 0


class RankedCause(Answer):
    """A candidate root cause. grade: the weakest link on its best path; null for the memory asked about."""

    memory: Seen
    score: float
    grade: str | None
    hops: int
    on_every_path: bool


class Link(Answer):
    """One link: effect was caused by cause, both by ref. confidence from 0 to 1."""

    effect: str
    cause: str
    grade: str | None
    confidence: float
    notes: list[str]


class DoubtedLink(Answer):
    """A stated link in doubt, by refs. instead: what is believed rather; null: nothing that is known."""

    effect: str
    cause: str
    probability: float
    instead: str | None


class Path(Answer):
    """Refs from the effect to a root, with the product of the confidences."""

    refs: list[str]
    probability: float


class Explanation(Answer):
    """Why it happened."""

    of: Detail
    root_causes: list[RankedCause] = Field(description="The most probable first.")
    paths: list[Path]
    nodes: list[Seen]
    links: list[Link]
    lessons: list[Seen] = Field(description="Patterns and strategies over them.")
    doubted: list[DoubtedLink] = Field(
        description="Links that past habits hardly believe; they stay in. Are they right?"
    )
    joint_fix: list[str] = Field(description="The smallest set of causes that cuts every path from a root.")
    truncated: bool = Field(description="The walk was cut; ask again from the last memory on the path.")


def explanation(found: domain.Explanation) -> Explanation:
    """Explanation as an answer, its graph by refs."""
    names = {memory.id: memory.ref for memory in (*found.nodes, found.of)}
    return Explanation(
        of=detail(found.of),
        root_causes=[
            shown(RankedCause, item, memory=seen(item.memory), grade=_grade(item.grade))
            for item in found.root_causes
        ],
        paths=[
            Path(refs=[names.get(name, name) for name in path.ids], probability=path.probability)
            for path in found.paths
        ],
        nodes=[seen(memory) for memory in found.nodes],
        links=[_link(edge, names) for edge in found.edges],
        lessons=[seen(memory) for memory in (*found.patterns, *found.strategies)],
        doubted=[
            DoubtedLink(
                effect=names.get(item.edge.effect_id, item.edge.effect_id),
                cause=item.memory.ref,
                probability=item.probability,
                instead=item.instead.ref if item.instead else None,
            )
            for item in found.doubted
        ],
        joint_fix=[names.get(name, name) for name in found.joint_fix],
        truncated=found.truncated,
    )


def detail(memory: Memory) -> Detail:
    """A memory in full."""
    own: dict[str, Any] = {"tags": list(memory.tags)}
    if isinstance(memory, Experience):
        own["informed_by"] = list(memory.informed_by)
        own["root_cause"] = _analysis(memory.root_cause)
    if isinstance(memory, Pattern):
        own["root_cause"] = None
    return shown(Detail, memory, **own)


def _analysis(cause: RootCause | None) -> Analysis | None:
    return None if cause is None else shown(Analysis, cause)


def _link(edge: CauseEdge, names: dict[str, str]) -> Link:
    return Link(
        effect=names.get(edge.effect_id, edge.effect_id),
        cause=names.get(edge.cause_id, edge.cause_id),
        grade=_grade(edge.grade),
        confidence=edge.confidence,
        notes=[item.note for item in edge.evidence if item.note],
    )


def _grade(grade: Grade | None) -> str | None:
    return None if grade is None else grade.name
