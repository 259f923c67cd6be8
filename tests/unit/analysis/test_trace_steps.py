"""Numbered traces: where the agent left the way, and where to turn."""

from __future__ import annotations

import pytest

from graphmem.analysis.trace_steps import Turning, steps_of, turning


@pytest.mark.parametrize(
    "trace",
    [
        "1. read\n2. write",
        "1) read\n2) write",
        "Step 1: read\nStep 2: write",
        "步骤1：read\n步骤2：write",
        "第1步：read\n第2步：write",
        "[1] : read\n[2] : write",
    ],
)
def test_steps_are_read_in_every_notation(trace: str) -> None:
    assert steps_of(trace) == [(1, "read"), (2, "write")]


@pytest.mark.parametrize(
    "trace", ["", "read\nwrite", "1. only one", "3. down\n2. wards\n1. again", "10:32: log\nline"]
)
def test_what_is_no_numbered_trace_has_no_steps(trace: str) -> None:
    assert steps_of(trace) == []
    assert turning(trace) == Turning()


def test_lines_between_steps_are_passed_over() -> None:
    assert steps_of("1. read\n   output: x\n4. write\n2. late") == [(1, "read"), (4, "write")]


def test_what_was_taken_for_granted_is_where_it_deviated() -> None:
    assert turning("1. read the task\n2. assumed metres\n3. computed\n4. failed") == Turning(2, 2)
    assert turning("1. 读任务\n2. 默认单位是米\n3. 计算\n4. 失败") == Turning(2, 2)


def test_else_the_first_failed_step_is() -> None:
    assert turning("1. open\n2. ValueError: x\n3. closed") == Turning(2, 2)


def test_an_assumption_after_the_first_failure_did_not_cause_it() -> None:
    assert turning("1. open\n2. ValueError: x\n3. assumed it was fine") == Turning(2, 2)


def test_the_first_repeat_of_a_failed_step_is_where_to_change() -> None:
    trace = "1. prepare\n2. connect to db: refused\n3. connect to db: refused\n4. connect to db: refused"
    assert turning(trace) == Turning(2, 3)


def test_a_trace_without_failure_tells_nothing() -> None:
    assert turning("1. read\n2. write\n3. sent") == Turning()
