"""What is said of failures that were found: their patterns speak for them, or silence them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from graphmem.analysis.asking import Worked
from graphmem.analysis.past_runs import Asked, PastFailure
from graphmem.analysis.reminding import Decision, Said, decide
from graphmem.domain.answers import Reminder, Strength
from graphmem.domain.drafts import Question
from graphmem.domain.gate import GatePrior
from graphmem.domain.memories import Experience, Level, Memory, Pattern, PatternStatus, Result, State
from graphmem.domain.replaying import Hindsight
from graphmem.domain.rules import error_class, level
from graphmem.index.mirror import GraphMirror
from graphmem.index.search import Candidate
from graphmem.services.wording import reminder_text

JUDGED = 30
"""Failures looked at when deciding what to say; as many witnesses."""
FORGETTABLE = timedelta(days=90)
"""A pattern that was not seen for so long is not said any more; what it is about is still listed."""
_SETTLED = (PatternStatus.RESOLVED, PatternStatus.MUTED)

Speaking = Mapping[str, Pattern | None]
"""Failure id -> the pattern that speaks for it; None: its pattern is settled, muted or old, and nothing is said."""


def judged(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The failures that are looked at when deciding what to say, given and returned best first: of those that are not
    silent the best that fit, and the best witnesses, weak ones too, so that copies of what was said take no witness's
    place.
    """
    speaking = [candidate for candidate in ranked if not candidate.silent]
    fitting = [candidate for candidate in speaking if not candidate.weak]
    witnesses = [candidate for candidate in speaking if candidate.witness]
    chosen = {candidate.id for candidate in (*fitting[:JUDGED], *witnesses[:JUDGED])}
    return [candidate for candidate in ranked if candidate.id in chosen]


def speaking_patterns(
    over: Mapping[str, Sequence[str]], memories: Mapping[str, Memory], now: datetime
) -> Speaking:
    """Which pattern speaks for each failure that has one. over: the ids of the patterns over it.

    Of several the best supported speaks. A pattern with fewer than three episodes neither speaks nor silences.
    """
    speaking: dict[str, Pattern | None] = {}
    for failure_id, names in over.items():
        known = [memories[name] for name in names if name in memories]
        patterns = [pattern for pattern in known if isinstance(pattern, Pattern) and _counts(pattern)]
        if patterns:
            best = min(patterns, key=lambda pattern: (-pattern.episodes, pattern.id))
            speaking[failure_id] = None if _is_silent(best, now) else best
    return speaking


def is_silenced(mirror: GraphMirror, memory_id: str, now: datetime, then: Hindsight | None) -> bool:
    """Whether nothing is said of an experience, for its pattern is settled, muted or old."""
    over = {memory_id: patterns_known(mirror, memory_id, then)}
    speaking = speaking_patterns(over, mirror.patterns, now)
    return memory_id in speaking and speaking[memory_id] is None


def patterns_known(mirror: GraphMirror, failure_id: str, then: Hindsight | None) -> list[str]:
    """The patterns over an experience; in hindsight those that had been recorded, with three episodes of their own."""
    over = mirror.generals(failure_id)
    if then is None:
        return over
    return [name for name in over if _was_known(mirror, name, then)]


def _was_known(mirror: GraphMirror, pattern_id: str, then: Hindsight) -> bool:
    known = [member for member in mirror.specifics(pattern_id) if member.recorded_at < then.moment]
    episodes = {member.episode for member in known} - {then.episode}
    header = mirror.headers.get(pattern_id)
    return (
        header is not None
        and header.recorded_at < then.moment
        and level(len(episodes), tight=False) is not Level.NONE
    )


def decide_for(
    question: Question,
    errors: Sequence[tuple[Candidate, Memory]],
    speaking: Speaking,
    gate: GatePrior,
    least: float,
    worked: Worked,
) -> Decision:
    """What to say of the failures among what was found, given best first. gate, least, worked as in decide()."""
    patterns = {failure_id: pattern.id for failure_id, pattern in speaking.items() if pattern}
    failures = [
        past_failure(candidate, memory, patterns.get(memory.id, ""))
        for candidate, memory in errors
        if isinstance(memory, Experience)
        and memory.result is Result.FAILURE
        and speaking.get(memory.id, memory) is not None
    ]
    return decide(Asked(question.situation, question.keys.tool), failures, gate, least, worked)


def reminder_of(item: Said, memories: Mapping[str, Memory], speaking: Speaking, language: str) -> Reminder:
    """The reminder that a decision becomes. Its subject is the pattern that speaks for the first failure, else that."""
    evidence = tuple(memories[memory_id] for memory_id in item.ids)
    pattern = speaking.get(evidence[0].id)
    return Reminder(
        strength=item.strength,
        text=reminder_text(item.strength is Strength.ASK, evidence, language, pattern),
        subject=pattern or evidence[0],
        evidence=evidence,
        confidence=None if item.probability is None else round(item.probability, 6),
    )


def past_failure(candidate: Candidate, memory: Experience, pattern: str) -> PastFailure:
    """A failure that was found, as the gate sees it. pattern: id of the one that speaks for it, '' for none."""
    return PastFailure(
        id=memory.id,
        relevance=candidate.relevance,
        nearness=candidate.nearness,
        action=memory.action,
        situation=memory.situation,
        family=error_class(memory.error_type),
        tool=memory.tool,
        task_type=memory.task_type,
        witness=candidate.witness,
        cluster=memory.cluster_id,
        pattern=pattern,
        weak=candidate.weak,
    )


def _counts(pattern: Pattern) -> bool:
    return pattern.state is State.ACTIVE and pattern.level is not Level.NONE


def _is_silent(pattern: Pattern, now: datetime) -> bool:
    old = pattern.last_seen is not None and now - pattern.last_seen > FORGETTABLE
    return pattern.status in _SETTLED or old
