"""An endpoint keeps its key to itself; a question that is asked again says what was wrong."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.consulting import DAILY_TOKENS, OPENAI_URL, ModelEndpoint, Prompt, Role, Turn
from graphmem.domain.errors import BadInputError


def test_an_endpoint_without_settings_names_no_model() -> None:
    endpoint = ModelEndpoint()
    assert (endpoint.model, endpoint.url, endpoint.key) == ("", OPENAI_URL, "")
    assert endpoint.tokens == DAILY_TOKENS


def test_the_key_is_not_shown() -> None:
    assert "s3cret" not in repr(ModelEndpoint(model="m", key="s3cret"))


@pytest.mark.parametrize(
    ("fields", "name"), [({"url": "localhost:1"}, "GRAPHMEM_LLM_URL"), ({"tokens": 0}, "GRAPHMEM_LLM_TOKENS")]
)
def test_what_cannot_be_is_refused_by_its_variable(fields: dict[str, Any], name: str) -> None:
    with pytest.raises(BadInputError) as caught:
        ModelEndpoint(**fields)
    assert caught.value.field == name


def test_a_question_is_repaired_by_what_was_said_and_what_was_wrong() -> None:
    prompt = Prompt(turns=(Turn(Role.SYSTEM, "judge"), Turn(Role.USER, "{}")), schema={"type": "object"})
    again = prompt.repaired("nonsense", "it is no JSON object")
    assert again.turns[:2] == prompt.turns
    assert again.turns[2] == Turn(Role.ASSISTANT, "nonsense")
    assert again.turns[3].role is Role.USER
    assert "it is no JSON object" in again.turns[3].text
    assert again.schema == prompt.schema
    assert prompt.text == "judge\n\n{}"
