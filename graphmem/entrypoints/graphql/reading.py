"""How inputs become what the services take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from strawberry import UNSET

from graphmem.domain import drafts
from graphmem.domain import memories as domain
from graphmem.domain.errors import BadInputError
from graphmem.domain.recurrence import ReminderAnswer
from graphmem.domain.rules import MAX_SHORT, check_text
from graphmem.entrypoints.graphql.inputs import (
    AnswerInput,
    CauseInput,
    CauseRefInput,
    DiagnosisInput,
    ExperienceInput,
    FactInput,
    FailureInput,
    MemoryFilter,
    Period,
    RecallArguments,
    ReviewInput,
    SituationKeys,
    TurnInput,
    UpdateInput,
    WriterInput,
)
from graphmem.ports.queries import Selection

_DRAFTS: Mapping[type, Any] = {
    WriterInput: domain.Writer,
    DiagnosisInput: domain.RootCause,
    CauseRefInput: drafts.CauseRef,
    FactInput: drafts.FactDraft,
    ExperienceInput: drafts.ExperienceDraft,
    FailureInput: drafts.FailureDraft,
    TurnInput: drafts.TurnDraft,
    UpdateInput: drafts.MemoryUpdate,
    CauseInput: drafts.CauseLink,
    ReviewInput: drafts.CauseReview,
    AnswerInput: ReminderAnswer,
    SituationKeys: drafts.SituationKeys,
    Period: drafts.Period,
}


def given(source: object) -> dict[str, Any]:
    """The parts of an input that were given, each as its domain value; null means not given.

    Raises BadInputError for metadata that is no object.
    """
    parts: dict[str, Any] = {}
    for item in fields(source):  # type: ignore[arg-type]
        value = getattr(source, item.name)
        if value is None or value is UNSET:
            continue
        if item.name == "metadata" and not isinstance(value, dict):
            raise BadInputError("must be a JSON object", field="metadata", remedy='e.g. {"ticket": 7}')
        if isinstance(value, list):
            value = tuple(draft(element) for element in value)
        parts[item.name] = draft(value)
    return parts


def draft(source: Any) -> Any:
    """The domain value that an input stands for; anything else as it is."""
    return _DRAFTS[type(source)](**given(source)) if type(source) in _DRAFTS else source


def situation_keys(source: SituationKeys | None) -> drafts.SituationKeys:
    """The keys of a situation. Raises BadInputError or TooLargeError for texts that none has."""
    parts = given(source) if source else {}
    for name, value in parts.items():
        check_text(f"keys.{name}", value)
    return drafts.SituationKeys(**parts)


def question(source: RecallArguments) -> drafts.Question:
    """What recall is asked. Raises BadInputError or TooLargeError."""
    return drafts.Question(**given(source) | {"keys": situation_keys(source.keys)})


def selection(source: MemoryFilter | None) -> Selection:
    """The store's selection for a filter. Raises BadInputError or TooLargeError for texts that none has."""
    if not source:
        return Selection()
    parts = given(source)
    during: drafts.Period = parts.pop("during", drafts.Period())
    for name, value in parts.items():
        if isinstance(value, str):
            check_text(name, value, MAX_SHORT)
    return Selection(**parts, occurred_from=during.start, occurred_to=during.end)


def named(memory_id: str, field: str = "id") -> str:
    """An id or ref that a store can be asked for. Raises BadInputError or TooLargeError."""
    return check_text(field, str(memory_id), MAX_SHORT)


def linked(source: CauseInput) -> drafts.CauseLink:
    """The link that a cause input stands for. Raises BadInputError or TooLargeError."""
    named(source.effect, "effect")
    return drafts.CauseLink(**given(source))


def reviewed(source: ReviewInput) -> drafts.CauseReview:
    """The review that an input stands for. Raises BadInputError or TooLargeError."""
    named(source.effect, "effect")
    named(source.cause, "cause")
    return drafts.CauseReview(**given(source))
