"""A model's answers are lost three times during twenty failures, by kill -9 between answer and commit.

Each costs one call more, and no failure gets a second result. That analysts are fenced on both stores, at any other
moment, is shown in test_analysts.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from graphmem.config import Settings
from graphmem.domain.memories import AnalysisState, Experience
from graphmem.domain.records import RecordKind
from graphmem.wiring import build
from tests.chat import completion
from tests.contract.reading import found, records_of
from tests.integration.analysts import NAMESPACE
from tests.integration.writers import open_store
from tests.receiver import receiving
from tests.services import failed

ROOT = Path(__file__).parents[2]
ITEMS = 20
KILLED_AT = (3, 4, 5)
"""At which of its answers each of them is killed."""


def test_a_lost_answer_costs_a_call_and_never_a_second_result_sqlite(tmp_path: Path) -> None:
    place = str(tmp_path / "memory.db")
    with closing(open_store(place)) as store, receiving(bodies=[completion()]) as server:
        store.migrate()
        services = build(Settings(store="sqlite:///told.db", embedder="none"), store=store)
        written = [failed(services, f"task{n} object{n}", NAMESPACE).memory for n in range(ITEMS)]
        told = [
            line
            for hours, answers in enumerate((*KILLED_AT, 0))
            for line in run(place, server.url, hours, answers)
        ]
        assert len(server.raw) == ITEMS + len(KILLED_AT)
        assert sorted(told) == sorted(f"ANSWERED {memory.ref}" for memory in written)
        memories = {memory.id: memory for memory in found(store, NAMESPACE)}
        for before in written:
            after = memories[before.id]
            assert isinstance(after, Experience)
            assert after.root_cause is not None
            assert (after.analysis, after.root_cause.source) == (AnalysisState.DONE, "llm")
            assert after.version == before.version + 1
            assert len(records_of(store, RecordKind.REQUEST, NAMESPACE, subject=before.id)) == 2
        assert store.state(NAMESPACE).pending_analyses == 0


def run(place: str, url: str, hours: int, answers: int) -> list[str]:
    """What one says until it ends, or stands still and is killed."""
    command = [sys.executable, "-m", "tests.integration.consultants", place, url, str(hours), str(answers)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdout as said, process.stdin:
        told = []
        for line in said:
            if line == "standing\n":
                process.kill()
                break
            told.append(line.strip())
        told += [line.strip() for line in said]
    assert process.wait(60) == (-9 if answers else 0)
    return told
