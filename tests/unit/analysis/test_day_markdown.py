"""A day as Markdown: readable, and stored text opens nothing in it."""

from __future__ import annotations

from datetime import date

import pytest

from graphmem.analysis.day_markdown import day_markdown, escaped, headed
from graphmem.domain.episodes import CauseNamed, DayLog, Episode
from graphmem.domain.memories import AnalysisState, Memory, Result, RootCause, State
from tests.builders import experience, fact, failure

DAY = date(2026, 3, 1)


def log(*memories: Memory, task: str = "", session: str = "", causes: tuple[CauseNamed, ...] = ()) -> DayLog:
    held = Episode(task_id=task, session_id=session, memories=memories)
    return DayLog(day=DAY, episodes=(held,), causes=causes)


def lines(found: DayLog, language: str = "en") -> list[str]:
    text = day_markdown(found, language)
    assert text.endswith("\n")
    return text.splitlines()


def test_a_day_is_told_by_task() -> None:
    broke = failure(
        ref="E-1",
        title="clean march",
        context="rows = []",
        tool="clean_rows",
        task_type="cleaning",
        error_type="ValueError",
        manifestation="broke",
        correction="return nothing",
        root_cause=RootCause("nobody looked"),
    )
    cause = CauseNamed("E-1", "F-1", "the disk is full")
    said = lines(log(broke, task="march", session="run-7", causes=(cause, CauseNamed("E-2", "F-2", "no"))))
    assert said == [
        "# 2026-03-01 (UTC)",
        "",
        "1 experience, 1 of them a failure; 0 facts; 1 episode.",
        "",
        "## Task march · session run-7",
        "",
        "### E-1 ✗ clean march",
        "",
        "- **Time**: 08:30:00",
        "- **Context**: rows = \\[\\]",
        "- **Tool**: clean\\_rows",
        "- **Error type**: ValueError",
        "- **What happened**: broke",
        "- **What was right**: return nothing",
        "- **Root cause**: nobody looked",
        "- **Task type**: cleaning",
        "- **Caused by**: F-1 the disk is full",
    ]


def test_a_fact_and_what_worked() -> None:
    told = lines(log(fact("prices are in cents", ref="F-1", title="prices", subject="prices"), experience()))
    assert "1 experience, 0 of them failures; 1 fact; 1 episode." in told
    assert "## Without a task" in told
    assert "- **Statement**: prices are in cents" in told


def test_what_is_pending_retracted_or_cut_is_said() -> None:
    waiting = failure(analysis=AnalysisState.PENDING, state=State.RETRACTED)
    told = day_markdown(DayLog(day=DAY, episodes=log(waiting, session="s").episodes, truncated=True))
    assert "- **Root cause**: pending\n" in told
    assert "- **State**: retracted\n" in told
    assert "## session s\n" in told
    assert told.endswith("More happened than is listed.\n")


def test_an_empty_day_and_chinese() -> None:
    assert lines(DayLog(day=DAY, episodes=())) == ["# 2026-03-01 (UTC)", "", "Nothing was recorded."]
    told = lines(log(failure(manifestation="空数组异常", task_type="清洗"), task="三月"), "zh")
    assert {"## 任务 三月", "- **表现**: 空数组异常", "- **任务类型**: 清洗"} <= set(told)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("# heading", "\\# heading"),
        ("[x](javascript:1)", "\\[x\\]\\(javascript:1\\)"),
        ("<script>", "\\<script\\>"),
        ("1. one", "1\\. one"),
        ("2026. one", "2026\\. one"),
        ("1) one", "1\\) one"),
        ("- one", "\\- one"),
        ("+ one", "\\+ one"),
        ("alert(1) by E-1 at 3.5", "alert\\(1\\) by E-1 at 3.5"),
        ("a\x1b[31m\u202eb\0", "a\\[31mb"),
        ("line\n# two", "line \\# two"),
        ("---", "\\---"),
        ("``` --- ===", "\\`\\`\\` --- ==="),
    ],
)
def test_text_opens_nothing(text: str, safe: str) -> None:
    assert escaped(text) == safe


def test_lines_of_a_long_text_stay_in_a_quotation() -> None:
    told = lines(log(failure(manifestation="first\n\n## second\n```\nthird"), task="t"))
    place = told.index("- **What happened**:")
    assert told[place + 1 : place + 6] == [
        "",
        "  > first  ",
        "  > \\#\\# second  ",
        "  > \\`\\`\\`  ",
        "  > third  ",
    ]
    assert [line for line in told if line.startswith("##")] == ["## Task t", told[6]]


@pytest.mark.parametrize(
    ("result", "mark"), [(Result.FAILURE, "✗"), (Result.SUCCESS, "✓"), (Result.PARTIAL, "~")]
)
def test_headings_show_the_result(result: Result, mark: str) -> None:
    assert headed(experience(result=result, ref="E-1", title="a*b")) == f"E-1 {mark} a\\*b"
