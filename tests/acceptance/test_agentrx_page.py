"""The real trace of docs/follow-an-error.md is what the commands print, where the public data is there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from benchmarks.agentrx_one import shown, told
from benchmarks.agentrx_traces import FILES

PAGE = Path(__file__).parents[2] / "docs" / "follow-an-error.md"
SHARED = Path(__file__).parents[3] / "shared" / "data"
DATA = Path(os.environ.get("GRAPHMEM_BENCH_DATA") or SHARED)


@pytest.mark.skipif(not all((DATA / name).exists() for name in FILES), reason="the AgentRx data is not here")
def test_the_printed_answer_is_the_one_of_the_page() -> None:
    (printed,) = re.findall(
        r"^```text\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert told(shown(DATA)) == printed.splitlines()
