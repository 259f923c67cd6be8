"""Did a failure come back after it was said? Exposures, the coin of the hold-out, and the rule of the outcome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import blake2b

from graphmem.domain.answers import Strength
from graphmem.domain.encoding import canonical
from graphmem.domain.gate import GateLook

SESSION_SILENCE = timedelta(hours=24)
"""A session without a sign of life for this long has ended."""


class Answer(StrEnum):
    """What an agent says of a reminder."""

    APPLIED = "APPLIED"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    REFUTED = "REFUTED"


class Outcome(StrEnum):
    """What became of an exposure once its session ended; OPEN until then, for failures show before successes.

    RECURRED: a later failure of the lineage. AVOIDED: none, and a later experience of the same tool or task type.
    CENSORED: neither, or a later failure that cannot be told apart from it.
    """

    RECURRED = "RECURRED"
    AVOIDED = "AVOIDED"
    CENSORED = "CENSORED"
    OPEN = "OPEN"


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """A lineage that would be listed in a session, shown or withheld by the coin.

    lineage: a cluster, or a memory while no cluster holds it; memory_id: what of it ranked best; rate: the hold-out
    rate in force; at: listed for the first time; said_at: first as REMIND or ASK; look: what the gate saw of it, where
    it looked at it.
    """

    id: str
    session_id: str
    lineage: str
    memory_id: str
    at: datetime
    shown: bool = True
    rate: float = 0.0
    strength: Strength = Strength.BACKGROUND
    said_at: datetime | None = None
    task_id: str = ""
    answer: Answer | None = None
    note: str = ""
    answered_at: datetime | None = None
    look: GateLook | None = None


@dataclass(frozen=True, kw_only=True)
class SessionEnd:
    """A session that was ended. already: by an earlier call."""

    session_id: str
    at: datetime
    already: bool = False


@dataclass(frozen=True, kw_only=True)
class ReminderAnswer:
    """What a caller says of a reminder, by the id of its exposure."""

    exposure_id: str
    answer: Answer
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Step:
    """An experience as the outcome sees it. cluster_id: '' while no cluster holds it; family: its normalised error
    class, '' when unknown.
    """

    id: str
    at: datetime
    failed: bool
    cluster_id: str = ""
    family: str = ""
    tool: str = ""
    task_type: str = ""
    session_id: str = ""
    episode: str = ""


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """Failures that are one mistake: where it happens (tools, task types) and how it shows.

    begun: the episode of its first failure.
    """

    id: str
    tools: frozenset[str] = frozenset()
    task_types: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    begun: str = ""

    def could_happen(self, step: Step) -> bool:
        """Whether an experience was an occasion for it: the same tool or task type."""
        return step.tool in self.tools or step.task_type in self.task_types

    def holds(self, step: Step) -> bool | None:
        """Whether a failure is one of it; None when that cannot be told.

        A failure that no cluster holds is one of it by the same tool or task type and error class; without an
        error class on either side nobody knows.
        """
        if not step.failed:
            return False
        if step.cluster_id or step.id == self.id:
            return self.id in (step.cluster_id, step.id)
        if not self.could_happen(step):
            return False
        if not step.family or not self.families:
            return None
        return step.family in self.families


def lineage_from(id: str, failures: Iterable[Step]) -> Lineage:
    """The lineage of a cluster, or of one failure, from the failures that it holds."""
    ordered = sorted(failures, key=lambda step: (step.at, step.id))
    return Lineage(
        id=id,
        tools=frozenset(step.tool for step in ordered if step.tool),
        task_types=frozenset(step.task_type for step in ordered if step.task_type),
        families=frozenset(step.family for step in ordered if step.family),
        begun=ordered[0].episode if ordered else "",
    )


def exposure_id(session_id: str, lineage: str) -> str:
    """32 hexadecimal digits: the same session and lineage give the same in every process."""
    return blake2b(_text(session_id, lineage), digest_size=16).hexdigest()


def withheld(seed: str, session_id: str, lineage: str, rate: float) -> bool:
    """Whether the coin hides a lineage from a session: with probability rate, and always alike."""
    if rate <= 0:
        return False
    drawn = blake2b(_text(seed, session_id, lineage), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < rate * 2**64


def united(old: Exposure, new: Exposure) -> Exposure:
    """Two notes of one exposure as one: the first time, the strongest way, the look that saw most, and the arm and
    answer noted first.
    """
    said = [at for at in (old.said_at, new.said_at) if at is not None]
    strongest = min(old.strength, new.strength, key=list(Strength).index)
    answered = old if old.answer is not None else new
    first = old if old.at <= new.at else new
    looks = [look for look in (old.look, new.look) if look is not None]
    return replace(
        first,
        strength=strongest,
        said_at=min(said, default=None),
        answer=answered.answer,
        note=answered.note,
        answered_at=answered.answered_at,
        look=max(
            looks, key=lambda look: (look.version, look.evidence.values(), look.memory_id), default=None
        ),
    )


def session_end(
    start: datetime, instants: Iterable[datetime], ended_at: datetime | None, now: datetime
) -> datetime | None:
    """When the session that was alive at start ended: by a call, or by SESSION_SILENCE; None while it goes on."""
    last = start
    ended = ended_at if ended_at is not None and ended_at >= start else None
    for instant in sorted(instant for instant in instants if instant > start):
        if ended is not None and ended < instant:
            return min(ended, last + SESSION_SILENCE)
        if instant - last >= SESSION_SILENCE:
            return last + SESSION_SILENCE
        last = instant
    silent = last + SESSION_SILENCE
    if ended is not None:
        return min(ended, silent)
    return silent if now >= silent else None


def outcome(
    exposure: Exposure, lineage: Lineage, steps: Sequence[Step], ended_at: datetime | None, now: datetime
) -> Outcome:
    """What became of an exposure. steps: all experiences of its session; ended_at: when a call ended the session."""
    end = session_end(exposure.at, [step.at for step in steps], ended_at, now)
    if end is None:
        return Outcome.OPEN
    later = [step for step in steps if exposure.at < step.at <= end]
    held = [lineage.holds(step) for step in later]
    if True in held:
        return Outcome.RECURRED
    if None in held or not any(lineage.could_happen(step) for step in later):
        return Outcome.CENSORED
    return Outcome.AVOIDED


def was_relevant(exposure: Exposure, outcome: Outcome) -> bool | None:
    """Whether a lineage was to the point in its session; None where nobody can know.

    It was where it came back, shown or withheld, or its advice was applied; it was not where it was withheld and did
    not come back, or somebody answered otherwise. That what was shown did not come back may be the showing's doing.
    """
    if outcome is Outcome.RECURRED or exposure.answer is Answer.APPLIED:
        return True
    if exposure.answer is not None or (not exposure.shown and outcome is Outcome.AVOIDED):
        return False
    return None


def occasions(
    lineage: Lineage, steps: Iterable[Step], said_at: datetime | None
) -> tuple[list[bool], list[bool]]:
    """Episodes in which the lineage could happen, before and after it was first said: did it?

    The episode in which it began is left out: that there is a lineage at all is owed to it. said_at None = never.
    """
    sides: tuple[dict[str, bool], dict[str, bool]] = ({}, {})
    for step in steps:
        if step.episode == lineage.begun or not (lineage.could_happen(step) or lineage.holds(step)):
            continue
        side = sides[said_at is not None and step.at > said_at]
        side[step.episode] = side.get(step.episode, False) or lineage.holds(step) is True
    return list(sides[0].values()), list(sides[1].values())


def by_session(steps: Iterable[Step]) -> Mapping[str, list[Step]]:
    """The steps of every named session."""
    sessions: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        if step.session_id:
            sessions[step.session_id].append(step)
    return sessions


def _text(*parts: str) -> bytes:
    """Parts as bytes that no other parts give."""
    return canonical(list(parts)).encode("utf-8", "surrogatepass")
