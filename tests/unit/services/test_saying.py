"""A pattern speaks for its failures, or keeps them silent: settled, muted and old ones are not said."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.domain.answers import Strength
from graphmem.domain.drafts import PatternReview, Promotion, StrategyReview
from graphmem.domain.memories import Level, PatternStatus, State, StrategyStatus
from graphmem.services.saying import FORGETTABLE, JUDGED, speaking_patterns
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services
from tests.builders import NS, at, bare, pattern
from tests.lessons import broke, patterns
from tests.services import asked, failed, opened

REPEAT = "clean file 1"


@pytest.fixture
def taught(services: Services) -> Services:
    """The same mistake in three tasks."""
    for number in range(3):
        broke(services, number)
    return services


def test_a_pattern_is_the_subject_of_a_reminder(taught: Services) -> None:
    (reminder,) = asked(taught, REPEAT).reminders
    (lesson,) = patterns(taught)
    assert (reminder.strength, reminder.subject) == (Strength.REMIND, bare(lesson))
    assert [memory.ref for memory in reminder.evidence] == ["E-2"]
    assert f"What 3 episodes taught: P-1 {lesson.lesson}" in reminder.text
    assert reminder.text in prompt_text(asked(taught, REPEAT), max_tokens=1_000)


def test_a_failure_without_a_pattern_speaks_for_itself(services: Services) -> None:
    memory = failed(services, REPEAT).memory
    (reminder,) = asked(services, REPEAT).reminders
    assert reminder.subject == bare(memory)
    assert "taught" not in reminder.text


@pytest.mark.parametrize(("least", "said"), [(0.75, []), (0.2, [Strength.REMIND])])
def test_a_larger_budget_of_false_reminders_lets_more_be_said(
    path: Path, least: float, said: list[Strength]
) -> None:
    """One failure like it: a probability of about a quarter."""
    with opened(path, remind_from=least) as services:
        failed(services, "copy the report to the archive")
        found = asked(services, "copy the ledger to the archive")
        assert [item.strength for item in found.reminders] == said
        assert all(least <= (item.confidence or 0) < 0.75 for item in found.reminders)


@pytest.mark.parametrize("status", [PatternStatus.RESOLVED, PatternStatus.MUTED])
def test_what_is_settled_is_listed_and_not_said(taught: Services, status: PatternStatus) -> None:
    taught.curate.review_pattern(NS, PatternReview(id="P-1", status=status))
    found = asked(taught, REPEAT)
    assert found.reminders == ()
    assert found.errors
    taught.curate.review_pattern(NS, PatternReview(id="P-1", status=PatternStatus.OPEN))
    assert asked(taught, REPEAT).reminders


def test_the_many_failures_of_a_muted_pattern_hide_no_other(path: Path) -> None:
    """They fit better, and are more than are looked at."""
    with opened(path, remind_from=0.15) as services:
        failed(services, "clean file archive now", manifestation="the archive was locked by a backup")
        for number in range(2 * JUDGED):
            broke(services, number)
        assert [item.subject.ref for item in asked(services, "clean file").reminders] == ["P-1"]
        services.curate.review_pattern(NS, PatternReview(id="P-1", status=PatternStatus.MUTED))
        assert [item.subject.ref for item in asked(services, "clean file").reminders] == ["E-1"]


def test_what_comes_back_is_said_again(taught: Services) -> None:
    taught.curate.review_pattern(NS, PatternReview(id="P-1", status=PatternStatus.RESOLVED))
    broke(taught, 3)
    (reminder,) = asked(taught, REPEAT).reminders
    assert getattr(reminder.subject, "status", None) is PatternStatus.REGRESSED


def test_what_was_not_seen_for_a_quarter_is_not_said(taught: Services) -> None:
    now = taught.recall._clock()
    taught.recall._clock = lambda: now + FORGETTABLE + timedelta(minutes=1)
    assert asked(taught, REPEAT).reminders == ()


def test_who_speaks_for_a_failure() -> None:
    """The best supported of the patterns in use; none that is out of use or lost its support."""
    small = pattern(level=Level.MEDIUM, episodes=3, last_seen=at(0))
    large = pattern(level=Level.HIGH, episodes=7, last_seen=at(0))
    weak = pattern(level=Level.NONE, episodes=2, status=PatternStatus.MUTED)
    gone = pattern(level=Level.HIGH, episodes=9, state=State.SUPERSEDED)
    muted = pattern(level=Level.MEDIUM, episodes=4, status=PatternStatus.MUTED)
    known = {memory.id: memory for memory in (small, large, weak, gone, muted)}
    over = {
        "both": [small.id, large.id],
        "weak": [weak.id, "erased"],
        "gone": [gone.id],
        "muted": [small.id, muted.id],
        "none": [],
    }
    assert speaking_patterns(over, known, at(1)) == {"both": large, "muted": None}


def test_strategies_in_force_are_in_the_prompt(taught: Services) -> None:
    taught.curate.promote(NS, Promotion(pattern="P-1", guidance="look at the file first"))
    assert "Strategies in force" in prompt_text(asked(taught, "look at the file"), max_tokens=1_000)
    taught.curate.review_strategy(NS, StrategyReview(id="S-1", status=StrategyStatus.RETIRED))
    assert "Strategies in force" not in prompt_text(asked(taught, "look at the file"), max_tokens=1_000)
