"""What is likely to go wrong in comparable work."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.domain.answers import Brief
from graphmem.domain.drafts import PatternReview, Promotion, Question, SituationKeys, StrategyReview
from graphmem.domain.memories import PatternStatus, Result, State, StrategyStatus
from graphmem.services.brief import MAX_LIKELY
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services
from tests.builders import NS, bare, changed, changes
from tests.services import failed, opened, recorded, remembered


def likely(services: Services, **keys: str) -> list[tuple[str, int, int]]:
    """Error class, count and n of each likely failure."""
    found = services.brief.brief(NS, Question(situation="anything", keys=SituationKeys(**keys)))
    return [(item.error_type, item.count, item.n) for item in found.likely_failures]


def test_what_is_no_nearer_than_chance_is_not_listed(services: Services) -> None:
    """recall lists the nearest there is, weak as it may be; a brief would have it stand there as 0.00."""
    failed(services, "diskette", error_type="E")
    question = Question(situation="incomprehensible", session_id="s")
    assert [round(hit.relevance, 2) for hit in services.recall.ask(NS, question).errors] == [0.0]
    assert services.brief.brief(NS, question).recollection.errors == ()
    failed(services, "authentication", error_type="E", correction="incomprehensible")
    (hit,) = services.brief.brief(NS, question).recollection.errors
    assert hit.memory.ref == "E-2"


def test_nothing_is_likely_at_first(services: Services) -> None:
    assert likely(services) == []


def test_failures_are_counted_by_class_among_all_experiences(services: Services) -> None:
    failed(services, "a", error_type="builtins.IndexError")
    failed(services, "b", error_type="INDEXERROR")
    failed(services, "c", error_type="Timeout after 30 s")
    recorded(services, "d")
    recorded(services, "e", result=Result.PARTIAL, error_type="IndexError")
    assert likely(services) == [("indexerror", 2, 5), ("timeout after # s", 1, 5)]


@pytest.mark.parametrize("key", ["agent", "tool", "task_type"])
def test_only_comparable_work_counts(services: Services, key: str) -> None:
    failed(services, "a", error_type="IndexError", **{key: "x"})
    failed(services, "b", error_type="KeyError", **{key: "y"})
    recorded(services, "c", **{key: "x"})
    assert likely(services, **{key: "x"}) == [("indexerror", 1, 2)]


def test_every_given_key_must_be_equal(services: Services) -> None:
    failed(services, "a", error_type="IndexError", tool="bash", agent="a1")
    failed(services, "b", error_type="IndexError", tool="bash", agent="a2")
    assert likely(services, tool="bash", agent="a1") == [("indexerror", 1, 1)]


def test_the_example_is_the_latest(services: Services) -> None:
    failed(services, "a", error_type="IndexError")
    last = failed(services, "b", error_type="IndexError").memory
    (found,) = services.brief.brief(NS, Question(situation="anything")).likely_failures
    assert found.example == bare(last)


def test_failures_without_a_class_count_in_n_only(services: Services) -> None:
    failed(services, "a")
    failed(services, "b", error_type="IndexError")
    assert likely(services) == [("indexerror", 1, 2)]


def test_what_is_not_in_force_does_not_count(services: Services) -> None:
    memory = failed(services, "a", error_type="IndexError").memory
    services.store.apply(changes(update=(changed(memory, state=State.RETRACTED),)))
    assert likely(services) == []


def test_the_most_frequent_few_are_named(services: Services) -> None:
    letters = "abcdefgh"
    for index, letter in enumerate(letters):
        for _ in range(index + 1):
            failed(services, "x", error_type=f"Error{letter}")
    found = likely(services)
    assert len(found) == MAX_LIKELY
    assert [count for _, count, _ in found] == [8, 7, 6, 5, 4]


def taught(services: Services, *, tool: str = "clean", session_id: str = "", limit: int = 3) -> Brief:
    """A brief for a task whose words are none of the lessons'."""
    keys = SituationKeys(tool=tool)
    return services.brief.brief(
        NS, Question(situation="the figures of june", keys=keys, session_id=session_id, limit=limit)
    )


@pytest.fixture
def lesson(services: Services) -> str:
    """Three failures of one tool, and the ref of their pattern."""
    for task in ("a", "b", "c"):
        failed(
            services,
            "clean rows",
            error_type="E",
            tool="clean",
            task_id=task,
            correction="look at its length",
        )
    return "P-1"


def test_the_lesson_of_a_tool_is_told_where_no_word_leads_to_it(services: Services, lesson: str) -> None:
    found = taught(services).recollection
    assert [hit.memory.ref for hit in found.patterns] == [lesson]
    assert "look at its length" in prompt_text(found)
    other = taught(services, tool="upload").recollection
    assert (other.patterns, other.taught, prompt_text(other)) == ((), (), "")


def test_a_strategy_stands_for_its_pattern(services: Services, lesson: str) -> None:
    services.curate.promote(NS, Promotion(pattern=lesson, guidance="check for an empty list"))
    found = taught(services).recollection
    assert [hit.memory.ref for hit in found.strategies] == ["S-1"]
    assert found.taught == ()
    assert "S-1 check for an empty list" in prompt_text(found)
    services.curate.review_strategy(NS, StrategyReview(id="S-1", status=StrategyStatus.RETIRED))
    retired = taught(services).recollection
    assert retired.strategies == ()
    assert [item.ref for item in retired.taught] == [lesson]


@pytest.mark.parametrize("status", [PatternStatus.RESOLVED, PatternStatus.MUTED])
def test_a_settled_lesson_is_not_told(services: Services, lesson: str, status: PatternStatus) -> None:
    services.curate.review_pattern(NS, PatternReview(id=lesson, status=status))
    found = taught(services).recollection
    assert (found.taught, prompt_text(found)) == ((), "")


def test_a_lesson_that_is_withheld_from_a_session_is_not_told_to_it(path: Path) -> None:
    with opened(path, holdout=0.99999999) as services:
        for task in ("a", "b", "c"):
            failed(services, "clean rows", error_type="E", tool="clean", task_id=task, correction="look")
        assert taught(services, session_id="s").recollection.taught == ()
        assert taught(services).recollection.taught


def test_a_brief_also_recollects(services: Services) -> None:
    remembered(services, "the disk is full")
    found = services.brief.brief(NS, Question(situation="disk"))
    assert [hit.memory.ref for hit in found.recollection.facts] == ["F-1"]
