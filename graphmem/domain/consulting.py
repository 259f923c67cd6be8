"""A language model that is asked: where it answers, what it is asked, what it said, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from graphmem.domain.addresses import check_http
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Json, Memory, RootCause

BY_MODEL = "llm"
"""Source of what a language model said."""
OPENAI_URL = "https://api.openai.com/v1"
DAILY_TOKENS = 200_000
"""Tokens that a process may use in a day (UTC) unless it is told otherwise."""
ANSWER_TOKENS = 4_000
"""The longest answer that is asked for; what a model thinks to itself counts."""


@dataclass(frozen=True, kw_only=True)
class ModelEndpoint:
    """A model behind an OpenAI-compatible address. key: '' = none; tokens: what a process may use in a day (UTC).

    Raises BadInputError, naming the variable, for what is no address and for less than one token.
    """

    model: str = ""
    url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    tokens: int = DAILY_TOKENS

    def __post_init__(self) -> None:
        check_http(self.url, "GRAPHMEM_LLM_URL", f"e.g. {OPENAI_URL} or http://127.0.0.1:11434/v1")
        if self.tokens < 1:
            raise BadInputError("must be at least 1", field="GRAPHMEM_LLM_TOKENS", remedy="e.g. 200000")


class Role(StrEnum):
    """Who speaks: we to the model, the data to be judged, the model."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is asked. schema: JSON schema of the answer, every key required, no others allowed."""

    turns: tuple[Turn, ...]
    schema: Mapping[str, Json]

    @property
    def text(self) -> str:
        """All that is said, one turn after the other."""
        return "\n\n".join(turn.text for turn in self.turns)

    def repaired(self, answer: str, problem: str) -> Prompt:
        """The same question after an answer that could not be used, with what was wrong with it."""
        again = f"That cannot be used: {problem}. Answer the same question again with one JSON object as described."
        turns = (*self.turns, Turn(Role.ASSISTANT, answer), Turn(Role.USER, again))
        return Prompt(turns=turns, schema=self.schema)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model said. tokens: question and answer as the endpoint counted them, None = it did not tell."""

    text: str
    tokens: int | None = None
    refused: bool = False


@dataclass(frozen=True, kw_only=True)
class Findings:
    """A usable answer: of a failure root_cause and generalization, of a pattern the others and root_cause."""

    root_cause: RootCause | None = None
    generalization: str = ""
    lesson: str = ""
    trigger_conditions: str = ""


class Outcome(StrEnum):
    """What came of one item.

    ANSWERED: written; REFUSED: the model would not; UNUSABLE: its answers did not fit, the repaired one neither;
    LOST: somebody else answered it meanwhile, or it is gone; BUDGET: not asked, the day's tokens do not reach.
    """

    ANSWERED = "ANSWERED"
    REFUSED = "REFUSED"
    UNUSABLE = "UNUSABLE"
    LOST = "LOST"
    BUDGET = "BUDGET"


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """One item put to a model. subject: as it is after it; tokens: used by this item."""

    subject: Memory
    outcome: Outcome
    tokens: int = 0
