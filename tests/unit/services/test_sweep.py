"""The sweep: tiers by age and pattern, nothing lost, old notes dropped, and safe to stop anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Experience, Level, Result, State, Tier
from graphmem.domain.records import RecordKind
from graphmem.domain.tiers import Swept
from graphmem.ports.queries import PageRequest, RecordSelection, Selection
from graphmem.services import sweep
from graphmem.wiring import Services
from tests.builders import NS, T0, Clock, Ids, changed, changes, experience, failure, generalizes, pattern
from tests.failing_store import FailingStore
from tests.services import asked, opened, recorded, state

DAY = timedelta(days=1)


class Calendar(Clock):
    """A clock that can be turned forward."""

    def pass_days(self, days: float) -> None:
        self.now += days * DAY


@pytest.fixture
def clock() -> Calendar:
    return Calendar(T0)


@pytest.fixture
def memory(path: Path, clock: Calendar) -> Iterator[Services]:
    with opened(path, clock=clock, words_only=True) as made:
        yield made


new_id = Ids(seed=77)


def aged(services: Services, days: float, **fields: Any) -> str:
    """An experience recorded so many days before T0; its id."""
    at = T0 - days * DAY
    made = experience(**({"id": new_id(), "recorded_at": at, "occurred_at": at} | fields))
    services.store.apply(changes(made))
    return made.id


def taught(services: Services, days: float, episodes: int, *, tight: bool = False) -> list[str]:
    """A pattern over failures of so many tasks, the first the oldest; their ids."""
    at = T0 - days * DAY
    members = [
        failure(
            f"clean {n}", id=new_id(), task_id=f"{days} {n}", recorded_at=at + n * DAY / 100, occurred_at=at
        )
        for n in range(episodes)
    ]
    lesson = pattern("look first", id=new_id(), recorded_at=at, occurred_at=at)
    edges = tuple(generalizes(lesson, member) for member in members)
    services.store.apply(changes(lesson, *members, edges=edges, tight={lesson.id: tight}))
    return [member.id for member in members]


def tiers(services: Services) -> dict[str, Tier]:
    found = services.store.find(NS, Selection(), PageRequest(first=500)).items
    return {one.id: one.tier for one in found if isinstance(one, Experience)}


def swept(services: Services, **given: Any) -> Swept:
    return services.sweep.sweep(NS, **given)


def test_tiers_follow_age(memory: Services) -> None:
    ids = {days: aged(memory, days) for days in (0, 6, 8, 29, 31, 400)}
    found = swept(memory)
    assert [tiers(memory)[name].value for name in ids.values()] == [
        "HOT",
        "HOT",
        "WARM",
        "WARM",
        "COLD",
        "COLD",
    ]
    assert (found.experiences, found.moved, found.left) == (6, 4, 0)
    assert dict(found.before) == {Tier.HOT: 6}
    assert dict(found.after) == {Tier.HOT: 2, Tier.WARM: 2, Tier.COLD: 2}


def test_a_pattern_keeps_those_by_which_it_speaks(memory: Services) -> None:
    """Seven episodes: the latest five stay searched while the pattern is young; old ones only under a high pattern."""
    young, medium, high = taught(memory, 10, 7), taught(memory, 40, 7), taught(memory, 50, 7, tight=True)
    swept(memory)
    found = tiers(memory)
    assert [found[name].value for name in young] == ["COLD"] * 2 + ["WARM"] * 5
    assert [found[name].value for name in medium] == ["COLD"] * 7
    assert [found[name].value for name in high] == ["COLD"] * 2 + ["WARM"] * 5


def test_one_episode_speaks_once(memory: Services) -> None:
    """A retry storm takes one of the five places."""
    at = T0 - 10 * DAY
    made = [
        failure("x", id=new_id(), task_id=f"t{min(n, 3)}", recorded_at=at + n * DAY / 100) for n in range(9)
    ]
    lesson = pattern("look", id=new_id())
    memory.store.apply(changes(lesson, *made, edges=tuple(generalizes(lesson, one) for one in made)))
    swept(memory)
    assert sum(tier is Tier.WARM for tier in tiers(memory).values()) == 4


def test_what_is_not_a_pattern_yet_or_any_more_covers_nothing(memory: Services) -> None:
    two = taught(memory, 10, 2)
    three = taught(memory, 11, 6)
    held = memory.store.find(NS, Selection(), PageRequest(first=100)).items
    (gone,) = (one for one in held if getattr(one, "level", None) is Level.MEDIUM)
    memory.store.apply(changes(update=(changed(gone, state=State.RETRACTED),)))
    swept(memory)
    assert {tiers(memory)[name] for name in (*two, *three)} == {Tier.WARM}


def test_a_process_that_has_no_index_loads_none(memory: Services, path: Path, clock: Calendar) -> None:
    """What is to be moved is seen from the graph alone, and is the same as with an index."""
    taught(memory, 10, 7)
    taught(memory, 50, 7, tight=True)
    lost = aged(memory, 40)
    memory.forget.forget(NS, lost)
    planned = swept(memory, dry_run=True)
    assert planned.moved > 0
    assert not memory.sweep._indexes.holds(NS)
    asked(memory, "clean")
    assert memory.sweep._indexes.holds(NS)
    assert swept(memory, dry_run=True) == planned


def test_what_was_said_lately_is_hot_again(memory: Services, clock: Calendar) -> None:
    """An archived mistake that is about to be repeated is said, and searched again from then on."""
    old = aged(memory, 60, action="clean the rows", context="rows = []", result=Result.FAILURE)
    swept(memory)
    assert tiers(memory)[old] is Tier.COLD
    (reminder,) = asked(memory, "clean the rows\nrows = []", session_id="s").reminders
    assert reminder.subject.id == old
    assert swept(memory).moved == 1
    assert tiers(memory)[old] is Tier.HOT
    clock.pass_days(31)
    swept(memory)
    assert tiers(memory)[old] is Tier.COLD


def test_tiers_bound_the_default_search_and_nothing_is_lost(memory: Services) -> None:
    old = aged(memory, 60, action="clean the rows of march", result=Result.FAILURE)
    before = memory.browse.memory(NS, old)
    swept(memory)
    assert asked(memory, "clean the rows").errors == ()
    (hit,) = asked(memory, "clean the rows", include_archived=True).errors
    assert hit.memory.id == old
    (same,) = asked(memory, "clean the rows of march").errors
    assert same.why == "the very same situation, archived"
    after = memory.browse.memory(NS, old)
    assert isinstance(after, Experience)
    assert (after.text, after.ref, after.recorded_at) == (before.text, before.ref, before.recorded_at)
    assert memory.store.records(NS, RecordKind.VERSION, RecordSelection(), PageRequest()).items == ()


def test_a_dry_run_only_tells_and_a_second_sweep_changes_nothing(memory: Services) -> None:
    """Bug case 25."""
    for days in range(5, 41):
        aged(memory, days, action=f"step {days}")
    texts = memory.transfer.export(NS)
    words = sorted(line for line in texts if "action" in line)
    before = state(memory)
    planned = swept(memory, dry_run=True)
    assert (planned.dry_run, state(memory)) == (True, before)
    done = swept(memory)
    assert (done.moved, done.after) == (planned.moved, planned.after)
    settled = state(memory)
    again = swept(memory)
    assert (again.moved, again.before, state(memory)) == (0, done.after, settled)
    assert len([line for line in memory.transfer.export(NS) if "action" in line]) == len(words) == 36


def test_a_sweep_that_is_stopped_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch is whole; the next sweep does the rest."""
    monkeypatch.setattr(sweep, "BATCH", 3)
    failing = FailingStore(SqliteStore(path))
    with opened(failing, clock=Clock(T0), words_only=True) as services:
        for _ in range(8):
            aged(services, 50)
        applied: list[int] = []
        whole = failing.apply

        def apply(given: Any) -> Any:
            if len(applied) == 1:
                raise UnavailableError("killed")
            applied.append(len(given.update))
            return whole(given)

        monkeypatch.setattr(failing, "apply", apply)
        with pytest.raises(UnavailableError):
            swept(services)
        assert sum(tier is Tier.COLD for tier in tiers(services).values()) == 3
        monkeypatch.setattr(failing, "apply", whole)
        assert swept(services).moved == 5
        assert set(tiers(services).values()) == {Tier.COLD}


def test_what_changes_meanwhile_is_left_for_the_next_sweep(
    memory: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = aged(memory, 50)
    read = memory.store.get

    def overtaken(namespace: str, ids: Any) -> Any:
        found = read(namespace, ids)
        memory.store.apply(changes(update=(changed(found[name], correction="new"),)))
        return found

    monkeypatch.setattr(memory.store, "get", overtaken)
    assert (swept(memory).left, tiers(memory)[name]) == (1, Tier.HOT)
    monkeypatch.setattr(memory.store, "get", read)
    assert (swept(memory).moved, swept(memory).moved) == (1, 0)
    after = memory.browse.memory(NS, name)
    assert isinstance(after, Experience)
    assert (after.tier, after.correction) == (Tier.COLD, "new")


def test_old_notes_leave_and_what_is_measured_stays(path: Path, clock: Calendar) -> None:
    with opened(path, clock=clock, words_only=True) as services:
        recorded(
            services, "clean the rows", context="rows = []", result=Result.FAILURE, tool="t", task_id="one"
        )
        asked(services, "clean the rows\nrows = []", session_id="said")
        asked(services, "wash the rows of april and of may, rows = {1, 2}", session_id="listed")
        services.sessions.end(NS, "said")
        services.sessions.end(NS, "listed")
        kept = services.measure.recurrence(NS).shown.exposures
        assert kept == 2
        assert (swept(services).served, swept(services).exposures) == (0, 0)
        clock.pass_days(31)
        first = swept(services)
        assert (first.served, first.exposures) == (2, 0)
        assert services.measure.recurrence(NS).shown.exposures == 2
        clock.pass_days(365)
        planned = swept(services, dry_run=True)
        last = swept(services)
        assert (planned.exposures, last.exposures) == (2, 2)
        left = services.store.records(NS, RecordKind.EXPOSURE, RecordSelection(), PageRequest()).items
        assert sorted(record.body["session_id"] for record in left) == ["said", "said"]
        assert services.measure.recurrence(NS).shown.exposures == 1
        assert swept(services).exposures == 0


def test_it_is_due_once_a_day(memory: Services, clock: Calendar) -> None:
    assert memory.sweep.is_due(NS)
    swept(memory, dry_run=True)
    assert memory.sweep.is_due(NS)
    swept(memory)
    assert not memory.sweep.is_due(NS)
    clock.pass_days(1)
    assert memory.sweep.is_due(NS)


def test_the_worker_sweeps(memory: Services) -> None:
    name = aged(memory, 50)
    memory.worker.round()
    assert tiers(memory)[name] is Tier.COLD
