"""An analyst that is killed while it answers, three times during twenty items: each gets one result and no second."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.config import Settings
from graphmem.domain.memories import AnalysisState, Experience, Memory
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from graphmem.tooling.neo4j import RunningServer
from graphmem.wiring import build
from tests.contract.reading import found, records_of
from tests.integration.analysts import NAMESPACE
from tests.integration.writers import open_store
from tests.services import failed

ROOT = Path(__file__).parents[2]
ITEMS = 20
KILLS = ((3, 0.0), (4, 0.004), (5, 0.02))
"""At which answer each analyst is killed, and how long after it began to give it, in seconds."""


def test_analysts_are_killed_sqlite(tmp_path: Path) -> None:
    """On the embedded store."""
    killed_and_gone_on(str(tmp_path / "memory.db"))


@pytest.mark.neo4j
@pytest.mark.timeout(400)
def test_analysts_are_killed_neo4j(neo4j_server: RunningServer) -> None:
    """On a server."""
    killed_and_gone_on(neo4j_server.bolt_uri)


def killed_and_gone_on(place: str) -> None:
    """Each failure was analysed once, by whoever said so last; nothing waits and nothing is left of the jobs."""
    with closing(open_store(place)) as store:
        store.migrate()
        services = build(Settings(store="sqlite:///told.db", embedder="none"), store=store)
        written = [failed(services, f"task{n} object{n}", NAMESPACE).memory for n in range(ITEMS)]
        told = [line for number, kill in enumerate(KILLS) for line in until_killed(place, number, *kill)]
        told += list(lines(start(place, "last", len(KILLS))))
        check(store, written, told)


def check(store: MemoryStore, written: list[Memory], told: list[str]) -> None:
    """What is stored, against what was said."""
    given = [line.split()[1] for line in told if line.startswith("answering")]
    acknowledged = [line.split()[1] for line in told if line.startswith("answered")]
    assert len(set(given)) == ITEMS
    assert len(given) <= ITEMS + len(KILLS)
    assert len(acknowledged) == len(set(acknowledged)) >= ITEMS - len(KILLS)
    memories = {memory.id: memory for memory in found(store, NAMESPACE)}
    for before in written:
        after = memories[before.id]
        assert isinstance(after, Experience)
        assert (after.analysis, after.version) == (AnalysisState.DONE, before.version + 1)
        assert after.root_cause is not None
        assert after.root_cause.summary.startswith("found by ")
        receipts = records_of(store, RecordKind.REQUEST, NAMESPACE, subject=before.id)
        assert len(receipts) == 2
    assert store.state(NAMESPACE).pending_analyses == 0
    assert records_of(store, RecordKind.JOB, NAMESPACE) == []


def start(place: str, name: str, hours: int) -> subprocess.Popen[str]:
    """Start an analyst whose clock is ahead."""
    command = [sys.executable, "-m", "tests.integration.analysts", place, name, str(hours)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """What it says until it ends."""
    assert process.stdout is not None
    with process.stdout as said:
        yield from said
    assert process.wait(60) == 0


def until_killed(place: str, number: int, answers: int, after_s: float) -> list[str]:
    """What an analyst says until it is killed at one of its answers."""
    process = start(place, f"analyst-{number}", number)
    assert process.stdout is not None
    told: list[str] = []
    for line in process.stdout:
        told.append(line)
        if sum(one.startswith("answering") for one in told) == answers:
            time.sleep(after_s)
            process.kill()
            break
    told += process.stdout.readlines()
    process.wait(60)
    process.stdout.close()
    return told
