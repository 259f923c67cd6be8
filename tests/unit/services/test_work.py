"""The worker does what was left where it waits, each namespace in its turn, and survives a store that is away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.records import JobKind
from graphmem.ports.changes import JobFinish
from graphmem.ports.queries import FreeJobs
from graphmem.services import work
from graphmem.services.work import LOOK_AGAIN, TURN, Worker
from tests.builders import Clock, changes, fact, job
from tests.contract.model_store import ModelStore
from tests.failing_store import FailingStore
from tests.services import DOWN, FlakyEmbedder, opened, remembered


class Log:
    """A worker over a model store, and where it worked and looked, in order. Jobs of `broken` raise an error.

    steps: both in one order, the jobs of each turn and 0 for a look.
    """

    def __init__(self, *, broken: str = "") -> None:
        self.store = FailingStore(ModelStore())  # type: ignore[arg-type]
        self.clock = Clock()
        self.turns: list[tuple[str, int]] = []
        self.looks: list[str] = []
        self.steps: list[int] = []
        self.broken = broken
        self.worker = Worker(self.store, {JobKind.EMBED: self._do}, self._look, self.clock, interval_s=9_000)

    def _do(self, namespace: str, limit: int) -> int:
        if namespace == self.broken:
            self.turns.append((namespace, 0))
            raise BadInputError("no", field="x", remedy="y")
        done = 0
        for done in range(limit + 1):
            now = self.clock()
            held = self.store.claim(namespace, JobKind.EMBED, "w", now, LOOK_AGAIN) if done < limit else None
            if held is None:
                break
            self.store.apply(changes(namespace=namespace, finish=JobFinish.of(held)))
        self.turns.append((namespace, done))
        self.steps.append(done)
        return done

    def _look(self, namespace: str) -> int:
        self.looks.append(namespace)
        self.steps.append(0)
        return 0

    def fill(self, jobs: Mapping[str, int]) -> None:
        """Write a fact and so many jobs into each namespace."""
        for name, count in jobs.items():
            self.store.apply(
                changes(fact(namespace=name), jobs=tuple(job(JobKind.EMBED) for _ in range(count)))
            )

    def round(self) -> Counter[str]:
        """What a round asks of the store, by the name of the call."""
        self.store.calls.clear()
        self.worker.round()
        return Counter(self.store.calls)


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


@pytest.mark.parametrize("idle", [0, 500])
def test_namespaces_without_work_cost_nothing(idle: int) -> None:
    """What a round asks is the same beside none and beside five hundred that nobody writes to."""
    log = Log()
    log.fill({f"idle {number}": 0 for number in range(idle)} | {"busy": 0})
    log.round()
    assert len(log.looks) == idle + 1
    assert log.round() == {"namespaces": 2}
    log.fill({"busy": 3})
    assert log.round() == {"namespaces": 2, "claim": 4, "apply": 3}
    assert log.turns == [("busy", 3)]
    assert log.looks[idle + 1 :] == ["busy"]


@pytest.mark.parametrize("idle", [0, 40])
def test_the_real_chores_of_a_quiet_namespace_cost_nothing(tmp_path: Path, idle: int) -> None:
    """The same over the whole service: nothing is claimed, read or written where nothing happened."""
    store = FailingStore(SqliteStore(tmp_path / "a.db"))
    with opened(store) as services:
        for number in range(idle):
            remembered(services, "a fact", namespace=f"idle {number}")
        services.worker.round()
        store.calls.clear()
        services.worker.round()
        assert Counter(store.calls) == {"namespaces": 2}


def test_work_comes_before_looks() -> None:
    """However many namespaces are new to the worker, a job waits for none of them."""
    log = Log()
    log.fill({f"a{number}": 0 for number in range(300)} | {"z": 1})
    before = len(log.store.calls)
    log.worker.round()
    assert log.turns == [("z", 1)]
    assert log.store.calls[before : before + 4] == ["namespaces", "claim", "apply", "claim"]


def test_a_long_backlog_does_not_keep_looks_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many jobs one look has its turn; in the end each namespace was looked at once."""
    monkeypatch.setattr(work, "LOOK_EVERY", 5 * TURN)
    log = Log()
    log.fill({f"{number:02}": TURN for number in range(30)})
    log.worker.round()
    looks = [number for number, jobs in enumerate(log.steps) if not jobs]
    before = [sum(log.steps[:number]) // TURN for number in looks]
    assert before == [5, 10, 15, 20, 25, *[30] * 25]
    assert sorted(log.looks) == sorted(name for name, _ in log.turns)


def test_one_whose_jobs_fail_keeps_no_look_waiting() -> None:
    log = Log(broken="b")
    log.fill({"a": 1, "b": 1, "c": 1})
    log.worker.round()
    assert log.looks == ["a", "b", "c"]


def test_each_namespace_has_its_turn() -> None:
    """One with a long backlog does a turn of it, then the others have theirs."""
    log = Log()
    log.fill({"a": 3 * TURN, "b": 1, "c": TURN + 1})
    for _ in range(3):
        log.worker.round()
    assert log.turns == [("a", TURN), ("b", 1), ("c", TURN), ("a", TURN), ("c", 1), ("a", TURN)]


@pytest.mark.parametrize("broken", ["a", "b", "c"])
def test_one_that_fails_keeps_nobody_waiting(broken: str) -> None:
    """Its error ends the turns of the round, and those of the next one begin after it."""
    log = Log(broken=broken)
    log.fill({"a": 1, "b": 1, "c": 1})
    for _ in range(2):
        log.worker.round()
    assert sorted(name for name, done in log.turns if done) == sorted({"a", "b", "c"} - {broken})
    log.worker.round()
    assert log.worker.round() == 0
    assert set(log.looks) <= {"a", "b", "c"}


def test_a_quiet_namespace_is_looked_after_again_in_an_hour() -> None:
    log = Log()
    log.fill({"a": 0, "b": 0})
    log.worker.round()
    log.worker.round()
    assert log.looks == ["a", "b"]
    log.fill({"b": 0})
    log.worker.round()
    assert log.looks == ["a", "b", "b"]
    log.clock.now += LOOK_AGAIN
    log.worker.round()
    assert sorted(log.looks) == ["a", "a", "b", "b", "b"]


def test_a_store_that_is_away_is_left_for_later(tmp_path: Path) -> None:
    failing = FailingStore(SqliteStore(tmp_path / "a.db"))
    with opened(failing) as services:
        failing.arm(1)
        assert services.worker.round() == 0
        assert services.worker.round() == 0


def test_a_started_worker_works_until_it_is_stopped() -> None:
    seen = Event()

    class Store:
        def namespaces(self, free: FreeJobs) -> dict[str, int]:
            seen.set()
            raise UnavailableError("away")

    worker = Worker(Store(), {}, lambda _: 0, Clock(), interval_s=0.01)  # type: ignore[arg-type]
    worker.start()
    worker.start()
    assert seen.wait(10)
    worker.stop()
    worker.stop()


def test_what_nobody_foresaw_ends_no_work_of_others(caplog: pytest.LogCaptureFixture) -> None:
    log, done = Log(), Event()

    def do(namespace: str, limit: int) -> int:
        if namespace == "a":
            raise KeyError("a text from a memory")
        done.set()
        return 0

    log.fill({"a": 1, "b": 1})
    worker = Worker(log.store, {JobKind.EMBED: do}, log._look, log.clock, interval_s=0.01)  # type: ignore[arg-type]
    worker.start()
    assert done.wait(10)
    worker.stop()
    assert caplog.messages[0].startswith("worker failed: KeyError at ")
    assert "a text from" not in caplog.text
