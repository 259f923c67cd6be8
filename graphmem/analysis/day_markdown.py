"""A day of the memory as Markdown, in English or Chinese. Stored text stays text: it opens no heading and no link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import chain

from graphmem.domain.episodes import CauseNamed, DayLog, Episode
from graphmem.domain.memories import AnalysisState, Experience, Fact, Memory, Result, State
from graphmem.domain.words import filled

_MARKS = {Result.FAILURE: "✗", Result.SUCCESS: "✓", Result.PARTIAL: "~"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#!|~&]|^[+=-])")
_ORDERED = re.compile(r"^(\d{1,9})\.")
"""What could be Markdown: some signs anywhere, those of a list or a line under a heading only where a text begins."""
_WORDS = {
    "en": {
        "count": "{experiences} {experiences:experience|experiences}, "
        "{failures} of them {failures:a failure|failures}; {facts} {facts:fact|facts}; "
        "{episodes} {episodes:episode|episodes}.",
        "truncated": "More happened than is listed.",
        "nothing": "Nothing was recorded.",
        "task": "Task {}",
        "session": "session {}",
        "alone": "Without a task",
        "time": "Time",
        "task_type": "Task type",
        "tool": "Tool",
        "context": "Context",
        "manifestation": "What happened",
        "error_type": "Error type",
        "expected": "Expected",
        "correction": "What was right",
        "root_cause": "Root cause",
        "causes": "Caused by",
        "state": "State",
        "subject": "Subject",
        "statement": "Statement",
    },
    "zh": {
        "count": "{experiences} 条经验，其中失败 {failures} 条；事实 {facts} 条；{episodes} 个事件。",
        "truncated": "当天的记录多于所列。",
        "nothing": "没有记录。",
        "task": "任务 {}",
        "session": "会话 {}",
        "alone": "不属于任何任务",
        "time": "时间",
        "task_type": "任务类型",
        "tool": "工具",
        "context": "情境",
        "manifestation": "表现",
        "error_type": "错误类型",
        "expected": "期望",
        "correction": "正确做法",
        "root_cause": "根因",
        "causes": "原因",
        "state": "状态",
        "subject": "主题",
        "statement": "内容",
    },
}


def day_markdown(log: DayLog, language: str = "en") -> str:
    """The daily log of seed 2 (episodic/DATE.md): a heading per episode, a smaller one per memory, and its fields.

    language: 'en' or 'zh'. Ends with a newline.
    """
    words = _WORDS[language]
    lines = [f"# {log.day.isoformat()} (UTC)", ""]
    happened = [memory for episode in log.episodes for memory in episode.memories]
    experiences = [memory for memory in happened if isinstance(memory, Experience)]
    lines.append(
        filled(
            words["count"],
            experiences=len(experiences),
            failures=sum(memory.result is Result.FAILURE for memory in experiences),
            facts=len(happened) - len(experiences),
            episodes=len(log.episodes),
        )
        if happened
        else words["nothing"]
    )
    for episode in log.episodes:
        lines += ["", f"## {_named(episode, words)}"]
        for memory in episode.memories:
            lines += ["", f"### {headed(memory)}", ""]
            lines += _bullets(memory, log.causes, words)
    if log.truncated:
        lines += ["", words["truncated"]]
    return "\n".join(lines) + "\n"


def headed(memory: Memory) -> str:
    """A memory as a heading: its ref, how it ended, its title."""
    mark = f" {_MARKS[memory.result]}" if isinstance(memory, Experience) else ""
    return f"{escaped(memory.ref)}{mark} {escaped(memory.title)}"


def escaped(text: str) -> str:
    """Text on one line in which nothing is Markdown, HTML or a control character."""
    visible = "".join(char if char.isprintable() else " " if char.isspace() else "" for char in text)
    return _ORDERED.sub(r"\1\\.", _SPECIAL.sub(r"\\\1", " ".join(visible.split())))


def _named(episode: Episode, words: dict[str, str]) -> str:
    parts = [words["task"].format(escaped(episode.task_id))] if episode.task_id else []
    parts += [words["session"].format(escaped(episode.session_id))] if episode.session_id else []
    return " · ".join(parts) or words["alone"]


def _bullets(memory: Memory, causes: Sequence[CauseNamed], words: dict[str, str]) -> Iterator[str]:
    yield f"- **{words['time']}**: {memory.occurred_at.astimezone(UTC):%H:%M:%S}"
    for name, text in chain(_fields(memory), _circumstances(memory, causes)):
        if text:
            yield from _bullet(words[name], text)


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    if isinstance(memory, Fact):
        yield "subject", memory.subject
        yield "statement", memory.statement
    if isinstance(memory, Experience):
        for name in ("context", "tool", "error_type", "manifestation", "expected", "correction"):
            yield name, getattr(memory, name)
        if memory.root_cause:
            yield "root_cause", memory.root_cause.summary
        elif memory.analysis is AnalysisState.PENDING:
            yield "root_cause", AnalysisState.PENDING.lower()


def _circumstances(memory: Memory, causes: Sequence[CauseNamed]) -> Iterator[tuple[str, str]]:
    yield "task_type", memory.task_type
    yield (
        "causes",
        "; ".join(f"{named.cause} {named.title}" for named in causes if named.effect == memory.ref),
    )
    if memory.state is not State.ACTIVE:
        yield "state", memory.state.lower()


def _bullet(label: str, text: str) -> Iterator[str]:
    """A short text beside its label, one of several lines below it, line by line as a quotation."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= 1:
        yield f"- **{label}**: {escaped(text)}"
        return
    yield f"- **{label}**:"
    yield ""
    yield from (f"  > {escaped(line)}  " for line in lines)
    yield ""
