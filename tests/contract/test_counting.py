"""Laws of counting: a pattern knows its distinct episodes, and says when its level changes, once."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.memories import Level, Memory, Pattern, Result, State, Tier
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from tests.builders import (
    caused,
    changed,
    changes,
    experience,
    fact,
    failure,
    full_pattern,
    generalizes,
    pattern,
    strategy,
    supersedes,
)
from tests.contract.reading import Reader, at_once, counts, edges_of, one, put, records_of


def lesson_of(store: MemoryStore, *members: Memory, tight: bool = False) -> Pattern:
    """A new pattern over new members, as stored."""
    lesson = pattern()
    joined = tuple(generalizes(lesson, item) for item in members)
    put(store, lesson, *members, edges=joined, tight={lesson.id: tight})
    return counted(store, lesson)


def counted(store: MemoryStore, lesson: Pattern) -> Pattern:
    """A pattern as it is stored now."""
    return one(store, lesson)


def members(count: int, **fields: Any) -> list[Memory]:
    """Failures of distinct episodes unless fields say otherwise."""
    return [failure(f"step {number}", **fields) for number in range(count)]


def transitions(store: MemoryStore, lesson: Pattern) -> int:
    """How many changes of level were recorded."""
    return len(records_of(store, RecordKind.TRANSITION, subject=lesson.id))


def test_frequency_counts_members(store: MemoryStore) -> None:
    """frequency is the number of experiences that a pattern generalizes, whatever their result."""
    assert lesson_of(store).frequency == 0
    mixed = [failure(), experience(), experience(result=Result.PARTIAL)]
    assert lesson_of(store, *mixed).frequency == 3


def test_a_member_counts_once(store: MemoryStore) -> None:
    """Joining the same member again, in one action or in several, changes no count."""
    first, second = members(2)
    lesson = lesson_of(store, first)
    twice = (generalizes(lesson, second), generalizes(lesson, first), generalizes(lesson, second))
    put(store, second, edges=twice)
    put(store, edges=twice)
    after = counted(store, lesson)
    assert (after.frequency, after.episodes) == (2, 2)
    assert len(edges_of(store)) == 2


def test_episodes_are_distinct(store: MemoryStore) -> None:
    """episodes counts distinct tasks, else sessions, else memories."""
    lesson = lesson_of(
        store,
        failure(task_id="t1", session_id="s1"),
        failure(task_id="t1", session_id="s2"),
        failure(task_id="t2", session_id="s1"),
        failure(session_id="s1"),
        failure(session_id="s1"),
        failure(),
        failure(),
    )
    assert (lesson.frequency, lesson.episodes) == (7, 5)


def test_a_member_that_moves_to_another_task_is_recounted(store: MemoryStore) -> None:
    """An update of a member's task changes the number of episodes."""
    lesson = lesson_of(store, *members(3, task_id="t"))
    assert lesson.episodes == 1
    for edge, task in zip(edges_of(store), ("t1", "t2", ""), strict=True):
        member = store.get("main", [edge.to_id])[edge.to_id]
        put(store, update=(changed(member, task_id=task),))
    assert counted(store, lesson).episodes == 3


@pytest.mark.parametrize(
    ("state", "counts_still"),
    [(State.RETRACTED, False), (State.QUARANTINED, False), (State.SUPERSEDED, True), (State.ACTIVE, True)],
)
def test_states_decide_what_is_evidence(store: MemoryStore, state: State, counts_still: bool) -> None:
    """Retracted and quarantined members do not count, superseded ones do, and coming back counts again."""
    (member, *others) = members(3)
    lesson = lesson_of(store, member, *others)
    put(store, update=(changed(one(store, member), state=state),))
    expected = 3 if counts_still else 2
    assert (counted(store, lesson).frequency, counted(store, lesson).episodes) == (expected, expected)
    put(store, update=(changed(one(store, member), state=State.ACTIVE),))
    assert counted(store, lesson).frequency == 3


def test_a_member_that_was_never_evidence_does_not_count(store: MemoryStore) -> None:
    """A member that is written quarantined counts from the moment it is released."""
    held = failure(state=State.QUARANTINED)
    lesson = lesson_of(store, held, *members(2))
    assert (lesson.frequency, lesson.level) == (2, Level.NONE)
    put(store, update=(changed(one(store, held), state=State.ACTIVE),))
    assert (counted(store, lesson).frequency, counted(store, lesson).level) == (3, Level.MEDIUM)


@pytest.mark.parametrize("tier", [Tier.WARM, Tier.COLD])
def test_ageing_never_demotes(store: MemoryStore, tier: Tier) -> None:
    """A member that moves to another tier counts as before."""
    aged = members(3)
    lesson = lesson_of(store, *aged)
    put(store, update=tuple(changed(one(store, item), tier=tier) for item in aged))
    assert (counted(store, lesson).frequency, counted(store, lesson).level) == (3, Level.MEDIUM)


def test_an_erased_member_does_not_count(store: MemoryStore) -> None:
    """Erasing members lowers the counts and the level of every pattern that had them."""
    gone, *others = members(4)
    lesson = lesson_of(store, gone, *others)
    second = lesson_of(store)
    put(store, edges=tuple(generalizes(second, item) for item in (gone, *others[:2])))
    assert counted(store, second).level is Level.MEDIUM
    put(store, erase=(gone.id, others[0].id))
    assert (counted(store, lesson).frequency, counted(store, lesson).level) == (2, Level.NONE)
    assert (counted(store, second).frequency, counted(store, second).level) == (1, Level.NONE)


@pytest.mark.parametrize(
    ("count", "tight", "expected"),
    [
        (2, True, Level.NONE),
        (3, False, Level.MEDIUM),
        (4, True, Level.MEDIUM),
        (5, False, Level.MEDIUM),
        (5, True, Level.HIGH),
    ],
)
def test_levels(store: MemoryStore, count: int, tight: bool, expected: Level) -> None:
    """Below three episodes a pattern has no level, from three medium, from five and tight high."""
    assert lesson_of(store, *members(count), tight=tight).level is expected


def test_many_failures_of_one_episode_are_one_voice(store: MemoryStore) -> None:
    """The level follows distinct episodes and not the number of members."""
    lesson = lesson_of(store, *members(9, session_id="s"), *members(1), tight=True)
    assert (lesson.frequency, lesson.episodes, lesson.level) == (10, 2, Level.NONE)


def test_each_change_of_level_is_recorded_once(store: MemoryStore) -> None:
    """Every change of level leaves one TRANSITION record about the pattern, and nothing else does."""
    all_members = members(6)
    lesson = lesson_of(store)
    recorded = []
    for item in all_members:
        put(store, item, edges=(generalizes(lesson, item),), tight={lesson.id: True})
        recorded.append(transitions(store, lesson))
    assert recorded == [0, 0, 1, 1, 2, 2]
    for item in all_members[:4]:
        put(store, erase=(item.id,), tight={lesson.id: True})
        recorded.append(transitions(store, lesson))
    assert recorded[6:] == [2, 3, 3, 4]


def test_a_level_reached_at_once_is_one_change(store: MemoryStore) -> None:
    """A pattern that is created with five tight members changes its level once."""
    lesson = lesson_of(store, *members(5), tight=True)
    assert (lesson.level, transitions(store, lesson)) == (Level.HIGH, 1)


def test_the_store_counts(store: MemoryStore) -> None:
    """Counts and level that a caller writes into a pattern are not taken over."""
    claimed = {"frequency": 40, "episodes": 30, "level": Level.HIGH}
    (stored,) = put(store, pattern(**claimed))
    assert isinstance(stored, Pattern)
    assert (stored.frequency, stored.episodes, stored.level) == (0, 0, Level.NONE)
    put(store, update=(changed(stored, **claimed),))
    after = counted(store, stored)
    assert (after.frequency, after.episodes, after.level) == (0, 0, Level.NONE)
    assert transitions(store, stored) == 0


def test_a_change_of_words_leaves_the_counts(store: MemoryStore) -> None:
    """Updating the lesson keeps frequency, episodes and level, and records no transition."""
    lesson = lesson_of(store, *members(5), tight=True)
    put(store, update=(changed(lesson, lesson="said better"),))
    after = counted(store, lesson)
    assert (after.frequency, after.episodes, after.level) == (5, 5, Level.HIGH)
    assert (after.lesson, transitions(store, lesson)) == ("said better", 1)


def test_a_recount_is_no_edit(store: MemoryStore) -> None:
    """A recount keeps what the caller wrote into the pattern, and leaves no VERSION record."""
    lesson = full_pattern()
    put(store, lesson)
    before = counted(store, lesson)
    (member,) = members(1)
    put(store, member, edges=(generalizes(lesson, member),))
    after = counted(store, lesson)
    counted_fields = ("frequency", "episodes", "revision", "version", "first_seen", "last_seen")
    new = {name: getattr(after, name) for name in counted_fields}
    assert after == changed(before, **new).memory
    assert (after.frequency, after.revision) == (1, 2)
    assert records_of(store, RecordKind.VERSION) == []


def test_a_recount_reaches_the_feed(store: MemoryStore) -> None:
    """A pattern whose counts changed comes through the feed again in the same action."""
    gone, *others = members(3)
    lesson = lesson_of(store, gone, *others)
    reader = Reader(store).catch_up()
    put(store, erase=(gone.id,))
    assert reader.catch_up().graph[lesson.id][0] == counted(store, lesson)
    assert counted(store, lesson).revision == 2
    (late,) = members(1)
    receipt = store.apply(changes(late, edges=(generalizes(lesson, late),)))
    assert counted(store, lesson).revision == receipt.revision
    assert reader.catch_up().graph[lesson.id][0] == counted(store, lesson)


def test_the_receipt_shows_the_counts(store: MemoryStore) -> None:
    """A pattern in a receipt has the counts that its action led to."""
    lesson, (member,) = pattern(), members(1)
    stored, _ = put(store, lesson, member, edges=(generalizes(lesson, member),))
    assert stored == counted(store, lesson)
    assert counted(store, lesson).frequency == 1


def test_a_strategy_is_no_member(store: MemoryStore) -> None:
    """A strategy over a pattern changes no count of the pattern."""
    lesson = lesson_of(store, *members(2))
    advice = strategy()
    put(store, advice, edges=(generalizes(advice, lesson),))
    assert counted(store, lesson).frequency == 2


def test_two_patterns_count_apart(store: MemoryStore) -> None:
    """A member of two patterns counts for both."""
    shared = members(3)
    first = lesson_of(store, *shared)
    second = pattern()
    put(store, second, edges=tuple(generalizes(second, item) for item in shared[:2]))
    assert (counted(store, first).frequency, counted(store, second).frequency) == (3, 2)


def test_many_writers_count_exactly(store: MemoryStore) -> None:
    """Of many members joined at once each counts, and the levels at three and five are recorded once each."""
    lesson = lesson_of(store)

    def join(number: int) -> None:
        member = failure(f"step {number}")
        put(store, member, edges=(generalizes(lesson, member),), tight={lesson.id: True})

    at_once(join, 40)
    after = counted(store, lesson)
    assert (after.frequency, after.episodes, after.level) == (40, 40, Level.HIGH)
    assert transitions(store, lesson) == 2


def test_many_writers_of_one_episode_count_it_once(store: MemoryStore) -> None:
    """Members of three episodes joined at once are three episodes and one change of level."""
    lesson = lesson_of(store)

    def join(number: int) -> None:
        member = failure(task_id=f"task {number % 3}")
        put(store, member, edges=(generalizes(lesson, member),), tight={lesson.id: True})

    at_once(join, 30)
    after = counted(store, lesson)
    assert (after.frequency, after.episodes, after.level) == (30, 3, Level.MEDIUM)
    assert transitions(store, lesson) == 1


def test_state_counts_what_is_there(store: MemoryStore) -> None:
    """state counts memories by kind, failures, and edges by relation, and follows erasures."""
    old, new, effect, good, lesson, advice = put(
        store, fact(), fact(), failure(), experience(), pattern(), strategy()
    )
    joined = caused(effect, old), caused(effect, good), supersedes(new, old), generalizes(lesson, effect)
    put(store, edges=(*joined, caused(effect, old)))
    kinds = {"FACT": 2, "EXPERIENCE": 2, "PATTERN": 1, "STRATEGY": 1, "FAILURE": 1}
    assert counts(store) == kinds | {"CAUSED_BY": 2, "GENERALIZES": 1, "SUPERSEDES": 1}
    put(store, update=(changed(one(store, good), state=State.RETRACTED),), erase=(old.id, advice.id))
    left = {"FACT": 1, "EXPERIENCE": 2, "PATTERN": 1, "STRATEGY": 0, "FAILURE": 1}
    assert counts(store) == left | {"CAUSED_BY": 1, "GENERALIZES": 1, "SUPERSEDES": 0}
    put(store, erase=(effect.id,))
    assert (counts(store)["FAILURE"], counts(store)["GENERALIZES"]) == (0, 0)
