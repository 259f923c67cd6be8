"""The worker does what was left for later, in every namespace, and survives a store that is away."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import UnavailableError
from graphmem.services.work import Worker
from tests.failing_store import FailingStore
from tests.services import DOWN, FlakyEmbedder, opened, remembered


def test_missing_vectors_are_made_in_every_namespace(tmp_path: Path) -> None:
    embedder = FlakyEmbedder()
    with opened(tmp_path / "a.db", embedder=embedder) as services:
        embedder.broken = DOWN
        remembered(services, "one")
        remembered(services, "two", namespace="other")
        embedder.broken = None
        assert services.worker.round() == 2
        assert services.worker.round() == 0
        for namespace in ("main", "other"):
            assert services.inspect.status(namespace).without_vectors == 0


def test_a_store_that_is_away_is_left_for_later(tmp_path: Path) -> None:
    failing = FailingStore(SqliteStore(tmp_path / "a.db"))
    with opened(failing) as services:
        failing.arm(1)
        assert services.worker.round() == 0
        assert services.worker.round() == 0


def test_a_started_worker_works_until_it_is_stopped() -> None:
    seen = Event()

    class Store:
        def namespaces(self) -> list[str]:
            seen.set()
            raise UnavailableError("away")

    worker = Worker(Store(), None, None, None, None, None, interval_s=0.01)  # type: ignore[arg-type]
    worker.start()
    worker.start()
    assert seen.wait(10)
    worker.stop()
    worker.stop()
