"""Work that was tried too often is counted and said, and tried again when somebody asks for it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from graphmem.domain.memories import AnalysisState, Experience
from graphmem.domain.records import Job, JobKind, JobState, RecordKind
from graphmem.ports.changes import Changes, JobFinish
from graphmem.ports.listing import job_of
from graphmem.services import analyse
from graphmem.services.giving_up import count_given_up, findings, given_up
from graphmem.wiring import Services
from tests.analyses import TASKS, claimed, submitted
from tests.builders import NS, Clock, changes, job
from tests.contract.reading import records_of
from tests.services import failed, state


def poison(services: Services, clock: Clock, task: str = "task") -> None:
    """A failure whose analysis is given up."""
    failed(services, task)
    for number in range(analyse.POISONED + 1):
        services.analyse.claim(NS, f"w{number}", 1)
        clock.now += 2 * analyse.LEASE


def ended(services: Services, kind: JobKind, clock: Clock, namespace: str = NS) -> Job:
    """A job of a kind that was given up."""
    services.store.apply(changes(namespace=namespace, jobs=(job(kind),)))
    held = services.store.claim(namespace, kind, "w", clock(), timedelta(minutes=1))
    assert held is not None
    services.store.apply(changes(namespace=namespace, finish=JobFinish.of(held, JobState.FAILED)))
    return held


def wrong(services: Services) -> list[tuple[str, str]]:
    """What the doctor finds out of order, and what to do."""
    found = services.inspect.doctor(NS, None, services.recall)
    return [(item.what, item.remedy) for item in found if not item.ok]


def test_status_counts_what_was_given_up_by_kind(services: Services, clock: Clock) -> None:
    poison(services, clock)
    assert services.inspect.status(NS).failed_jobs == {"ANALYSE": 1}
    for kind in (JobKind.NOTIFY, JobKind.NOTIFY, JobKind.ASSIGN):
        ended(services, kind, clock)
    ended(services, JobKind.NOTIFY, clock, "other")
    found = services.inspect.status(NS)
    assert found.failed_jobs == {"ANALYSE": 1, "ASSIGN": 1, "NOTIFY": 2}
    assert (found.pending_jobs, found.pending_analyses) == (0, 0)


def test_the_doctor_says_what_to_do(services: Services, clock: Clock) -> None:
    failed(services, "task")
    assert wrong(services) == []
    ended(services, JobKind.NOTIFY, clock)
    ((what, remedy),) = wrong(services)
    assert what == "1 NOTIFY given up"
    assert "GRAPHMEM_WEBHOOK" in remedy
    assert "--repair" in remedy


@pytest.mark.parametrize("kind", JobKind)
def test_every_kind_has_a_remedy(kind: JobKind) -> None:
    (said,) = findings({kind: 3})
    assert (said.ok, said.what) == (False, f"3 {kind} given up")
    assert "graphmem doctor --repair" in said.remedy


def test_what_was_given_up_can_be_tried_again(services: Services, clock: Clock) -> None:
    """As if for the first time: the failure waits again, and can be claimed as often as before."""
    poison(services, clock, TASKS[0])
    notice = ended(services, JobKind.NOTIFY, clock)
    assert services.repair.revive(NS) == 2
    assert wrong(services) == []
    memory = services.browse.memory(NS, "E-1")
    assert isinstance(memory, Experience)
    assert memory.analysis is AnalysisState.PENDING
    for number in range(analyse.POISONED):
        assert claimed(services, f"again{number}").subject.ref == "E-1"
        clock.now += 2 * analyse.LEASE
    assert services.analyse.claim(NS, "once too often") == ()
    assert services.repair.revive(NS) == 1
    assert submitted(services, claimed(services)).analysis is AnalysisState.DONE
    (left,) = map(job_of, records_of(services.store, RecordKind.JOB))
    assert (left.id, left.state, left.attempt) == (notice.id, JobState.PENDING, 0)


def test_where_nothing_was_given_up_nothing_is_written(services: Services) -> None:
    failed(services, "task")
    before = state(services)
    assert services.repair.revive(NS) == 0
    assert state(services) == before
    assert services.repair.revive("nobody") == 0


def test_what_somebody_is_at_by_then_is_left(
    services: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another repair had it tried again, and a worker took it."""
    ended(services, JobKind.NOTIFY, clock)
    apply = services.store.apply

    def after_another(given: Changes) -> Any:
        monkeypatch.setattr(services.store, "apply", apply)
        services.repair.revive(NS)
        services.store.claim(NS, JobKind.NOTIFY, "w", clock(), timedelta(minutes=1))
        return apply(given)

    monkeypatch.setattr(services.store, "apply", after_another)
    assert services.repair.revive(NS) == 0
    assert [item.body["state"] for item in records_of(services.store, RecordKind.JOB)] == ["RUNNING"]


def test_a_forgotten_failure_leaves_nothing_to_try(services: Services, clock: Clock) -> None:
    poison(services, clock)
    services.forget.forget(NS, "E-1")
    assert (list(given_up(services.store, NS)), count_given_up(services.store, NS)) == ([], {})
