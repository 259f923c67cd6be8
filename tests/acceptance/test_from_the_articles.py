"""docs/from-the-articles.md is true: every row of its tables is shown by a block, and the blocks run in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "from-the-articles.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([AB]\d+) \|", re.MULTILINE)
BLOCK = re.compile(r"^```python\n# ([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = (
    *("hybrid_retrieve", "top_k", "memory_write_fact", "memory_write_experience", "memory_retrieve"),
    *("memory_reflect", "action", "context", "result", "error_type", "correction", "generalization"),
    *("reflect_experience", "eps=0.3", "min_samples=2", "llm_summarize", "FailureCapture", "capture"),
    *("task_type", "manifestation", "agent_trace", "failure_id", "timestamp", "status", "_write_episodic"),
    *("ROOT_CAUSE_PROMPT", "根因类型", "预防策略", "extract_pattern", "pattern_id", "trigger_conditions"),
    *("root_cause", "prevention_strategy", "frequency", "confidence", "first_seen", "last_seen"),
    *("inject_task_context", "search_episodic", "date_range", "PATTERN_INDEX", "get_relevant_patterns"),
    *("STRATEGIC_MEMORY_INDEX", "capture_failure", "analyze_patterns", "update_strategy", "chromadb"),
    *("rank_bm25", "jieba", "sentence-transformers", "1.2 ", ".75", " 50 ", "daily"),
)
"""What the articles call by a name or a number."""


def test_every_name_of_the_articles_stands_in_a_row() -> None:
    rows = "\n".join(line for line in PAGE.splitlines() if ROW.match(line))
    assert [name for name in NAMED if name not in rows] == []


def test_every_row_is_shown_by_a_block() -> None:
    shown = {row for head, _ in BLOCK.findall(PAGE) for row in re.findall(r"[AB]\d+", head)}
    assert shown == set(ROW.findall(PAGE))


def test_the_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    space: dict[str, Any] = {}
    for head, body in BLOCK.findall(PAGE):
        exec(compile(body, f"from-the-articles.md, {head}", "exec"), space)
