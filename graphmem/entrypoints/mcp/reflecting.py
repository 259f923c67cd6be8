"""memory_reflect: failures clustered and asked about; the answers of the calling agent written back."""

from __future__ import annotations

from pydantic import Field

from graphmem.domain import answers as domain
from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.memories import (
    AnalysisState,
    ContextSufficiency,
    Experience,
    Memory,
    MemoryKind,
    Pattern,
    Result,
    RootCause,
    RootCauseType,
    State,
)
from graphmem.domain.rules import check_required
from graphmem.entrypoints.mcp import arguments, questions
from graphmem.entrypoints.mcp.answers import Answer, Seen, refs, seen, shown
from graphmem.ports.queries import PageRequest, Selection
from graphmem.wiring import Services

LATEST = 100
"""Failures looked through for those that wait for an analysis, the latest."""
MOST = 20
"""Clusters and pending failures shown at most."""
SOURCE = "agent"
"""Who analysed."""
_BY_RULE = "rule"
"""Source of a lesson that nobody has worded."""
_NEEDS_CAUSE = ("root_cause_type", "prevention", "context_sufficiency", "deviated_at", "change_at")


class Lesson(Answer):
    """The pattern over a cluster. source: 'rule' until somebody words it."""

    ref: str
    lesson: str
    level: str
    status: str
    episodes: int
    source: str


class Cluster(Answer):
    """Failures that belong together."""

    about: list[str] = Field(description="What to give as `about` with the answer.")
    size: int
    members: list[Seen] = Field(description="The first five.")
    pattern: Lesson | None
    worded: bool = Field(description="Whether somebody has worded what they have in common.")


class PendingFailure(Answer):
    """A failure that nobody has analysed."""

    about: list[str]
    failure: Seen


class Looked(Answer):
    """What the look at all failures led to."""

    failures: int
    clusters: int
    alone: int
    moved: int
    patterns: int
    merged: int
    reworded: int
    strategies: int


class Reflection(Answer):
    """What was looked at, what is asked, and what was written back."""

    looked: Looked | None = Field(
        description="null: lessons were given, or it is not done yet; call again in a minute."
    )
    clusters: list[Cluster] = Field(description="Those without a lesson of yours first.")
    cluster_questions: list[str] = Field(description="About each cluster that is not worded.")
    pending: list[PendingFailure] = Field(description="The latest first.")
    pending_questions: list[str] = Field(description="About each pending failure.")
    written: list[str] = Field(description="Refs of what now carries your lessons.")


def reflect(services: Services, namespace: str, asked: arguments.Reflect) -> Reflection:
    """Look at all failures and ask about them; with lessons, write these back first and cluster nothing anew.

    Raises BadInputError, NotFoundError, TooLargeError, UnavailableError; before anything is written all lessons
    are checked.
    """
    if not 1 <= asked.limit <= MOST:
        raise BadInputError(f"must be from 1 to {MOST}", field="limit", remedy="e.g. 5")
    named = [_named(services, namespace, lesson, place) for place, lesson in enumerate(asked.lessons)]
    written = [
        services.revise.update(namespace, _update(lesson, memory)).ref
        for lesson, memories in zip(asked.lessons, named, strict=True)
        for memory in memories
    ]
    looked = None if written else _looked(services, namespace)
    clusters = sorted(services.reflect.clusters(namespace, MOST), key=_is_worded)[: asked.limit]
    pending = _pending(services, namespace, asked.limit)
    return Reflection(
        looked=looked,
        clusters=[_cluster(cluster) for cluster in clusters],
        cluster_questions=questions.about_clusters(
            [memory for cluster in clusters if not _is_worded(cluster) for memory in cluster.members]
        ),
        pending=[PendingFailure(about=[memory.ref], failure=seen(memory)) for memory in pending],
        pending_questions=questions.about_failures(pending),
        written=written,
    )


def _looked(services: Services, namespace: str) -> Looked | None:
    try:
        return shown(Looked, services.reflect.reflect(namespace))
    except UnavailableError:
        return None  # it goes on in another process, or after an outage: what stands is shown meanwhile


def _named(services: Services, namespace: str, lesson: arguments.Lesson, place: int) -> list[Memory]:
    """The memories that a lesson is about, once it can be written on each of them."""
    field = f"lessons[{place}]"
    if not lesson.about:
        raise BadInputError("names nothing", field=f"{field}.about", remedy="give refs as they stand there")
    lacking = [name for name in _NEEDS_CAUSE if getattr(lesson, name) and not lesson.root_cause]
    if lacking:
        raise BadInputError(
            "needs a root_cause", field=f"{field}.{lacking[0]}", remedy="say it in root_cause"
        )
    if not (lesson.generalization or lesson.root_cause):
        raise BadInputError("says nothing", field=field, remedy="give generalization or root_cause")
    for name in ("generalization", "root_cause", "prevention"):
        if text := getattr(lesson, name):
            check_required(f"{field}.{name}", text)
    memories = [services.browse.memory(namespace, name) for name in dict.fromkeys(lesson.about)]
    for memory in memories:
        _check(memory, lesson, field)
    return memories


def _check(memory: Memory, lesson: arguments.Lesson, field: str) -> None:
    if isinstance(memory, Pattern):
        if lesson.root_cause:
            raise BadInputError(
                f"{memory.ref} is a pattern and takes a generalization only",
                field=f"{field}.root_cause",
                remedy="give the root_cause with the failures, E-n",
            )
    elif not isinstance(memory, Experience):
        raise BadInputError(
            f"{memory.ref} is neither a pattern nor an experience",
            field=f"{field}.about",
            remedy="name P-n, or E-n",
        )


def _update(lesson: arguments.Lesson, memory: Memory) -> MemoryUpdate:
    if isinstance(memory, Pattern):
        return MemoryUpdate(id=memory.id, text=lesson.generalization)
    return MemoryUpdate(
        id=memory.id, generalization=lesson.generalization or None, root_cause=_root_cause(lesson)
    )


def _root_cause(lesson: arguments.Lesson) -> RootCause | None:
    if not lesson.root_cause:
        return None
    kind, context = lesson.root_cause_type, lesson.context_sufficiency
    return RootCause(
        summary=lesson.root_cause,
        type=RootCauseType(kind.upper()) if kind else None,
        prevention=lesson.prevention,
        deviated_at=lesson.deviated_at,
        context_sufficiency=ContextSufficiency(context.upper()) if context else None,
        change_at=lesson.change_at,
        source=SOURCE,
    )


def _is_worded(cluster: domain.Cluster) -> bool:
    if cluster.pattern is not None:
        return cluster.pattern.source != _BY_RULE
    members = [memory for memory in cluster.members if isinstance(memory, Experience)]
    return all(memory.generalization for memory in members)


def _cluster(found: domain.Cluster) -> Cluster:
    pattern = found.pattern
    return Cluster(
        about=[pattern.ref] if pattern else refs(found.members),
        size=found.size,
        members=[seen(memory) for memory in found.members],
        pattern=shown(Lesson, pattern) if pattern else None,
        worded=_is_worded(found),
    )


def _pending(services: Services, namespace: str, limit: int) -> list[Experience]:
    """The latest failures that wait for an analysis."""
    failures = Selection(kinds=(MemoryKind.EXPERIENCE,), results=(Result.FAILURE,), states=(State.ACTIVE,))
    page = services.browse.memories(namespace, failures, PageRequest(first=LATEST))
    waiting = [
        memory
        for memory in page.items
        if isinstance(memory, Experience) and memory.analysis is AnalysisState.PENDING
    ]
    return waiting[:limit]
