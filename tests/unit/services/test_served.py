"""What a session gets and what is noted of it: shown or withheld, without a store call in the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import Strength
from graphmem.domain.drafts import Question
from graphmem.domain.gate import FEATURES
from graphmem.domain.memories import MemoryKind
from graphmem.domain.recurrence import exposure_id, withheld
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services
from tests.builders import NS, at, bare, changed, changes, failure, generalizes, pattern, strategy
from tests.failing_store import FailingStore
from tests.services import (
    asked,
    because,
    exposures,
    failed,
    listed,
    opened,
    recorded,
    remembered,
    served,
    state,
)


@pytest.fixture
def halved(path: Path) -> Iterator[Services]:
    """Services that withhold half of what they would list."""
    with opened(path, holdout=0.5) as made:
        yield made


def session(lineage: str, hidden: bool, number: int = 0) -> str:
    """The first session from which the coin withholds a lineage, or to which it shows it."""
    names = (f"s{n}" for n in range(number, 10_000))
    return next(name for name in names if withheld("graphmem", name, lineage, 0.5) is hidden)


def clustered(services: Services, *actions: str) -> None:
    """Failures of one cluster under a pattern with a strategy."""
    members = [failure(action, cluster_id="c1") for action in actions]
    lesson, guidance = pattern("empty the cache first"), strategy("look at the cache")
    edges = (*(generalizes(lesson, member) for member in members), generalizes(guidance, lesson))
    services.store.apply(changes(*members, lesson, guidance, edges=edges))


def test_without_a_session_nothing_is_noted(halved: Services) -> None:
    failed(halved, "copy the disk")
    before = state(halved)
    (reminder,) = asked(halved, "copy the disk").reminders
    halved.notebook.flush()
    assert (reminder.exposure_id, state(halved)) == ("", before)


def test_what_is_listed_to_a_session_is_an_exposure(services: Services) -> None:
    memory = failed(services, "copy the disk", error_type="Full").memory
    other = failed(services, "format the disk", error_type="Locked").memory
    found = asked(services, "copy the disk", session_id="s", task_id="t")
    warned, background = sorted(exposures(services), key=lambda item: item.strength is Strength.BACKGROUND)
    assert found.reminders[0].exposure_id == warned.id == exposure_id("s", memory.id)
    assert (warned.lineage, warned.memory_id, warned.task_id) == (memory.id, memory.id, "t")
    assert (warned.strength, warned.said_at, warned.shown) == (Strength.REMIND, warned.at, True)
    assert (background.lineage, background.said_at, background.rate) == (other.id, None, 0.0)
    assert warned.look is not None
    assert background.look is None
    assert (warned.look.memory_id, warned.look.version) == (memory.id, FEATURES)
    assert warned.look.evidence.relevance == pytest.approx(found.errors[0].relevance, abs=1e-6)


def test_noting_moves_no_revision(services: Services) -> None:
    failed(services, "copy the disk")
    before = state(services)
    asked(services, "copy the disk", session_id="s")
    services.notebook.flush()
    assert state(services).revision == before.revision
    assert state(services).graph_digest == before.graph_digest


def test_a_cluster_is_one_lineage_with_its_pattern_and_strategy(services: Services) -> None:
    clustered(services, "read the cache", "write the cache")
    asked(services, "the cache", session_id="s")
    (exposure,) = exposures(services)
    assert exposure.lineage == "c1"


def test_a_withheld_lineage_is_nowhere_in_the_answer(halved: Services) -> None:
    clustered(halved, "read the cache", "write the cache")
    recorded(halved, "drop the cache")
    remembered(halved, "the cache is small")
    shown = asked(halved, "read the cache", session_id=session("c1", False))
    hidden = asked(halved, "read the cache", session_id=session("c1", True))
    assert (len(shown.errors), len(shown.patterns), len(shown.strategies), len(shown.reminders)) == (
        2,
        1,
        1,
        1,
    )
    assert (hidden.errors, hidden.patterns, hidden.strategies, hidden.reminders) == ((), (), (), ())
    assert (hidden.facts, hidden.worked) == (shown.facts, shown.worked)
    assert "write the cache" not in prompt_text(hidden)
    assert [item.shown for item in exposures(halved)] == [True, False]
    assert {item.strength for item in exposures(halved)} == {Strength.REMIND}


def test_no_place_is_refilled(halved: Services) -> None:
    """Three failures are listed of five; the best is withheld, and none of the others comes in."""
    for number in range(5):
        failed(halved, f"copy the disk {number}", tool=f"tool{number}", error_type=f"Fault{'abcde'[number]}")
    whole = [hit.memory.id for hit in asked(halved, "copy the disk").errors]
    chosen = session(whole[0], True)
    found = asked(halved, "copy the disk", session_id=chosen)
    left = [name for name in whole if not withheld("graphmem", chosen, name, 0.5)]
    assert len(left) < len(whole) == 3
    assert [hit.memory.id for hit in found.errors] == left


def test_direct_reads_are_untouched(halved: Services) -> None:
    memory = failed(halved, "copy the disk").memory
    asked(halved, "copy the disk", session_id=session(memory.id, True))
    assert halved.browse.memory(NS, memory.ref) == memory


def test_failures_beside_a_fact_are_withheld_as_well(halved: Services) -> None:
    fact = remembered(halved, "the disk is at /mnt/a")
    memory = failed(halved, "copy", caused_by=because(fact)).memory
    for hidden in (False, True):
        found = asked(halved, "the disk is at /mnt/a", session_id=session(memory.id, hidden))
        assert found.facts[0].failed_here == (() if hidden else (bare(memory),))
    assert [item.shown for item in exposures(halved)] == [True, False]


def test_the_coin_falls_alike_for_each_question_of_a_session(halved: Services) -> None:
    memory = failed(halved, "copy the disk").memory
    name = session(memory.id, True)
    for _ in range(3):
        assert asked(halved, "copy the disk", session_id=name).errors == ()
    assert len(exposures(halved)) == 1


def test_an_exposure_keeps_its_first_time_and_its_strongest_way(services: Services) -> None:
    failed(services, "copy the disk to the archive")
    asked(services, "look at the disk", session_id="s")
    (first,) = exposures(services)
    asked(services, "copy the disk to the archive", session_id="s")
    (second,) = exposures(services)
    assert (first.strength, first.said_at) == (Strength.BACKGROUND, None)
    assert (second.at, second.strength) == (first.at, Strength.REMIND)
    assert second.said_at is not None
    assert second.said_at > second.at


def test_a_failure_that_gets_a_cluster_begins_another_exposure(services: Services) -> None:
    memory = failed(services, "copy the disk").memory
    asked(services, "copy the disk", session_id="s")
    services.store.apply(changes(update=(changed(memory, cluster_id="c1"),)))
    asked(services, "copy the disk", session_id="s")
    assert [item.lineage for item in exposures(services)] == [memory.id, "c1"]


def test_what_was_served_is_noted_once_a_session(services: Services) -> None:
    first = failed(services, "copy the disk").memory
    for _ in range(2):
        asked(services, "copy the disk", session_id="s")
    second = remembered(services, "the disk is slow").memory
    asked(services, "copy the disk", session_id="s")
    assert served(services, "s") == [[first.id], [second.id]]
    assert served(services, "other") == []


def test_what_is_withheld_is_not_served(halved: Services) -> None:
    memory = failed(halved, "copy the disk").memory
    name = session(memory.id, True)
    asked(halved, "copy the disk", session_id=name)
    assert served(halved, name) == [[]]


def test_a_brief_leaves_out_what_is_withheld(halved: Services) -> None:
    """A kind whose example is withheld goes; of the others the withheld failures are not counted."""
    lineages = [
        failed(halved, action, error_type="IndexError").memory.id for action in ("read", "fly", "sing")
    ]
    newest = lineages[-1]
    hidden = halved.brief.brief(NS, Question(situation="qqqq", session_id=session(newest, True)))
    assert hidden.likely_failures == ()
    other = session(newest, False)
    (likely,) = halved.brief.brief(NS, Question(situation="qqqq", session_id=other)).likely_failures
    left = sum(not withheld("graphmem", other, lineage, 0.5) for lineage in lineages)
    assert (likely.example.id, likely.count, likely.n) == (newest, left, left)
    assert [(item.lineage, item.shown) for item in exposures(halved)] == [(newest, False), (newest, True)]


def test_asking_calls_the_store_no_more_often_with_a_session(tmp_path: Path) -> None:
    store = FailingStore(SqliteStore(tmp_path / "memory.db"))
    with opened(store, holdout=0.5) as services:
        failed(services, "copy the disk")
        asked(services, "copy the disk")
        services.notebook.close()  # from here on nobody flushes in the background
        counts = []
        for name in ("", "s1"):
            store.calls.clear()
            asked(services, "copy the disk", session_id=name)
            counts.append(list(store.calls))
        assert counts[0] == counts[1]


def test_everything_listed_is_noted_as_served(services: Services) -> None:
    failed(services, "copy the disk")
    recorded(services, "copy the disk")
    remembered(services, "the disk is slow")
    found = asked(services, "copy the disk", session_id="s")
    assert sorted(served(services, "s")[0]) == sorted(hit.memory.id for hit in listed(found))


def speaking(services: Services) -> None:
    """Three episodes of one cluster under a pattern whose own words match no question."""
    members = [
        failure("read the cache", cluster_id="c1", task_id=f"t{number}", occurred_at=at(-number))
        for number in range(3)
    ]
    lesson = pattern("qqqq zzzz", occurred_at=at(-1))
    services.store.apply(
        changes(*members, lesson, edges=tuple(generalizes(lesson, member) for member in members))
    )


@pytest.mark.parametrize("kinds", [(), (MemoryKind.EXPERIENCE,)])
def test_a_pattern_that_speaks_is_of_its_lineage_though_it_is_not_listed(
    halved: Services, kinds: tuple[MemoryKind, ...]
) -> None:
    speaking(halved)
    shown, hidden = session("c1", False), session("c1", True)
    (reminder,) = asked(halved, "read the cache", session_id=shown, kinds=kinds).reminders
    assert reminder.subject.kind is MemoryKind.PATTERN
    assert reminder.exposure_id == exposure_id(shown, "c1")
    assert asked(halved, "read the cache", session_id=hidden, kinds=kinds).reminders == ()
    assert [(item.lineage, item.shown) for item in exposures(halved)] == [("c1", True), ("c1", False)]
