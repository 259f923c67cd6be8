"""A language model behind an OpenAI-compatible address, over the official SDK."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import openai

from graphmem.domain.consulting import ANSWER_TOKENS, ModelEndpoint, Prompt, Reply
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.memories import Json

TIMEOUT_S = 60.0
"""Seconds that one attempt may take."""
RETRIES = 2
"""Further attempts after 408, 409, 429, 5xx or a lost connection; the SDK waits as long as retry-after says."""
NO_KEY = "none"
"""What is sent as a key where none is set: servers on one's own machine ask for none."""


def _by_schema(schema: Mapping[str, Json]) -> dict[str, Any]:
    named = {"name": "analysis", "strict": True, "schema": dict(schema)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _as_json(_: Mapping[str, Json]) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _freely(_: Mapping[str, Json]) -> dict[str, Any]:
    return {}


FORMS: tuple[Callable[[Mapping[str, Json]], dict[str, Any]], ...] = (_by_schema, _as_json, _freely)
"""How an answer is asked for, the strictest first: what an endpoint refuses is not asked of it again."""
_REFUSALS = (openai.BadRequestError, openai.UnprocessableEntityError)


class ChatModel:
    """Chat completions of one model. Keeps to the endpoint it is given: no redirect, no key from elsewhere."""

    def __init__(
        self, endpoint: ModelEndpoint, *, timeout_s: float = TIMEOUT_S, retries: int = RETRIES
    ) -> None:
        self.name = endpoint.model
        self._client = openai.OpenAI(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.url,
            max_retries=retries,
            http_client=openai.DefaultHttpxClient(timeout=timeout_s, follow_redirects=False),
            timeout=timeout_s,
        )
        self._client.organization = self._client.project = None
        self._form = 0

    def reply(self, prompt: Prompt) -> Reply:
        """What the model says; asked by JSON schema, else in JSON mode, else freely.

        Raises UnavailableError when the endpoint does not answer now, BadInputError when it refuses for good.
        """
        try:
            return self._in_some_form(prompt)
        except openai.APIStatusError as error:
            raise _refused(error.status_code) from error
        except openai.APIConnectionError as error:
            raise UnavailableError(
                f"the language model did not answer: {type(error).__name__}",
                remedy="check that GRAPHMEM_LLM_URL is up; what waits keeps waiting",
            ) from error
        except (openai.OpenAIError, ValueError) as error:
            raise UnavailableError(
                f"the language model's answer cannot be read: {type(error).__name__}"
            ) from error

    def close(self) -> None:
        """Release the connections."""
        self._client.close()

    def _in_some_form(self, prompt: Prompt) -> Reply:
        for form in range(self._form, len(FORMS)):
            try:
                reply = self._asked(prompt, form)
            except _REFUSALS:
                if form + 1 == len(FORMS):
                    raise
                continue
            self._form = form
            return reply
        raise AssertionError("the last form answers or raises")

    def _asked(self, prompt: Prompt, form: int) -> Reply:
        messages: Any = [{"role": turn.role.value, "content": turn.text} for turn in prompt.turns]
        if form:
            messages[0]["content"] += f"\nThe JSON schema of the answer:\n{json.dumps(prompt.schema)}"
        completion: Any = self._client.chat.completions.create(
            model=self.name,
            messages=messages,
            max_completion_tokens=ANSWER_TOKENS,
            **FORMS[form](prompt.schema),
        )
        return _read(completion)


def _read(completion: Any) -> Reply:
    """The first choice; nothing that a server leaves out or misplaces is relied upon."""
    choice = next(iter(getattr(completion, "choices", None) or ()), None)
    message, usage = getattr(choice, "message", None), getattr(completion, "usage", None)
    text, tokens = getattr(message, "content", None), getattr(usage, "total_tokens", None)
    refused = bool(getattr(message, "refusal", None)) or (
        getattr(choice, "finish_reason", None) == "content_filter"
    )
    counted = tokens if isinstance(tokens, int) and tokens >= 0 else None
    return Reply(text=text if isinstance(text, str) else "", tokens=counted, refused=refused)


def _refused(status: int) -> BadInputError | UnavailableError:
    """The error for a status; the endpoint's own words stay out of it: they may hold the key or anything."""
    said = f"the language model's endpoint answered {status}"
    if status in (408, 409, 429) or status >= 500:
        return UnavailableError(said, remedy="try again later; what waits keeps waiting")
    field = "GRAPHMEM_LLM_KEY" if status in (401, 403) else "GRAPHMEM_LLM"
    return BadInputError(
        said, field=field, remedy="check GRAPHMEM_LLM, GRAPHMEM_LLM_URL and GRAPHMEM_LLM_KEY"
    )
