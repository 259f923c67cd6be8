"""What a model behind a chat endpoint says, as its server sends it, and a model that says what it is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from graphmem.domain.analyses import WorkItem, WorkKind
from graphmem.domain.consulting import Prompt, Reply
from graphmem.domain.errors import GraphmemError
from tests.builders import at, failure, pattern

CAUSE_FOUND = {
    "summary": "nobody looked for an empty cell",
    "type": "INFORMATION_GAP",
    "prevention": "look for empty cells before parsing",
}
FAILURE_FOUND: dict[str, Any] = {
    **CAUSE_FOUND,
    "deviatedAt": 2,
    "contextSufficiency": "INSUFFICIENT",
    "changeAt": 1,
    "generalization": "a value was read before it was known to be there",
}
PATTERN_FOUND: dict[str, Any] = {
    "lesson": "cells may be empty: look before reading",
    "triggerConditions": "tables from elsewhere",
    "rootCause": CAUSE_FOUND,
}
FAILURE_TEXT = json.dumps(FAILURE_FOUND)
PATTERN_TEXT = json.dumps(PATTERN_FOUND)


def completion(text: str | None = FAILURE_TEXT, tokens: int | None = 321, **message: Any) -> str:
    """The body of a server's answer."""
    said = {"role": "assistant", "content": text, **message}
    body = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": tokens} if tokens else None,
    }
    return json.dumps(body)


def item(kind: WorkKind = WorkKind.FAILURE, **fields: Any) -> WorkItem:
    """Work about a failure with these fields, or about a pattern over it."""
    below = failure(**fields)
    over: dict[str, Any] = {"subject": below}
    if kind is WorkKind.PATTERN:
        over = {"subject": pattern(), "evidence": (below,)}
    return WorkItem(id="w", kind=kind, questions=("why?", "and now?"), waiting_since=at(0), **over)


class ScriptedModel:
    """Says one text after the other, the last for ever; raises what is an error; keeps what it was asked."""

    name = "scripted"

    def __init__(self, *said: Reply | str | GraphmemError) -> None:
        self._said = said
        self.asked: list[Prompt] = []

    def reply(self, prompt: Prompt) -> Reply:
        """The next one."""
        self.asked.append(prompt)
        said = self._said[min(len(self.asked), len(self._said)) - 1]
        if isinstance(said, GraphmemError):
            raise said
        return said if isinstance(said, Reply) else Reply(text=said, tokens=100)


def roles(prompts: Sequence[Prompt]) -> list[list[str]]:
    """Who speaks in each of them."""
    return [[turn.role.value for turn in prompt.turns] for prompt in prompts]
