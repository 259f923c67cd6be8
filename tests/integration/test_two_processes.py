"""Two processes of four threads write into one store: nothing is lost, nothing is counted twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmem.tooling.neo4j import RunningServer
from tests.builders import changes, fact
from tests.contract.reading import Reader, counts
from tests.integration.writers import TAGS, THREADS, WRITES, open_store

ROOT = Path(__file__).parents[2]
PROCESSES = 2
TOTAL = PROCESSES * THREADS * WRITES


def test_two_processes_write_into_one_file(tmp_path: Path) -> None:
    """The embedded store is a file that several processes share."""
    write_at_once(str(tmp_path / "shared.db"))


@pytest.mark.neo4j
@pytest.mark.timeout(300)
def test_two_processes_write_to_one_server(neo4j_server: RunningServer) -> None:
    """A server has clients in several processes."""
    write_at_once(neo4j_server.bolt_uri)


def write_at_once(place: str) -> None:
    """All 400 facts are there with their own refs and the revisions 1 to 400, and all 20 tags."""
    store = open_store(place)
    store.migrate()
    store.apply(changes(fact(namespace="shared")))
    told = [answer(process) for process in [start(place, number) for number in range(PROCESSES)]]

    written = [tuple(item) for told_by_one in told for item in told_by_one["written"]]
    assert sorted(revision for revision, _, _ in written) == list(range(1, TOTAL + 1))
    assert {ref for _, ref, _ in written} == {f"F-{number + 1}" for number in range(TOTAL)}
    reader = Reader(store, "race").catch_up()
    stored = {(item.revision, item.ref, item.id) for item, _ in reader.graph.values()}
    assert stored == set(written)
    assert len({item.text for item, _ in reader.graph.values()}) == TOTAL
    assert reader.digest == store.state("race").graph_digest
    assert (store.state("race").revision, counts(store, "race")["FACT"]) == (TOTAL, TOTAL)

    shared = store.get("shared", ["F-1"])["F-1"]
    expected = {f"tag {number}-{index}" for number in range(PROCESSES) for index in range(TAGS)}
    assert (set(shared.tags), len(shared.tags)) == (expected, PROCESSES * TAGS)
    assert shared.version == 1 + PROCESSES * TAGS
    store.close()


def start(place: str, number: int) -> subprocess.Popen[str]:
    """Start a writing process."""
    command = [sys.executable, "-m", "tests.integration.writers", "race", place, str(number)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a writing process says at its end."""
    out, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    told: dict[str, Any] = json.loads(out)
    return told
