"""A server is killed while four threads write, three times, and stopped once; the process of the services goes on.

What was acknowledged is there, once; what had no answer is settled by sending the same key again; the revisions have no
gap.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import enumerate as enumerate_threads

import pytest
from starlette.testclient import TestClient

from graphmem.config import Settings
from graphmem.domain.answers import Written
from graphmem.domain.drafts import CauseRef
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import MemoryKind
from graphmem.entrypoints.graphql.app import create_app
from graphmem.tooling import neo4j
from graphmem.tooling.neo4j import RunningServer, ServerOptions
from graphmem.wiring import Services, build
from tests.contract.reading import Reader, at_once, found
from tests.integration.asking import (
    all_are_answered,
    all_are_refused,
    answer_or_refusal,
    begin,
    until_it_works,
)
from tests.neo4j_fixture import STARTING_S, Neo4jKit
from tests.services import failed, recorded, remembered
from tests.unit.entrypoints.graphql.door import Door

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(600)]

ROUNDS = 3
THREADS = 4
SMALL = ServerOptions(authentication=False, heap="256m", page_cache="16m", timeout_s=STARTING_S)
NS = "stream"
PLAIN = "plain"
"""Where successes go: no work is left after them, so that every revision is the one of a key."""
STORY = "story"
WARMING = "graphmem-neo4j-warm-up"


@dataclass
class Told:
    """Keys that were sent, and what was answered to those that were."""

    sent: set[str] = field(default_factory=set)
    done: dict[str, Written] = field(default_factory=dict)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder; its server is ended at the end."""
    place = tmp_path / "home"
    yield place
    neo4j.stop(place, force=True)


def write(services: Services, key: str) -> Written:
    """A failure, or for every other thread a success, and its edge to the fact that all share, under a key."""
    if place_of(key) == PLAIN:
        return recorded(services, key, PLAIN, key=key, caused_by=(CauseRef(id="F-1"),))
    return failed(services, key, NS, key=key, caused_by=(CauseRef(id="F-1"),))


def place_of(key: str) -> str:
    """The namespace that a thread writes its keys to."""
    _round, thread, _each = key.split("-")
    return PLAIN if int(thread) % 2 else NS


def write_until_killed(services: Services, server: RunningServer, number: int, after: int) -> Told:
    """Four threads write; the server is killed when so many writes were acknowledged; each thread meets it."""
    told = Told()

    def stream(thread: int) -> None:
        for each in count():
            key = f"{number}-{thread}-{each}"
            told.sent.add(key)
            answer = answer_or_refusal(lambda key=key: write(services, key))  # type: ignore[misc]
            if isinstance(answer, UnavailableError):
                assert answer.remedy
                return
            told.done[key] = answer

    with ThreadPoolExecutor(THREADS) as pool:
        streams = [pool.submit(stream, thread) for thread in range(THREADS)]
        while len(told.done) < after and not all(one.done() for one in streams):
            time.sleep(0.001)
        os.kill(server.pid, signal.SIGKILL)
    for one in streams:
        one.result()
    assert len(told.done) >= after
    return told


def is_answered_at_once(services: Services) -> None:
    """The first write after a start succeeds, without being sent again: the services warmed the server up."""
    for thread in enumerate_threads():
        if thread.name == WARMING:
            thread.join()
    remembered(services, "it is back", STORY)


def settle(services: Services, told: Told) -> int:
    """Send every key again: what was acknowledged is known, what was not is stored now or was; how many were."""
    keys = sorted(told.sent)
    answers = at_once(lambda nth: until_it_works(lambda: write(services, keys[nth])), len(keys), THREADS)
    again = dict(zip(keys, answers, strict=True))
    for key, written in told.done.items():
        assert not again[key].created
        assert (again[key].memory.id, again[key].revision) == (written.memory.id, written.revision)
    unknown = told.sent - told.done.keys()
    assert len(unknown) == THREADS
    return sum(not again[key].created for key in unknown)


def check_stored(services: Services, keys: set[str]) -> None:
    """Both namespaces hold their keys, once the worker has clustered what was written."""
    services.worker.stop()
    for place in (NS, PLAIN):
        check_place(services, place, {key for key in keys if place_of(key) == place})
    revisions = sorted(memory.revision for memory in found(services.store, PLAIN))
    assert revisions == list(range(1, services.store.state(PLAIN).revision + 1))
    services.worker.start()


def check_place(services: Services, place: str, keys: set[str]) -> None:
    """One memory and one edge a key, and digests that add up."""
    stored = Counter(item.text for item in found(services.store, place, kinds=(MemoryKind.EXPERIENCE,)))
    assert stored == Counter(keys)
    state = services.store.state(place)
    assert (state.counts["EXPERIENCE"], state.counts["CAUSED_BY"]) == (len(keys), len(keys))
    reader = Reader(services.store, place).catch_up()
    assert (reader.cursor.revision, reader.digest) == (state.revision, state.graph_digest)
    assert services.inspect.status(place).digest_matches


def test_a_server_that_is_killed_or_stopped_loses_nothing(neo4j_kit: Neo4jKit, home: Path) -> None:
    """Three kills and a stop; the services are put together once and never again."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance, keys = random.Random(seed), set[str]()
    server = neo4j_kit.start(home, SMALL)
    with (
        closing(build(Settings(store=server.bolt_uri, embedder="hash"))) as services,
        TestClient(create_app(services), base_url="http://127.0.0.1:8000") as client,
    ):
        door = Door(services, client)
        begin(services, STORY)
        for place in (NS, PLAIN):
            remembered(services, "the cause of all", place)
        for number in range(ROUNDS):
            told = write_until_killed(services, server, number, after=chance.randrange(20, 60))
            all_are_refused(services, STORY, door)
            server = neo4j_kit.start(home, SMALL)
            is_answered_at_once(services)
            kept = settle(services, told)
            keys |= told.sent
            check_stored(services, keys)
            print(
                f"round {number}: {len(told.done)} acknowledged, 0 lost, {kept} of {THREADS} unknown were stored"
            )
        neo4j.stop(home)
        all_are_refused(services, STORY, door)
        neo4j_kit.start(home, SMALL)
        all_are_answered(services, STORY, door)
        check_stored(services, keys)
