"""docs/python.md tells the whole Python door: every public name with its signature, every field, and it runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.domain.analyses import AnalysisDraft
from graphmem.domain.drafts import (
    ExperienceDraft,
    FactDraft,
    FailureDraft,
    MemoryUpdate,
    Question,
    SituationKeys,
    TurnDraft,
)
from graphmem.entrypoints.capture.guarding import Guard
from graphmem.entrypoints.library import open_memory
from graphmem.ports.queries import Selection

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
TAKEN = {
    "remember": (FactDraft,),
    "record": (ExperienceDraft,),
    "note": (ExperienceDraft,),
    "capture_failure": (FailureDraft,),
    "observe_turn": (TurnDraft,),
    "recall": (SituationKeys, Question),
    "brief": (SituationKeys, Question),
    "memories": (Selection,),
    "update": (MemoryUpdate,),
    "submit_analysis": (AnalysisDraft,),
}
"""Calls whose fields are those of a draft, but for what the call names itself."""
FOUND_OUT = {
    "note": {"action", "result"},
    "recall": {"keys"},
    "brief": {"situation", "keys"},
    "update": {"id"},
    "submit_analysis": {"work_id", "owner", "attempt"},
}
"""Fields that a call fills in under another name."""
IN_A_SENTENCE = frozenset({"capture", "captures", "prompt", "explain", "link"})
"""Calls that take the fields of another one, or few that stand beside them."""


def public() -> list[str]:
    """Names of the public methods."""
    return [
        name
        for name, found in inspect.getmembers(graphmem.GraphMemory, inspect.isfunction)
        if not name.startswith("_")
    ]


def signature(name: str, call: Callable[..., Any]) -> str:
    """A call as the page shows it: names and defaults, no types."""
    shown: list[str] = []
    for part in inspect.signature(call).parameters.values():
        if part.name == "self":
            continue
        if part.kind is part.KEYWORD_ONLY and not any(one.startswith("*") for one in shown):
            shown.append("*")
        stars = {part.VAR_POSITIONAL: "*", part.VAR_KEYWORD: "**"}.get(part.kind, "")
        default = part.default.name if isinstance(part.default, Enum) else repr(part.default)
        shown.append(f"{stars}{part.name}" + ("" if part.default is part.empty else f"={default}"))
    return f"{name}({', '.join(shown)})"


@pytest.mark.parametrize("name", public())
def test_every_method_stands_there_with_its_signature(name: str) -> None:
    assert f"| `{signature(name, getattr(graphmem.GraphMemory, name))}` |" in PAGE


def test_open_and_every_exported_name_stand_there() -> None:
    assert f"`{signature('graphmem.open', open_memory)}`" in PAGE
    told = {name for name in graphmem.__all__ if f"graphmem.{name}" in PAGE}
    assert told == set(graphmem.__all__) - {"GraphMemory", "Writer", "__version__"}
    for name in graphmem.__all__:
        assert getattr(graphmem, name)


@pytest.mark.parametrize("name", TAKEN)
def test_every_field_stands_there(name: str) -> None:
    rows = [row for row in PAGE.partition("## Fields")[2].splitlines() if row.startswith("|")]
    (row,) = [row for row in rows if f"`{name}`" in row.split("|")[1]]
    call = getattr(Guard if name == "note" else graphmem.GraphMemory, name)
    wanted = {field.name for draft in TAKEN[name] for field in fields(draft)}  # type: ignore[arg-type]
    given = set(re.findall(r"`(\w+)`", row.split("|")[2]))
    own = set(inspect.signature(call).parameters)
    assert given == wanted - own - FOUND_OUT.get(name, set())


def test_calls_with_fields_are_all_checked() -> None:
    taking = {
        name
        for name in public()
        if any(
            part.kind is part.VAR_KEYWORD
            for part in inspect.signature(getattr(graphmem.GraphMemory, name)).parameters.values()
        )
    }
    assert taking == (TAKEN.keys() - {"note"}) | IN_A_SENTENCE


def test_its_blocks_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_STORE", f"sqlite:///{tmp_path / 'memory.db'}")
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "none")
    scope: dict[str, Any] = {"__name__": "page"}
    for block in PYTHON.findall(PAGE):
        exec(compile(block, "docs/python.md", "exec"), scope)


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_readme_leads_to_it_and_its_own_block_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHMEM_STORE", f"sqlite:///{tmp_path / 'memory.db'}")
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "none")
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "(docs/python.md)" in text
    (block,) = PYTHON.findall(text)
    exec(compile(block, page, "exec"), {})
    assert "input ''" in capsys.readouterr().out
