"""The published tools: eight, as the golden file has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphmem.entrypoints.mcp.tools import INSTRUCTIONS, TOOLS
from tests.agents import Agent

GOLDEN = Path(__file__).with_name("tools.json")
"""Written by `python -m tests.unit.entrypoints.mcp.test_tools` after a change that is meant."""
ARTICLE = ("action", "context", "result", "error_type", "correction", "generalization")
READING = {"memory_retrieve", "memory_brief", "memory_explain", "memory_status"}


def published() -> list[dict[str, Any]]:
    """Everything that a client is told of the tools."""
    return [tool.published().model_dump(mode="json", by_alias=True, exclude_none=True) for tool in TOOLS]


def test_a_client_is_told_what_the_golden_file_says(agent: Agent) -> None:
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in agent.tools()]
    assert listed == json.loads(GOLDEN.read_text(encoding="utf-8")) == published()
    assert agent.instructions == INSTRUCTIONS


def test_there_are_eight_tools_and_each_has_its_time_to_be_called() -> None:
    names = [tool.name for tool in TOOLS]
    assert len(set(names)) == len(names) == 8
    assert [name for name in names if f"- {name}: " not in INSTRUCTIONS] == []


def test_the_fields_of_the_article_come_first() -> None:
    """And only what the article needs is required."""
    (tool,) = (tool for tool in published() if tool["name"] == "memory_write_experience")
    schema = tool["inputSchema"]
    given = [name for name in schema["properties"] if name in ARTICLE]
    assert tuple(given) == ARTICLE
    assert schema["required"] == ["action", "result"]
    assert schema["properties"]["result"]["enum"] == ["success", "failure", "partial"]


def test_hints_say_what_a_call_can_do() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in published()}
    assert {name for name, hint in hints.items() if hint["readOnlyHint"]} == READING
    assert {name for name, hint in hints.items() if hint["idempotentHint"]} == READING | {
        "memory_reflect",
        "memory_feedback",
    }
    assert not any(hint["destructiveHint"] or hint["openWorldHint"] for hint in hints.values())


def test_every_argument_that_needs_it_is_explained() -> None:
    plain = {"tags"}
    bare = [
        f"{tool['name']}.{name}"
        for tool in published()
        for name, schema in tool["inputSchema"].get("properties", {}).items()
        if name not in plain and "description" not in schema
    ]
    assert bare == []


def test_the_tools_are_small() -> None:
    """What a model has to read before it does anything: in characters, four of which are a token."""
    read = sum(
        len(json.dumps(tool["inputSchema"])) + len(tool["description"]) + len(tool["name"])
        for tool in published()
    )
    assert read + len(INSTRUCTIONS) < 16_000


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(published(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
