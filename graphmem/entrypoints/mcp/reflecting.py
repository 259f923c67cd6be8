"""memory_reflect: failures clustered and asked about; the answers of the calling agent written back."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from graphmem.analysis.questions import questions
from graphmem.analysis.tokens import language_of
from graphmem.domain import answers as domain
from graphmem.domain.analyses import Analysis, WorkKind
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.memories import (
    ContextSufficiency,
    Experience,
    Memory,
    Pattern,
    RootCause,
    RootCauseType,
)
from graphmem.domain.records import JobKind
from graphmem.domain.rules import check_required
from graphmem.entrypoints.mcp import arguments
from graphmem.entrypoints.mcp.answers import Answer, Seen, refs, seen, shown
from graphmem.wiring import Services

MOST = 20
"""Clusters and pending failures shown at most."""
NAMES = {
    "deviated_at": "deviated_at",
    "context_sufficiency": "context_sufficiency",
    "type": "root_cause_type",
    "summary": "root_cause",
    "change_at": "change_at",
    "prevention": "prevention",
    "lesson": "generalization",
    "trigger_conditions": "trigger_conditions",
    "root_cause": "root_cause",
}
"""What the arguments of a lesson are called here, for the questions."""
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
    """A failure that nobody has analysed, nor is at."""

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
    pending: list[PendingFailure] = Field(description="Those that wait longest first.")
    pending_questions: list[str] = Field(description="About each pending failure.")
    written: list[str] = Field(description="Refs of what now carries your lessons.")


def reflect(services: Services, namespace: str, asked: arguments.Reflect, session_id: str = "") -> Reflection:
    """Look at all failures and ask about them; with lessons, write these back first and cluster nothing anew.

    session_id: of the agent, whose own words are told from what it was served. Raises BadInputError, NotFoundError,
    TooLargeError, StaleError for what another analyst holds, UnavailableError; before anything is written all lessons
    are checked.
    """
    if not 1 <= asked.limit <= MOST:
        raise BadInputError(f"must be from 1 to {MOST}", field="limit", remedy="e.g. 5")
    named = [_named(services, namespace, lesson, place) for place, lesson in enumerate(asked.lessons)]
    answers = [
        (memory.id, _said(lesson, memory, session_id))
        for lesson, memories in zip(asked.lessons, named, strict=True)
        for memory in memories
    ]
    written = [memory.ref for memory in services.analyse.answer(namespace, answers)]
    looked = None if written else _looked(services, namespace)
    clusters = sorted(services.reflect.clusters(namespace, MOST), key=_is_worded)[: asked.limit]
    waiting = services.analyse.pending(namespace, asked.limit, (JobKind.ANALYSE,))
    pending = [item.subject for item in waiting]
    unworded = [memory for cluster in clusters if not _is_worded(cluster) for memory in cluster.members]
    return Reflection(
        looked=looked,
        clusters=[_cluster(cluster) for cluster in clusters],
        cluster_questions=_questions(WorkKind.PATTERN, unworded)[:1],
        pending=[PendingFailure(about=[memory.ref], failure=seen(memory)) for memory in pending],
        pending_questions=_questions(WorkKind.FAILURE, pending),
        written=written,
    )


def _questions(kind: WorkKind, memories: Sequence[Memory]) -> list[str]:
    """What is asked, in the language of most memories, of the first where as many have another; nothing about none."""
    if not memories:
        return []
    languages = [language_of(memory.text) for memory in memories]
    speaks = languages.index(max(languages, key=languages.count))
    return list(questions(kind, memories[speaks].text, NAMES))


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


def _said(lesson: arguments.Lesson, memory: Memory, session_id: str) -> Analysis:
    if isinstance(memory, Pattern):
        return Analysis(lesson=lesson.generalization, session_id=session_id)
    return Analysis(
        generalization=lesson.generalization, root_cause=_root_cause(lesson), session_id=session_id
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
