"""A look at all failures again: names last, lessons become one, and a look that broke off is made again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import Reflection
from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.memories import Experience, Level, MemoryKind, Pattern, State
from graphmem.domain.records import JobKind, RecordKind
from graphmem.ports.changes import Changes, Update
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.services import assign, regroup
from graphmem.wiring import Services
from tests.builders import NS, at, job
from tests.failing_store import FailingStore
from tests.lessons import FIX, broke, by_hand, clusters, of_kind, patterns
from tests.services import asked, failed, opened, refusal, state

NETWORK = "the network of the third region was gone"


def moved(services: Services, *refs: str, to: str) -> None:
    """Say of failures that they are in a cluster, as another process might have."""
    found = services.store.get(NS, list(refs))
    updates = tuple(
        Update(memory=replace(memory, cluster_id=to), expected_version=memory.version)
        for memory in found.values()
        if isinstance(memory, Experience)
    )
    services.store.apply(Changes(namespace=NS, at=at(0), update=updates))


def test_nothing_is_nothing_to_reflect_on(services: Services) -> None:
    assert services.reflect.reflect(NS) == Reflection()
    assert state(services).revision == 0


def test_a_second_look_changes_nothing(services: Services) -> None:
    for number in range(6):
        broke(services, number)
    failed(services, "fly", manifestation=NETWORK)
    services.reflect.reflect(NS)
    before = state(services)
    again = services.reflect.reflect(NS)
    assert state(services).revision == before.revision
    assert again == Reflection(failures=7, clusters=1, alone=1)


def test_failures_that_were_put_wrongly_are_put_right(services: Services) -> None:
    """A stray member goes, a divided cluster becomes one under the name that most of it had."""
    for number in range(4):
        broke(services, number)
    failed(services, "fly", manifestation=NETWORK)
    first = services.browse.memory(NS, "E-1").id
    moved(services, "E-4", to="other")
    moved(services, "E-5", to=first)
    told = services.reflect.reflect(NS)
    assert clusters(services) == ["E-1", "E-1", "E-1", "E-1", ""]
    assert (told.moved, told.clusters, told.alone) == (2, 1, 1)


def test_a_cluster_that_went_into_another_leaves_word(services: Services) -> None:
    for number in range(5):
        broke(services, number)
    moved(services, "E-4", "E-5", to="other")
    services.reflect.reflect(NS)
    assert set(clusters(services)) == {"E-1"}
    found = services.store.records(NS, RecordKind.CLUSTER, RecordSelection(), PageRequest()).items
    assert [(item.id, item.body) for item in found] == [
        ("other", {"into": services.browse.memory(NS, "E-1").id})
    ]


def test_patterns_that_say_the_same_become_one(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    for number in range(3):
        failed(services, "fly", manifestation=NETWORK, error_type="Gone", task_id=f"n{number}")
    first, second = patterns(services)
    younger = by_hand(services, first.lesson, "E-4")
    told = services.reflect.reflect(NS)
    assert told.merged == 1
    stored = services.store.get(NS, [first.id, second.id, younger.id])
    assert [memory.state for memory in stored.values()] == [State.ACTIVE, State.ACTIVE, State.SUPERSEDED]
    kept = stored[first.id]
    assert isinstance(kept, Pattern)
    assert kept.frequency == 4


def test_two_patterns_over_one_cluster_become_one(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    younger = by_hand(services, "Something else altogether", "E-1", "E-2", "E-3")
    assert services.reflect.reflect(NS).merged == 1
    dropped = services.browse.memory(NS, younger.ref or younger.id)
    assert isinstance(dropped, Pattern)
    assert (dropped.state, dropped.status_reason) == (State.SUPERSEDED, "says the same as P-1")


def test_a_pattern_is_never_put_into_one_that_is_gone(services: Services) -> None:
    """The first is like the second and the second like the third; the first and the third are not alike."""
    for number in range(3):
        failed(
            services, f"fly {number}", manifestation=NETWORK, task_id=f"n{number}", error_type="abc"[number]
        )
    words = [f"word{letter}" for letter in "abcdefghijklm"]
    first = by_hand(services, " ".join(words[:8]), "E-1")
    second = by_hand(services, " ".join(words[:11]), "E-2")
    third = by_hand(services, " ".join(words[2:]), "E-3")
    assert services.reflect.reflect(NS).merged == 1
    stored = services.store.get(NS, [first.id, second.id, third.id])
    assert [memory.state for memory in stored.values()] == [State.ACTIVE, State.SUPERSEDED, State.ACTIVE]


def test_a_lesson_follows_what_its_members_say(services: Services) -> None:
    for number in range(3):
        broke(services, number, correction="")
    assert patterns(services)[0].prevention == ""
    for ref in ("E-1", "E-2"):
        services.revise.update(NS, MemoryUpdate(id=ref, correction="look at the cell first"))
    assert services.reflect.reflect(NS).reworded == 1
    (reworded,) = patterns(services)
    assert reworded.prevention == "look at the cell first"
    assert reworded.vectors


def test_a_lesson_that_somebody_worded_stays(services: Services) -> None:
    for number in range(3):
        failed(services, f"fly {number}", manifestation=NETWORK, task_id="t")
    by_hand(services, "Ask the operator before you fly", "E-1")
    assert services.reflect.reflect(NS).reworded == 0
    assert [item.lesson for item in patterns(services)] == ["Ask the operator before you fly"]


def test_a_lesson_that_was_worded_through_update_stays(services: Services) -> None:
    """A look at all failures words it by rule only as long as nobody else did; its members repeat it."""
    for number in range(3):
        broke(services, number, correction="")
    worded = "An empty cell is a missing value"
    services.revise.update(NS, MemoryUpdate(id="P-1", text=worded))
    for ref in ("E-1", "E-2"):
        services.revise.update(NS, MemoryUpdate(id=ref, correction="look at the cell first"))
    assert services.reflect.reflect(NS).reworded == 0
    (kept,) = patterns(services)
    assert (kept.lesson, kept.source) == (worded, "agent")
    broke(services, 3)
    members = of_kind(services, MemoryKind.EXPERIENCE)
    assert [(item.generalization, item.generalization_source) for item in members] == [
        (worded, "pattern")
    ] * 4


def test_a_general_form_that_members_share_is_the_lesson(services: Services) -> None:
    """Before there was a pattern somebody worded what its first members have in common."""
    rule = "Say what an empty cell means before you parse"
    for number in range(2):
        broke(services, number)
        services.revise.update(NS, MemoryUpdate(id=f"E-{number + 1}", generalization=rule))
    broke(services, 2)
    services.reflect.reflect(NS)
    (made,) = patterns(services)
    assert (made.lesson, made.title, made.source, made.prevention) == (rule, rule, "rule", FIX)
    agreed = services.revise.update(NS, MemoryUpdate(id="P-1", text=rule))
    assert isinstance(agreed, Pattern)
    assert (agreed.source, agreed.version) == ("agent", made.version + 1)


def test_one_members_general_form_is_no_lesson_for_all(services: Services) -> None:
    for number in range(3):
        broke(services, number, generalization="Parsers are treacherous" if number == 1 else "")
    (made,) = patterns(services)
    assert "treacherous" not in made.lesson


def test_words_of_somebody_outlive_a_merge(services: Services) -> None:
    """The older pattern goes on under its ref, and says what was worded for the younger one."""
    for number in range(3):
        broke(services, number)
    younger = by_hand(services, "Ask before you parse", "E-1", "E-2", "E-3")
    assert services.reflect.reflect(NS).merged == 1
    kept = services.browse.memory(NS, "P-1")
    assert isinstance(kept, Pattern)
    assert (kept.lesson, kept.source, kept.title) == (younger.lesson, "agent", younger.title)
    assert (kept.frequency, bool(kept.vectors)) == (3, True)
    again = services.reflect.reflect(NS)
    assert (again.merged, again.reworded) == (0, 0)
    assert [hit.memory.ref for hit in asked(services, "Ask before you parse").patterns] == ["P-1"]


def test_the_profile_of_the_article(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    assert services.reflect.reflect(NS, regroup.SEED).clusters == 1
    assert isinstance(refusal(lambda: services.reflect.reflect(NS, "best"), services), BadInputError)


def test_older_failures_beyond_the_bound_are_left_where_they_are(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        broke(services, number)
    monkeypatch.setattr(regroup, "LATEST", 4)
    told = services.reflect.reflect(NS)
    assert (told.failures, told.left_out) == (4, 2)
    assert set(clusters(services)) == {"E-1"}
    assert patterns(services)[0].level is Level.HIGH


def test_a_look_that_broke_off_is_made_again(tmp_path: Path) -> None:
    """Whatever call of the store fails, the job is done later and ends as if nothing had happened."""

    def prepared(services: Services) -> None:
        for number in range(5):
            broke(services, number)
        moved(services, "E-4", "E-5", to="other")
        by_hand(services, patterns(services)[0].lesson, "E-4")

    def outcome(services: Services) -> tuple[list[str], list[tuple[str, State, int]]]:
        return clusters(services), [(item.ref, item.state, item.frequency) for item in patterns(services)]

    counted = FailingStore(SqliteStore(tmp_path / "count.db"))
    with opened(counted) as services:
        prepared(services)
        before = len(counted.calls)
        services.reflect.reflect(NS)
        calls, expected = len(counted.calls) - before, outcome(services)
    for number in range(1, calls + 1):
        failing = FailingStore(SqliteStore(tmp_path / f"{number}.db"))
        with opened(failing) as services:
            prepared(services)
            failing.arm(number)
            with suppress(UnavailableError):
                services.reflect.reflect(NS)
            failing.arm(0)
            services.assign._clock = lambda: at(10_000)
            services.reflect.reflect(NS)
            assert outcome(services) == expected, number


def test_what_another_process_holds_is_asked_again(services: Services) -> None:
    services.store.apply(Changes(namespace=NS, at=at(0), jobs=(job(JobKind.ASSIGN, created_at=at(0)),)))
    services.store.claim(NS, JobKind.ASSIGN, "other", at(5_000), assign.LEASE)
    with pytest.raises(UnavailableError) as caught:
        services.reflect.reflect(NS)
    assert caught.value.remedy


def test_clusters_are_shown_with_their_pattern(services: Services) -> None:
    for number in range(7):
        broke(services, number)
    for number in range(2):
        failed(services, "fly", manifestation=NETWORK, task_id=f"n{number}")
    failed(services, "sing", manifestation="no voice at all")
    large, small = services.reflect.clusters(NS)
    assert (large.size, len(large.members), large.pattern) == (7, 5, patterns(services)[0])
    assert (small.size, [member.ref for member in small.members], small.pattern) == (2, ["E-8", "E-9"], None)
    assert services.reflect.clusters(NS, first=1) == (large,)
    assert len(of_kind(services, MemoryKind.EXPERIENCE)) == 10
