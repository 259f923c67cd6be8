"""A sweep is killed half-way, twice, and a service sweeps by itself: nothing is lost, and all is done once."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem.config import Settings
from graphmem.domain.encoding import memory_json
from graphmem.domain.memories import Experience, Memory, Tier
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from graphmem.wiring import build
from tests.builders import changes, experience, fact, failure, pattern, record
from tests.contract.reading import Reader, edges_of, found, records_of
from tests.integration.sweepers import BATCH
from tests.integration.test_two_services import Service, until
from tests.integration.writers import open_store
from tests.neo4j_fixture import Neo4jKit
from tests.services import asked

ROOT = Path(__file__).parents[2]
AGED = 30
"""Experiences that are old enough to be archived."""
KILLED_AFTER = (2, 3)
"""Transactions after which each sweep is killed."""


def fill(store: MemoryStore, namespace: str) -> None:
    """Experiences of long ago and of today, other memories, and notes of long ago on what was served."""
    store.migrate()
    now = datetime.now(UTC)
    old = {"namespace": namespace, "recorded_at": now - timedelta(days=90)}
    new = {"namespace": namespace, "recorded_at": now}
    aged = [(failure if n % 2 else experience)(f"aged {n}", **old) for n in range(AGED)]
    others = [failure("fresh", **new), fact("a fact", **old), pattern("a pattern", **old)]
    notes = tuple(replace(record(RecordKind.SERVED), at=now - timedelta(days=60)) for _ in range(2 * BATCH))
    store.apply(changes(*aged, *others, namespace=namespace, records=notes))


def words(store: MemoryStore, namespace: str) -> list[str]:
    """All that every memory says, without its tier and how often it was written."""
    return sorted(memory_json(_untouched(memory)) for memory in found(store, namespace))


def _untouched(memory: Memory) -> Memory:
    plain = replace(memory, version=1, revision=0)
    return replace(plain, tier=Tier.HOT) if isinstance(plain, Experience) else plain


def cold(store: MemoryStore, namespace: str) -> set[str]:
    """What is archived by now."""
    return {
        item.text
        for item in found(store, namespace)
        if isinstance(item, Experience) and item.tier is Tier.COLD
    }


def sweep_and_kill(place: str, namespace: str, actions: int) -> None:
    """Begin one in another process, and kill it after so many transactions."""
    command = [sys.executable, "-m", "tests.integration.sweepers", place, namespace, str(actions)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdout as said, process.stdin:
        assert said.readline() == "standing\n"
        process.kill()
    assert process.wait(60) == -9


def test_a_sweep_that_was_killed_lost_nothing(place: str, namespace: str) -> None:
    """Each goes on where the one before stood; what is moved is still found, and the words are those of before."""
    with closing(open_store(place)) as store:
        fill(store, namespace)
        before, edges = words(store, namespace), edges_of(store, namespace)
        done = 0
        for actions in KILLED_AFTER:
            sweep_and_kill(place, namespace, actions)
            done += actions * BATCH
            assert len(cold(store, namespace)) == done
            assert words(store, namespace) == before
        assert len(records_of(store, RecordKind.SERVED, namespace)) == 2 * BATCH
        services = build(Settings(store="sqlite:///told.db", embedder="none"), store=store)
        assert services.sweep.sweep(namespace).moved == AGED - done
        assert cold(store, namespace) == {f"aged {n}" for n in range(AGED)}
        assert records_of(store, RecordKind.SERVED, namespace) == []
        assert (words(store, namespace), edges_of(store, namespace)) == (before, edges)
        state = store.state(namespace)
        assert Reader(store, namespace).catch_up().digest == state.graph_digest
        assert services.sweep.sweep(namespace).moved == 0
        assert store.state(namespace) == state
        (repeat,) = asked(services, "aged 7", namespace).errors[:1]
        assert (repeat.memory.text, len(found(store, namespace))) == ("aged 7", AGED + 3)


def test_the_service_sweeps_by_itself_sqlite(tmp_path: Path) -> None:
    """A file of its own."""
    swept_by_itself(str(tmp_path / "swept.db"))


@pytest.mark.neo4j
@pytest.mark.timeout(600)
def test_the_service_sweeps_by_itself_neo4j(neo4j_kit: Neo4jKit, tmp_path: Path) -> None:
    """A server of its own: what waits in all namespaces of a server comes before any sweep."""
    with neo4j_kit.running(tmp_path / "home") as server:
        swept_by_itself(server.bolt_uri)


def swept_by_itself(place: str) -> None:
    """`graphmem serve` does it soon after it began, in every namespace, without anybody's asking."""
    namespace = "sweep"
    with closing(open_store(place)) as store:
        for name in (namespace, f"{namespace} too"):
            fill(store, name)
        before = words(store, namespace)
        service = Service(place if "://" in place else f"sqlite:///{place}", "")
        try:
            until(lambda: all(len(cold(store, name)) == AGED for name in (namespace, f"{namespace} too")))
        finally:
            service.stop()
        assert words(store, namespace) == before
