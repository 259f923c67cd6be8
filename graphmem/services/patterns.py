"""What the members of a cluster mean for its pattern: made once it is borne out, joined by what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.analysis.clusters import cluster, is_tight, tightness
from graphmem.analysis.failures import Failure, episodes
from graphmem.analysis.lessons import Lesson, lesson_of
from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.memories import (
    Experience,
    Level,
    Memory,
    Pattern,
    PatternStatus,
    RootCauseType,
    State,
    Writer,
)
from graphmem.domain.records import Job, JobKind
from graphmem.domain.rules import error_class, is_witness, level, title_of, well_attested
from graphmem.index.cluster_view import ClusterView

BY_RULE = "rule"
BY_PATTERN = "pattern"
WRITER = Writer("graphmem")
RECENT = 30
"""The latest members among which it is seen whether a new one bears out the pattern there is: the work grows with
the square of their number, and is done after each write.
"""
JOINED = 100
"""Members that one action joins to a pattern at most; what is left is joined by the next."""


@dataclass(frozen=True, kw_only=True)
class Joining:
    """What is written when members join a pattern: the pattern as it is then, the members with its lesson, the
    edges between them, whether all members are tight, and what somebody wants to be told.

    more: members are left for another action.
    """

    pattern: Pattern
    joined: tuple[Experience, ...]
    edges: tuple[GeneralizesEdge, ...]
    tight: Mapping[str, bool]
    notices: tuple[Job, ...]
    more: bool


def pattern_over(view: ClusterView, members: Iterable[str]) -> Pattern | None:
    """The pattern in use that generalizes most of the members, of equals the oldest."""
    counts = Counter(name for member in members for name in view.over.get(member, ()))
    used = [view.patterns[name] for name in counts if name in view.patterns]
    active = [pattern for pattern in used if pattern.state is State.ACTIVE]
    return min(active, key=lambda pattern: (-counts[pattern.id], pattern.id), default=None)


def begun(
    view: ClusterView, core: Sequence[str], memories: Mapping[str, Experience], id: str, at: datetime
) -> Pattern | None:
    """The pattern that a core makes; None when it rests on one untrusted writer alone."""
    known = [memories[name] for name in core if name in memories]
    if not known or not well_attested(memory.writer for memory in known):
        return None
    lesson = lesson_by_rule(view, core, memories)
    task_types = _by_count(memory.task_type for memory in known)
    pattern = Pattern(
        id=id,
        namespace=known[0].namespace,
        occurred_at=at,
        recorded_at=at,
        task_type=task_types[0] if task_types else "",
        writer=WRITER,
        lesson=lesson.lesson,
        task_types=task_types,
        error_types=_by_count(error_class(memory.error_type) for memory in known),
        source=BY_RULE,
    )
    return worded(pattern, lesson)


def worded(pattern: Pattern, lesson: Lesson) -> Pattern:
    """The pattern that says a lesson."""
    return replace(
        pattern,
        title=lesson.title,
        lesson=lesson.lesson,
        trigger_conditions=lesson.trigger_conditions,
        root_cause=lesson.root_cause,
        root_cause_type=RootCauseType(lesson.root_cause_type) if lesson.root_cause_type else None,
        prevention=lesson.prevention,
    )


def lesson_by_rule(view: ClusterView, core: Sequence[str], memories: Mapping[str, Experience]) -> Lesson:
    """What the core teaches, in a caller's words where members share them.

    What an agent said after it was shown a lesson does not support that lesson.
    """
    members = [_own_words(view.failures[name], memories.get(name)) for name in core]
    group = cluster(members, view.background, cut=-1.0)[0]
    lesson = lesson_of(members, group.medoid, group.terms)
    shared = _shared([memories[name] for name in core if name in memories])
    return replace(lesson, title=title_of(shared), lesson=shared) if shared else lesson


def _shared(members: Iterable[Experience]) -> str:
    """The general form that callers gave to failures of two episodes or more, that of most; '' for none."""
    told: dict[str, set[str]] = {}
    for memory in members:
        own = memory.generalization_source not in (BY_PATTERN, BY_RULE) and is_witness(memory)
        if own and memory.generalization:
            told.setdefault(memory.generalization, set()).add(memory.episode)
    best = min(told, key=lambda text: (-len(told[text]), text), default="")
    return best if len(told.get(best, ())) > 1 else ""


def joining(
    view: ClusterView, pattern: Pattern, linked: Sequence[str], new: Sequence[Experience], at: datetime
) -> Joining:
    """New members of a pattern that has the linked ones: edges, the lesson written back where a member has none,
    and what happens to the pattern. A failure later than all that were seen reopens a settled pattern.
    """
    taken = tuple(sorted(new, key=lambda memory: memory.id)[:JOINED])
    together = [
        view.failures[name] for name in (*linked, *(memory.id for memory in taken)) if name in view.failures
    ]
    tight = is_tight(tightness(together[-RECENT:], view.scale), view.cuts)
    changed = _reopened(_with_types(pattern, taken), taken)
    notices = []
    if changed.status is not pattern.status:
        notices.append(_notice(pattern, "REGRESSED", at))
    if pattern.level is not Level.HIGH and level(episodes(together), tight) is Level.HIGH:
        notices.append(_notice(pattern, "HIGH", at))
    return Joining(
        pattern=changed,
        joined=tuple(_taught(memory, pattern) for memory in taken),
        edges=tuple(
            GeneralizesEdge(from_id=pattern.id, to_id=memory.id, recorded_at=at, source=BY_RULE)
            for memory in taken
        ),
        tight={pattern.id: tight},
        notices=tuple(notices),
        more=len(taken) < len(new),
    )


def _own_words(failure: Failure, memory: Experience | None) -> Failure:
    own = memory is None or is_witness(memory)
    return failure if own else replace(failure, correction="", prevention="")


def _taught(memory: Experience, pattern: Pattern) -> Experience:
    if memory.generalization:
        return memory
    return replace(memory, generalization=pattern.lesson, generalization_source=BY_PATTERN)


def _with_types(pattern: Pattern, members: Sequence[Experience]) -> Pattern:
    tasks = [*pattern.task_types, *(memory.task_type for memory in members)]
    errors = [*pattern.error_types, *(error_class(memory.error_type) for memory in members)]
    return replace(pattern, task_types=_distinct(tasks), error_types=_distinct(errors))


def _reopened(pattern: Pattern, members: Sequence[Memory]) -> Pattern:
    if pattern.status is not PatternStatus.RESOLVED or pattern.last_seen is None:
        return pattern
    later = [memory for memory in members if memory.occurred_at > pattern.last_seen]
    if not later:
        return pattern
    reason = f"{later[0].ref} happened after it was resolved"
    return replace(pattern, status=PatternStatus.REGRESSED, status_by=WRITER.id, status_reason=reason)


def _notice(pattern: Pattern, what: str, at: datetime) -> Job:
    body = {"what": what, "pattern": pattern.ref or pattern.id}
    return Job(
        id=f"{pattern.id}:{what}:{pattern.version}",
        kind=JobKind.NOTIFY,
        created_at=at,
        subject=pattern.id,
        body=body,
    )


def _by_count(names: Iterable[str]) -> tuple[str, ...]:
    counts = Counter(name for name in names if name)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
