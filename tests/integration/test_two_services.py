"""Two services over one store, each with its worker: fifty failures at once are counted once, and all work ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from graphmem.domain.memories import Level, MemoryKind
from graphmem.ports.queries import PageRequest, Selection
from graphmem.queries import graphql_operation
from tests.contract.reading import at_once
from tests.integration.writers import open_store
from tests.lessons import FIX, PARSER
from tests.neo4j_fixture import Neo4jKit
from tests.receiver import Receiver, receiving

ROOT = Path(__file__).parents[2]
FAILURES = 50
PATIENCE_S = 150.0
"""How long a busy machine may take to come up, or to do what waits."""


class Service:
    """`graphmem serve` as a process of its own."""

    def __init__(self, store: str, webhook: str) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"
        variables = {name: value for name, value in os.environ.items() if not name.startswith("GRAPHMEM_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "graphmem", "serve", "--store", store, "--port", str(self.port)],
            cwd=ROOT,
            env=variables
            | {"GRAPHMEM_EMBEDDER": "hash", "GRAPHMEM_NAMESPACE": "fifty", "GRAPHMEM_WEBHOOK": webhook},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def ready(self) -> bool:
        """Whether it answers."""
        assert self.process.poll() is None
        try:
            with urlopen(f"{self.address}/readyz", timeout=30):
                return True
        except OSError:
            return False

    def ask(self, operation: str, **variables: Any) -> Any:
        """What an operation is answered, tried again with the same key while the store cannot answer."""
        body = json.dumps({"query": graphql_operation(operation), "variables": variables}).encode()
        request = Request(f"{self.address}/graphql", body, {"content-type": "application/json"})
        for _ in range(20):
            try:
                with urlopen(request, timeout=60) as answer:
                    return json.load(answer)["data"]
            except HTTPError as error:
                error.close()
                if error.code != 503:
                    raise
            except URLError:
                time.sleep(0.5)
        raise AssertionError("it did not answer")

    def stop(self) -> None:
        """Tell it to end, and see that it does."""
        self.process.terminate()
        self.process.wait(60)


def test_two_services_over_one_file_sqlite(tmp_path: Path) -> None:
    """The embedded store, shared by two services."""
    path = tmp_path / "shared.db"
    fifty_at_once(f"sqlite:///{path}", str(path))


@pytest.mark.neo4j
@pytest.mark.timeout(600)
def test_two_services_over_one_server_neo4j(neo4j_kit: Neo4jKit, tmp_path: Path) -> None:
    """A server of which both are clients. It is their own: a worker looks after all namespaces of a server."""
    with neo4j_kit.running(tmp_path / "home") as server:
        fifty_at_once(server.bolt_uri, server.bolt_uri)


def fifty_at_once(store: str, place: str) -> None:
    """One pattern of exactly fifty episodes, somebody was told of it, and nothing waits any more."""
    with receiving() as receiver, running(store, receiver) as services:
        told = at_once(lambda number: capture(services[number % 2], number), FAILURES, threads=8)
        assert sorted(item["ref"] for item in told) == sorted(f"E-{n + 1}" for n in range(FAILURES))
        until(lambda: services[0].ask("status")["status"]["pendingJobs"] == 0)
        (message,) = {message["type"] for message in receiver.messages}
        assert (message, len(set(receiver.ids()))) == ("pattern.high", 1)
    with closing(open_store(place)) as opened:
        selection = Selection(kinds=(MemoryKind.PATTERN,))
        (pattern,) = opened.find("fifty", selection, PageRequest()).items
        assert pattern.frequency == pattern.episodes == FAILURES  # type: ignore[attr-defined]
        assert pattern.level is Level.HIGH  # type: ignore[attr-defined]
        assert opened.state("fifty").pending_jobs == 0


@contextmanager
def running(store: str, receiver: Receiver) -> Iterator[list[Service]]:
    """Two services that are ready, and that end."""
    services = [Service(store, receiver.url) for _ in range(2)]
    try:
        for service in services:
            until(service.ready)
        yield services
    finally:
        for service in services:
            service.stop()


def capture(service: Service, number: int) -> Any:
    """The same mistake in another task."""
    given = {
        "key": f"k{number}",
        "taskType": "cleaning",
        "manifestation": PARSER,
        "correction": FIX,
        "taskId": f"t{number}",
    }
    return service.ask("capture_failure", input=given)["captureFailure"]


def until(done: Callable[[], bool]) -> None:
    """Wait for it."""
    end = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < end, "it did not come to its end"
        time.sleep(0.3)
