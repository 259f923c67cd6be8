"""Noting what went wrong, or right, the moment it shows: it builds the draft, Remember writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphmem.analysis.tokens import language_of
from graphmem.analysis.turns import RESTATEMENTS, Reading, Turn, read_turn
from graphmem.domain.answers import Written
from graphmem.domain.drafts import Draft, ExperienceDraft, FactDraft, FailureDraft, TurnDraft
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Channel, Result, Writer
from graphmem.domain.rules import check_namespace, check_required, check_text
from graphmem.domain.turns import ObservedTurn, TurnSignal
from graphmem.services.intake import clean
from graphmem.services.remember import Remember

_QUOTED = 160
"""Characters of an output that a manifestation quotes."""
_WORDS = {
    "en": {
        "expected": 'output "{output}" was wrong, expected "{expected}"',
        "wrong": 'output "{output}" was wrong',
        "answer": "the answer",
        "restated": "the same task was said again {times} times",
    },
    "zh": {
        "expected": "输出“{output}”是错的，应该是“{expected}”",
        "wrong": "输出“{output}”是错的",
        "answer": "回答",
        "restated": "同一个任务被重新表述了 {times} 次",
    },
}
_RESULTS = {
    TurnSignal.CORRECTION: Result.FAILURE,
    TurnSignal.RESTATED: Result.FAILURE,
    TurnSignal.SUCCESS: Result.SUCCESS,
}
"""What a signal makes of the answer; ABANDONED is too weak to be written."""


class Capture:
    """The verbs that need no model. A call with a key can be repeated: it is written once."""

    def __init__(self, remember: Remember) -> None:
        self._remember = remember

    def failure(self, namespace: str, draft: FailureDraft) -> Written:
        """Record a failure; without an action, task type and tool say what was done.

        Raises BadInputError when manifestation is empty; else as Remember.experience().
        """
        check_required("manifestation", draft.manifestation)
        check_text("agent_trace", draft.agent_trace)
        own = {name: value for name, value in vars(draft).items() if name != "agent_trace"}
        known = ": ".join(part for part in (draft.task_type, draft.tool) if part)
        own["action"] = draft.action or known or draft.manifestation
        failed = ExperienceDraft(**own, trace=draft.agent_trace, result=Result.FAILURE)
        return self._remember.experience(namespace, failed)

    def turn(self, namespace: str, draft: TurnDraft) -> ObservedTurn:
        """Read what a user said, and write what it tells of the answer before it, in one transaction.

        A correction writes the failure, and a fact where it says what is right; a task said again the third time
        writes a failure; praise writes a success, where it is known of what. Nothing else is written. Raises
        BadInputError when said is empty; else as Remember.experience().
        """
        check_namespace(namespace)
        cleaned, redactions = clean(draft)
        _check_silence(cleaned.silence_s)
        reading = read_turn(
            Turn(cleaned.said, cleaned.asked, cleaned.earlier, cleaned.silence_s, cleaned.output)
        )
        drafts = _drafts(cleaned, reading)
        written = self._remember.together(namespace, drafts) if drafts else ()
        kept = [replace(item, redactions=redactions) for item in written]
        return ObservedTurn(
            signal=reading.signal,
            expected=reading.expected,
            fact=kept[0] if len(kept) > 1 else None,
            experience=kept[-1] if kept else None,
        )


def _check_silence(silence_s: float | None) -> None:
    if silence_s is not None and not 0 <= silence_s < float("inf"):
        raise BadInputError("must be 0 or more seconds", field="silence_s", remedy="leave it out if unknown")


def _drafts(turn: TurnDraft, reading: Reading) -> Sequence[Draft]:
    """The fact, where there is one, and the experience; nothing for a signal that writes nothing."""
    result = _RESULTS.get(reading.signal)
    action = turn.asked or ": ".join(part for part in (turn.task_type, turn.tool) if part)
    if result is None or not (action or (result is Result.FAILURE and _is_told(turn, reading))):
        return ()
    experience = ExperienceDraft(
        **_shared(turn, "experience"),
        action=action or turn.said,
        result=result,
        output=turn.output,
        tool=turn.tool,
        agent=turn.agent,
        informed_by=turn.informed_by,
        writer=turn.writer,
        **_told(turn, reading),
    )
    return (_fact(turn, reading.expected), experience) if reading.expected else (experience,)


def _is_told(turn: TurnDraft, reading: Reading) -> bool:
    """Whether a failure says anything by which it could be met again: "that's wrong" alone says nothing."""
    return bool(turn.output or reading.expected or turn.earlier)


def _told(turn: TurnDraft, reading: Reading) -> dict[str, Any]:
    """What the turn tells of a failure, in its own language."""
    words = _WORDS[language_of(turn.said)]
    if reading.signal is TurnSignal.CORRECTION:
        output = turn.output[:_QUOTED] or words["answer"]
        how = words["expected" if reading.expected else "wrong"]
        return {
            "manifestation": how.format(output=output, expected=reading.expected),
            "expected": reading.expected,
            "correction": turn.said,
        }
    if reading.signal is TurnSignal.RESTATED:
        return {"manifestation": words["restated"].format(times=RESTATEMENTS), "context": turn.said}
    return {}


def _fact(turn: TurnDraft, expected: str) -> FactDraft:
    """What the user holds to be right: the request with its answer, or the sentence where no request is known."""
    statement = f"{turn.asked}: {expected}" if turn.asked else turn.said
    return FactDraft(
        **_shared(turn, "fact"),
        statement=statement,
        writer=Writer(turn.writer.id, Channel.USER, turn.writer.trust),
    )


def _shared(turn: TurnDraft, part: str) -> dict[str, Any]:
    names = ("occurred_at", "session_id", "task_id", "task_type", "tags", "metadata")
    return {name: getattr(turn, name) for name in names} | {"key": turn.key and f"{turn.key}:{part}"}
