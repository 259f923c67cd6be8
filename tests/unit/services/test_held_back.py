"""However an import ends, the failures that it wrote come into clusters, and nobody looks at them by halves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import UnavailableError
from graphmem.domain.records import JobKind
from graphmem.services import transfer
from graphmem.services.regroup import LEASE
from graphmem.wiring import Services
from tests.builders import NS, Clock, at
from tests.failing_store import FailingStore
from tests.lessons import broke
from tests.services import opened, services_over
from tests.unit.services.test_transfer import failures

_T = TypeVar("_T")
LATER = at(1_000)
"""When the lease of whoever was killed has run out."""


class DyingStore(FailingStore):
    """From one call on, every call fails: as for a process that is killed then."""

    def _call(self, name: str, call: Callable[[], _T]) -> _T:
        if self.failed:
            raise UnavailableError("killed before")
        return super()._call(name, call)


@pytest.fixture
def exported(tmp_path: Path) -> list[str]:
    """Three alike failures, each in an action of its own."""
    with opened(tmp_path / "source.db", seed=9) as services:
        for number in range(3):
            broke(services, number)
        services.assign.pending(NS)
        return list(services.transfer.export(NS))


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BATCH", 1)


def store_at(path: Path) -> SqliteStore:
    """A store with an empty namespace."""
    store = SqliteStore(path)
    store.migrate()
    return store


def clustered(services: Services) -> list[str]:
    """The clusters of all failures, once the worker has done what waits."""
    while services.assign.pending(NS):
        pass
    assert services.store.state(NS).pending_jobs == 0
    return [memory.cluster_id for memory in failures(services, NS)]


def calls_of(path: Path, lines: list[str]) -> int:
    """How many calls of the store the import makes until the job is taken up."""
    store = FailingStore(store_at(path))
    with opened(store) as services:
        before = len(store.calls)
        services.transfer.import_lines(NS, lines)
        return store.calls.index("claim") + 1 - before


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kind", [FailingStore, DyingStore])
def test_an_import_that_ends_early_leaves_no_failure_that_nobody_looks_at(
    tmp_path: Path, exported: list[str], kind: type[FailingStore], after: bool
) -> None:
    for number in range(1, calls_of(tmp_path / "count.db", exported) + 1):
        store = store_at(tmp_path / f"{number}.db")
        dying = kind(store)
        services = services_over(dying)
        dying.arm(number, after=after)
        with suppress(UnavailableError):
            services.transfer.import_lines(NS, exported)
        with opened(store, clock=Clock(LATER), seed=1) as later:
            found = clustered(later)
            assert len(found) < 2 or len(set(found) - {""}) == 1
            later.reflect.reflect(NS)
            assert [memory.cluster_id for memory in failures(later, NS)] == found
            later.transfer.import_lines(NS, exported)
            assert len(set(clustered(later)) - {""}) == 1
            assert len(failures(later, NS)) == 3


def test_while_it_writes_nobody_makes_clusters_of_the_half(tmp_path: Path, exported: list[str]) -> None:
    store = store_at(tmp_path / "a.db")
    with opened(store) as services:
        seen: list[object] = []
        apply = store.apply

        def looked(changes: object) -> object:
            if seen:
                seen.append(store.claim(NS, JobKind.ASSIGN, "another", at(0), LEASE))
            done = apply(changes)  # type: ignore[arg-type]
            seen.append(store.state(NS).pending_jobs)
            return done

        store.apply = looked  # type: ignore[assignment, method-assign]
        services.transfer.import_lines(NS, exported)
        assert set(seen[:-2]) == {None, 1}


def test_what_was_taken_over_meanwhile_is_asked_for_anew(tmp_path: Path, exported: list[str]) -> None:
    """The lease ran out between two batches: who took the job saw the first of them only."""
    store = store_at(tmp_path / "a.db")
    with opened(store) as services, opened(store, clock=Clock(LATER), seed=1) as other:
        done = 0
        receipt = store.receipt

        def stalled(namespace: str, key: str) -> object:
            nonlocal done
            if failures(other, NS):
                done += other.assign.pending(NS)
            return receipt(namespace, key)

        store.receipt = stalled  # type: ignore[assignment, method-assign]
        services.transfer.import_lines(NS, exported)
        assert done == 3
        assert len(set(clustered(services)) - {""}) == 1
