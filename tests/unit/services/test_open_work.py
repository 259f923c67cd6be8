"""Whatever answers what an analyst was to be asked, or takes it out of use, ends the work in the same action."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import StaleError, UnavailableError
from graphmem.domain.memories import AnalysisState, Experience
from graphmem.domain.records import RecordKind
from graphmem.services import analyse
from graphmem.wiring import Services
from tests.analyses import CAUSE, LESSON, answer, claimed, left, waiting
from tests.builders import NS, Clock
from tests.contract.reading import records_of
from tests.failing_store import FailingStore
from tests.lessons import broke, by_hand
from tests.services import failed, refusal


def jobs(services: Services) -> list[str]:
    """What is kept of jobs, by subject."""
    services.assign.pending(NS)
    refs = [
        services.browse.memory(NS, item.subject).ref for item in records_of(services.store, RecordKind.JOB)
    ]
    return sorted(refs)


def test_a_root_cause_from_a_caller_ends_the_work(services: Services) -> None:
    failed(services, "bake bread")
    failed(services, "plant an oak")
    changed = services.revise.update(NS, MemoryUpdate(id="E-1", root_cause=CAUSE))
    assert isinstance(changed, Experience)
    assert changed.analysis is AnalysisState.DONE
    assert (waiting(services), left(services), jobs(services)) == (["E-2"], (0, 1), ["E-2"])


def test_other_words_leave_the_work(services: Services) -> None:
    failed(services, "bake bread")
    services.revise.update(NS, MemoryUpdate(id="E-1", correction="knead it", add_tags=("kitchen",)))
    assert (waiting(services), left(services)) == (["E-1"], (0, 1))


def test_a_lesson_from_a_caller_ends_the_work(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    assert left(services) == (0, 4)
    services.revise.update(NS, MemoryUpdate(id="P-1", text=LESSON))
    assert (waiting(services), left(services)) == (["E-1", "E-2", "E-3"], (0, 3))


def test_who_is_at_it_finds_the_work_gone(services: Services) -> None:
    """What a caller says stands, and the analyst is told."""
    failed(services, "bake bread")
    held = claimed(services)
    services.revise.update(NS, MemoryUpdate(id="E-1", root_cause=replace(CAUSE, summary="no yeast")))
    assert (left(services), jobs(services)) == ((0, 0), [])
    lost = refusal(lambda: services.analyse.submit(NS, answer(held)), services)
    assert (type(lost), lost.field) == (StaleError, "work_id")
    kept = services.browse.memory(NS, "E-1")
    assert isinstance(kept, Experience)
    assert kept.root_cause is not None
    assert kept.root_cause.summary == "no yeast"


def test_work_that_was_given_up_ends_as_well(services: Services, clock: Clock) -> None:
    failed(services, "bake bread")
    for _ in range(analyse.POISONED + 1):
        services.analyse.claim(NS, "nobody")
        clock.now += analyse.LEASE + timedelta(seconds=1)
    services.revise.update(NS, MemoryUpdate(id="E-1", add_tags=("kitchen",)))
    assert jobs(services) == ["E-1"]
    changed = services.revise.update(NS, MemoryUpdate(id="E-1", root_cause=CAUSE))
    assert isinstance(changed, Experience)
    assert (changed.analysis, jobs(services)) == (AnalysisState.DONE, [])
    assert services.inspect.status(NS).failed_jobs == {}


def test_a_pattern_that_goes_into_another_leaves_no_work(services: Services) -> None:
    """Nor does the one that takes over somebody's words."""
    for number in range(3):
        broke(services, number)
    by_hand(services, "Something else altogether", "E-1", "E-2", "E-3")
    services.revise.update(NS, MemoryUpdate(id="P-2", text=LESSON))
    assert services.reflect.reflect(NS).merged == 1
    assert services.browse.memory(NS, "P-1").text == LESSON
    assert (waiting(services), left(services)) == (["E-1", "E-2", "E-3"], (0, 3))


def test_forgetting_ends_the_work(services: Services) -> None:
    failed(services, "bake bread")
    services.forget.forget(NS, "E-1")
    assert (waiting(services), left(services)) == ([], (0, 0))


@pytest.mark.parametrize("after", [False, True])
def test_a_change_that_broke_off_is_whole_or_not_there(services: Services, after: bool) -> None:
    """The words and the end of the work are one transaction."""
    failed(services, "bake bread")
    store = FailingStore(services.store)
    services.revise._store = store
    store.arm(3, after=after)
    with pytest.raises(UnavailableError):
        services.revise.update(NS, MemoryUpdate(id="E-1", root_cause=CAUSE))
    assert store.calls[-1] == "apply"
    memory = services.browse.memory(NS, "E-1")
    assert isinstance(memory, Experience)
    assert (bool(memory.root_cause), left(services)[1]) == ((True, 0) if after else (False, 1))
