"""What an agent sends, as the arguments of the tools. null is the same as not given."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from graphmem.analysis.walks import DEFAULT_HOPS
from graphmem.entrypoints.plain import cause_of


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _unpacked(value: Any) -> Any:
    """A list that some clients send as the text of its JSON, and a lone text where a list is meant."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return [value]
    return found if isinstance(found, list) else [value]


ResultWord = Annotated[Literal["success", "failure", "partial"], BeforeValidator(_lower)]
AnswerWord = Annotated[Literal["applied", "not_applicable", "refuted"], BeforeValidator(_lower)]
GradeWord = Annotated[Literal["inferred", "traced", "asserted", "confirmed"], BeforeValidator(_lower)]
CauseTypeWord = Annotated[
    Literal["information_gap", "capability_gap", "misleading_feedback", "system_limit"],
    BeforeValidator(_lower),
]
ContextWord = Annotated[Literal["sufficient", "insufficient", "misleading"], BeforeValidator(_lower)]
Texts = Annotated[list[str], BeforeValidator(_unpacked)]

SESSION = (
    "The conversation or run that this belongs to; over stdio the process is one unless you say otherwise."
)
TASK = "The task that this belongs to. A new task has a new id: three tasks with one mistake make a pattern."
KEY = "Makes a retry harmless: the same key and arguments again are written once."


class Arguments(BaseModel):
    """What all have in common: nothing that is not named is taken."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: item for name, item in value.items() if item is not None}


class WriteFact(Arguments):
    """Arguments of memory_write_fact."""

    statement: str = Field(description="What is true, in one sentence.")
    subject: str = Field("", description="What it is about, in a word or two.")
    valid_from: datetime | None = Field(None, description="With a time zone.")
    valid_to: datetime | None = Field(None, description="With a time zone.")
    supersedes: Texts = Field([], description="Refs of the facts that this one replaces, such as F-3.")
    tags: Texts = Field([])
    session_id: str = Field("", description=SESSION)
    task_id: str = Field("", description=TASK)
    key: str = Field("", description=KEY)


class Cause(Arguments):
    """A cause, named by exactly one of id, key and text."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        """What agents send before they have read the schema: "E-1", "key:run-7", "text:words"."""
        if not isinstance(value, str):
            return value
        named = cause_of(value)
        return {"id": named.id, "key": named.key, "text": named.text}

    id: str = Field("", description="Id or ref, such as E-12 or F-3.")
    key: str = Field("", description="The key that it was written with.")
    text: str = Field("", description="Words that only one memory of the same task holds.")
    confidence: float = Field(0.8, description="Above 0, at most 1.")
    note: str = Field("", description="Why you think so.")


class WriteExperience(Arguments):
    """Arguments of memory_write_experience: the six of the article first."""

    action: str = Field(description="What you did.")
    context: str = Field(
        "",
        description="The input and the situation it was done in; this is what a later one is compared with.",
    )
    result: ResultWord = Field(description="How it ended.")
    error_type: str = Field("", description="A label of the error, the same for the same kind of error.")
    correction: str = Field("", description="What you or the user found to be right instead.")
    generalization: str = Field(
        "", description="The rule behind it, without the particulars of this input; leave it out if unsure."
    )
    output: str = Field("", description="What you produced.")
    expected: str = Field("", description="What should have come out.")
    manifestation: str = Field("", description="How the failure showed: the message, the wrong value.")
    tool: str = Field("", description="The tool that was used.")
    agent: str = Field("", description="Who you are, where several agents share a memory.")
    task_type: str = Field("", description="The kind of task, such as code_review.")
    task_id: str = Field("", description=TASK)
    session_id: str = Field("", description=SESSION)
    caused_by: Annotated[list[Cause], BeforeValidator(_unpacked)] = Field(
        [], description="What led to this: earlier experiences, or facts that were wrong."
    )
    informed_by: Texts = Field([], description="Refs of memories that you were shown and used.")
    tags: Texts = Field([])
    occurred_at: datetime | None = Field(
        None, description="With a time zone, at most a day ahead; now if not given."
    )
    key: str = Field("", description=KEY)


class _Asking(Arguments):
    """What a question can tell besides its text."""

    concern: str = Field("", description="What you fear could go wrong.")
    tool: str = Field("", description="The tool that you are about to use.")
    agent: str = Field("", description="Who you are, where several agents share a memory.")
    task_type: str = Field("", description="The kind of task.")
    limit: int = Field(3, description="Memories of each sort, 1 to 20.")
    max_tokens: int = Field(400, description="Longest prompt_text, 1 to 4000.")
    language: str = Field("", description="'en' or 'zh'; that of the question if not given.")
    session_id: str = Field("", description=SESSION)
    task_id: str = Field("", description=TASK)


class Retrieve(_Asking):
    """Arguments of memory_retrieve."""

    situation: str = Field(description="What you are about to do or answer, with the input at hand.")
    planned_action: str = Field("", description="The action that you have in mind.")
    include_archived: bool = Field(False, description="Also old experiences that ageing keeps out.")


class Brief(_Asking):
    """Arguments of memory_brief."""

    task: str = Field(description="The task that begins.")


class Lesson(Arguments):
    """What you make of a pattern, of a cluster or of a pending failure."""

    about: Texts = Field(description="Refs as they stand under `about`: one P-n, or one or more E-n.")
    generalization: str = Field(
        "", description="The rule behind all of them, for inputs that nobody has seen yet."
    )
    root_cause: str = Field("", description="One sentence; only for failures (E-n).")
    root_cause_type: CauseTypeWord | None = Field(None, description="Needs root_cause.")
    prevention: str = Field("", description="What to do differently; needs root_cause.")
    context_sufficiency: ContextWord | None = Field(None, description="Needs root_cause.")
    deviated_at: int | None = Field(None, ge=1, description="Step that went wrong, from 1; needs root_cause.")
    change_at: int | None = Field(
        None, ge=1, description="Step to change strategy at, from 1; needs root_cause."
    )


class Reflect(Arguments):
    """Arguments of memory_reflect: nothing to be asked, lessons to answer."""

    lessons: Annotated[list[Lesson], BeforeValidator(_unpacked)] = Field(
        [], max_length=20, description="Your answers to what an earlier call without them asked."
    )
    limit: int = Field(5, description="Clusters and pending failures to show, 1 to 20.")
    session_id: str = Field("", description=SESSION)


class Explain(Arguments):
    """Arguments of memory_explain."""

    id: str = Field(description="Id or ref, such as E-12.")
    max_hops: int = Field(DEFAULT_HOPS, description="How far to walk, 1 to 50.")
    limit: int = Field(5, description="Root causes to rank, 1 to 20.")
    min_grade: GradeWord = Field("inferred", description="Leave weaker links out.")


class Feedback(Arguments):
    """Arguments of memory_feedback."""

    exposure_id: str = Field(description="The exposure_id of the reminder.")
    answer: AnswerWord = Field(
        description="applied: it was of use; not_applicable: it did not fit here; refuted: it is wrong."
    )
    note: str = Field("", description="Why, in a sentence.")


class Status(Arguments):
    """memory_status takes nothing."""
