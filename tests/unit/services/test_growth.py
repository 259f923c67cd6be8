"""New failures come into clusters, clusters make patterns, patterns strategies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.analyses import Analysis, AnalysisDraft
from graphmem.domain.drafts import ExperienceDraft, PatternReview, StrategyReview
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import (
    Level,
    MemoryKind,
    PatternStatus,
    Result,
    State,
    Strategy,
    StrategyStatus,
    Writer,
)
from graphmem.domain.records import JobKind
from graphmem.ports.changes import Changes, Update
from graphmem.services.strategies import strategies_over
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.lessons import FIX, PARSER, broke, clusters, of_kind, patterns, transitions, waiting
from tests.services import failed, opened


def test_a_failure_alone_stays_as_it_was_written(services: Services) -> None:
    memory = broke(services, 1)
    assert (services.browse.memory(NS, memory.id).version, clusters(services)) == (1, [""])


def test_two_like_failures_share_a_cluster_and_make_no_pattern(services: Services) -> None:
    broke(services, 1)
    failed(services, "fly", manifestation="the network of the third region was gone")
    broke(services, 2)
    assert clusters(services) == ["E-1", "", "E-1"]
    assert patterns(services) == []


def test_three_episodes_make_a_pattern(services: Services) -> None:
    for number in range(3):
        broke(services, number, task_type="cleaning", error_type="pkg.ParseError", tool="cleaner")
    (pattern,) = patterns(services)
    assert (pattern.ref, pattern.level, pattern.frequency, pattern.episodes) == ("P-1", Level.MEDIUM, 3, 3)
    assert (pattern.prevention, pattern.task_types, pattern.error_types) == (
        FIX,
        ("cleaning",),
        ("parseerror",),
    )
    assert "empty price cell" in pattern.lesson
    assert "cleaner" in pattern.trigger_conditions
    assert (pattern.source, pattern.writer.id) == ("rule", "graphmem")
    assert pattern.vectors
    for memory in of_kind(services, MemoryKind.EXPERIENCE):
        assert (memory.generalization, memory.generalization_source) == (pattern.lesson, "pattern")


def test_an_own_generalization_is_kept(services: Services) -> None:
    for number in range(3):
        broke(services, number, generalization="cells may be empty" if number == 1 else "")
    written = [memory.generalization for memory in of_kind(services, MemoryKind.EXPERIENCE)]
    assert written[1] == "cells may be empty"
    assert written[0] == written[2] != ""


def test_a_retry_storm_of_one_task_is_one_episode(services: Services) -> None:
    for _ in range(6):
        broke(services, 1)
    assert set(clusters(services)) == {"E-1"}
    assert patterns(services) == []


def test_the_fifth_episode_makes_it_high_and_a_strategy(services: Services) -> None:
    for number in range(6):
        broke(services, number, task_type="cleaning")
    (pattern,) = patterns(services)
    assert (pattern.level, pattern.episodes) == (Level.HIGH, 6)
    assert transitions(services, pattern) == [("NONE", "MEDIUM"), ("MEDIUM", "HIGH")]
    (strategy,) = of_kind(services, MemoryKind.STRATEGY)
    assert isinstance(strategy, Strategy)
    assert (strategy.category, strategy.guidance, strategy.status) == ("cleaning", FIX, StrategyStatus.ACTIVE)


def test_one_untrusted_writer_makes_no_pattern(services: Services) -> None:
    """Seven failures by a writer whom nobody trusts; a second one bears them out."""
    stranger = Writer("stranger", trust=0.1)
    for number in range(7):
        broke(services, number, writer=stranger)
    assert set(clusters(services)) == {"E-1"}
    assert patterns(services) == []
    broke(services, 7, writer=Writer("neighbour", trust=0.1))
    assert [pattern.frequency for pattern in patterns(services)] == [8]


def test_what_an_informed_agent_says_back_supports_no_lesson(services: Services) -> None:
    """The remedy of two agents that were shown it does not outvote that of the one who found it."""
    broke(services, 0, correction="skip the cell")
    for number in (1, 2):
        broke(services, number, correction="delete the file", informed_by=("F-9",))
    (pattern,) = patterns(services)
    assert (pattern.prevention, pattern.episodes) == ("skip the cell", 3)


def test_other_error_types_do_not_mix(services: Services) -> None:
    for number in range(4):
        broke(services, number, error_type="ParseError" if number % 2 else "Timeout")
    assert clusters(services) == ["E-1", "E-2", "E-1", "E-2"]


def test_a_failure_after_it_was_settled_reopens_a_pattern(path: Path) -> None:
    with opened(path, webhook="http://127.0.0.1:9") as services:
        _a_failure_after_it_was_settled(services)


def _a_failure_after_it_was_settled(services: Services) -> None:
    for number in range(3):
        broke(services, number)
    decided = PatternReview(id="P-1", status=PatternStatus.RESOLVED, by="anna", reason="fixed in 2.1")
    assert services.curate.review_pattern(NS, decided).status is PatternStatus.RESOLVED
    broke(services, 3, occurred_at=at(-1_000))
    assert patterns(services)[0].status is PatternStatus.RESOLVED
    broke(services, 4)
    (pattern,) = patterns(services)
    assert (pattern.status, pattern.status_by, pattern.status_reason) == (
        PatternStatus.REGRESSED,
        "graphmem",
        "E-5 happened after it was resolved",
    )
    notices = waiting(services, JobKind.NOTIFY)
    assert {item.body["what"] for item in notices} == {"REGRESSED", "HIGH"}


def test_a_retracted_member_takes_the_level_back(services: Services) -> None:
    members = [broke(services, number) for number in range(3)]
    stored = services.store.get(NS, [members[0].id])[members[0].id]
    retracted = Update(memory=replace(stored, state=State.RETRACTED), expected_version=stored.version)
    services.store.apply(Changes(namespace=NS, at=at(99), update=(retracted,)))
    (pattern,) = patterns(services)
    assert (pattern.level, pattern.episodes) == (Level.NONE, 2)
    broke(services, 3)
    assert patterns(services)[0].level is Level.MEDIUM


def test_many_at_once_come_into_one_pattern(services: Services) -> None:
    drafts = [
        ExperienceDraft(action="clean", result=Result.FAILURE, manifestation=PARSER, task_id=f"t{number}")
        for number in range(40)
    ]
    services.remember.many(NS, drafts)
    (pattern,) = patterns(services)
    assert (pattern.frequency, pattern.level) == (40, Level.HIGH)
    assert set(clusters(services)) == {"E-1"}


def test_a_large_cluster_joins_its_pattern_in_several_actions(services: Services) -> None:
    """More members than one action holds, all of one untrusted writer, until a second one bears them out."""
    stranger = Writer("stranger", trust=0.1)
    drafts = [
        ExperienceDraft(
            action="clean", result=Result.FAILURE, manifestation=PARSER, task_id=f"t{number}", writer=stranger
        )
        for number in range(250)
    ]
    services.remember.many(NS, drafts)
    services.assign.pending(NS)
    assert patterns(services) == []
    broke(services, 999, correction="", writer=Writer("neighbour", trust=0.1))
    services.assign.pending(NS)
    (pattern,) = patterns(services)
    assert (pattern.frequency, pattern.level) == (251, Level.HIGH)


def test_without_an_embedder_words_decide(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", words_only=True) as services:
        for number in range(3):
            broke(services, number)
        assert len(patterns(services)) == 1


def high(services: Services, what: str, first: int, **fields: Any) -> None:
    """Five episodes of one mistake."""
    for number in range(first, first + 5):
        failed(services, f"{what} {number}", task_id=f"t{number}", task_type="cleaning", **fields)


def test_a_pattern_without_a_remedy_makes_no_strategy(services: Services) -> None:
    """What went wrong is no guidance: the strategy would say "the parser broke"."""
    high(services, "clean file", 0, manifestation=PARSER)
    services.reflect.reflect(NS)
    assert [item.level for item in patterns(services)] == [Level.HIGH]
    assert of_kind(services, MemoryKind.STRATEGY) == []


def test_a_remedy_that_comes_later_makes_it(services: Services) -> None:
    high(services, "clean file", 0, manifestation=PARSER)
    broke(services, 9, task_type="cleaning")
    services.reflect.reflect(NS)
    assert [item.guidance for item in of_kind(services, MemoryKind.STRATEGY)] == [FIX]


@pytest.mark.parametrize("claimed", [True, False])
def test_an_analysts_lesson_makes_it_at_once(services: Services, claimed: bool) -> None:
    high(services, "clean file", 0, manifestation=PARSER)
    (pattern,) = patterns(services)
    lesson = "Give every empty cell a value before the file is parsed."
    if claimed:
        (item, *_) = services.analyse.claim(NS, "anna")
        assert item.subject.id == pattern.id
        services.analyse.submit(
            NS, AnalysisDraft(work_id=item.id, owner=item.owner, attempt=item.attempt, lesson=lesson)
        )
    else:
        services.analyse.answer(NS, [(pattern.id, Analysis(lesson=lesson))])
    assert [item.guidance for item in of_kind(services, MemoryKind.STRATEGY)] == [lesson]


def test_an_answer_stands_when_its_strategy_cannot_be_made(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    high(services, "clean file", 0, manifestation=PARSER)
    find = services.store.find

    def down(*asked: Any) -> Any:
        monkeypatch.setattr(services.store, "find", find)
        raise UnavailableError("the store is away")

    monkeypatch.setattr(services.store, "find", down)
    services.analyse.answer(NS, [("P-1", Analysis(lesson="Fill the cells."))])
    assert [item.lesson for item in patterns(services)] == ["Fill the cells."]
    assert of_kind(services, MemoryKind.STRATEGY) == []
    services.reflect.reflect(NS)
    assert [item.guidance for item in of_kind(services, MemoryKind.STRATEGY)] == ["Fill the cells."]


def test_two_patterns_with_one_remedy_share_a_strategy(services: Services) -> None:
    fix = "Check that there is at least one row before anything is computed."
    high(services, "clean file", 0, manifestation=PARSER, correction=fix, error_type="ParseError")
    other = "the mean of no numbers was asked for and division by zero ended the run"
    high(services, "average votes of club", 20, manifestation=other, correction=fix, error_type="EmptyError")
    services.reflect.reflect(NS)
    assert len(patterns(services)) == 2
    (strategy,) = of_kind(services, MemoryKind.STRATEGY)
    for pattern in patterns(services):
        assert [item.id for item in strategies_over(services.store, pattern)] == [strategy.id]
    services.curate.review_strategy(NS, StrategyReview(id=strategy.id, status=StrategyStatus.RETIRED))
    services.reflect.reflect(NS)
    assert len(of_kind(services, MemoryKind.STRATEGY)) == 1
