"""Asking: facts, errors and what worked, apart, and what is worth saying."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.answers import RecallMode, Strength
from graphmem.domain.drafts import Period, Question, SituationKeys
from graphmem.domain.errors import BadInputError, TooLargeError, UnavailableError
from graphmem.domain.memories import MemoryKind, Result, State
from graphmem.domain.rules import MAX_TEXT
from graphmem.services.saying import JUDGED
from graphmem.wiring import Services
from tests.builders import NS, at, bare, changed, changes, pattern, strategy
from tests.services import asked, because, failed, listed, opened, recorded, refusal, remembered, state, texts


def test_nothing_is_known_at_first(services: Services) -> None:
    found = asked(services, "anything")
    assert (listed(found), found.reminders, found.revision) == ((), (), 0)


def test_the_nearest_of_what_went_wrong_is_listed_as_weak_and_not_said(services: Services) -> None:
    """Hashed vectors have parts of words in common where words have none: 1.3 and 2.6 deviations above chance."""
    for number in range(3):
        failed(services, "diskette", error_type="E", tool="bash", task_id=str(number))
    remembered(services, "diskette")
    recorded(services, "diskette")
    found = asked(services, "kettle")
    assert [hit.weak for hit in listed(found)] == [True, True, True]
    assert {hit.why for hit in found.errors} == {"weak: only the nearest (1.3 deviations above chance)"}
    assert found.reminders == ()
    assert len(asked(services, "kettle", limit=2).errors) == 2
    assert not any(hit.weak for hit in listed(asked(services, "diskette")))


def test_facts_errors_and_successes_are_told_apart(services: Services) -> None:
    remembered(services, "the disk is slow")
    failed(services, "copy to the disk")
    recorded(services, "mount the disk")
    recorded(services, "format half the disk", result=Result.PARTIAL)
    found = asked(services, "disk")
    assert texts(found.facts) == ["the disk is slow"]
    assert sorted(texts(found.errors)) == ["copy to the disk", "format half the disk"]
    assert texts(found.worked) == ["mount the disk"]


def test_patterns_and_strategies_are_lists_of_their_own(services: Services) -> None:
    services.store.apply(changes(pattern("check the disk"), strategy("look at the disk")))
    found = asked(services, "disk")
    assert (texts(found.patterns), texts(found.strategies)) == (["check the disk"], ["look at the disk"])


def test_asking_writes_nothing(services: Services) -> None:
    failed(services, "copy to the disk")
    before = state(services)
    asked(services, "disk")
    assert state(services) == before


def test_an_own_write_is_seen_at_once(services: Services) -> None:
    for number in range(3):
        assert len(asked(services, "disk").facts) == number
        remembered(services, f"disk {number}")


def test_the_limit_holds_for_each_list(services: Services) -> None:
    for number in range(4):
        remembered(services, f"disk fact {number}")
        failed(services, f"disk failure {number}")
    found = asked(services, "disk", limit=2)
    assert (len(found.facts), len(found.errors)) == (2, 2)


def test_only_the_wanted_kinds_are_listed(services: Services) -> None:
    remembered(services, "disk")
    failed(services, "disk")
    assert [hit.memory.kind for hit in listed(asked(services, "disk", kinds=(MemoryKind.FACT,)))] == ["FACT"]


def test_what_shares_nothing_is_not_listed(services: Services) -> None:
    remembered(services, "the disk is slow")
    assert listed(asked(services, "qqqq-not-anywhere")) == ()


@pytest.mark.parametrize("name", ["agent", "tool", "task_type"])
def test_an_equal_key_raises_the_relevance_and_is_named(services: Services, name: str) -> None:
    failed(services, "copy the disk", **{name: "x"})
    plain = asked(services, "disk").errors[0]
    keyed = asked(services, "disk", keys=SituationKeys(**{name: "x"})).errors[0]
    other = asked(services, "disk", keys=SituationKeys(**{name: "y"})).errors[0]
    assert keyed.relevance == pytest.approx(plain.relevance + 0.1)
    assert other.relevance == plain.relevance
    assert f"same {name.replace('_', ' ')}" in keyed.why


def test_the_planned_action_is_compared_with_the_action(services: Services) -> None:
    failed(services, "copy the disk")
    (hit,) = asked(services, "disk", keys=SituationKeys(planned_action="copy the disk")).errors
    assert "same action" in hit.why


def test_a_concern_ranks_by_what_went_wrong(services: Services) -> None:
    failed(services, "copy a", manifestation="network was unreachable")
    failed(services, "copy b", manifestation="disk was full")
    found = asked(services, "copy", concern="the disk could be full")
    assert found.errors[0].memory.text.startswith("copy b")


def test_only_what_occurred_in_the_period_is_listed(services: Services) -> None:
    for seconds in (0, 10, 20):
        remembered(services, f"disk {seconds}", occurred_at=at(seconds))
    found = asked(services, "disk", during=Period(start=at(10), end=at(20)))
    assert texts(found.facts) == ["disk 10"]


def test_superseded_facts_are_listed_on_demand_only(services: Services) -> None:
    remembered(services, "the disk is at a")
    remembered(services, "the disk is at b", supersedes=("F-1",))
    assert texts(asked(services, "disk").facts) == ["the disk is at b"]
    assert len(asked(services, "disk", include_archived=True).facts) == 2


@pytest.mark.parametrize("hidden", [State.QUARANTINED, State.RETRACTED])
def test_what_is_not_in_force_is_never_listed(services: Services, hidden: State) -> None:
    memory = remembered(services, "disk").memory
    services.store.apply(changes(update=(changed(memory, state=hidden),)))
    assert listed(asked(services, "disk", include_archived=True)) == ()


def test_a_fact_tells_which_failures_it_caused(services: Services) -> None:
    fact = remembered(services, "the disk is at /mnt/a")
    failure = failed(services, "copy", caused_by=because(fact))
    (hit,) = asked(services, "disk").facts
    assert hit.failed_here == (bare(failure.memory),)


def test_a_failure_is_not_crowded_out_by_many_successes(services: Services) -> None:
    """The routine worked a hundred times and failed once: that once is what the agent must hear."""
    failed(services, "copy the report to the archive", correction="close it first")
    for _ in range(JUDGED + 10):
        recorded(services, "copy the report to the archive")
    found = asked(services, "copy the report to the archive")
    assert texts(found.errors) == ["copy the report to the archive"]
    assert [item.strength for item in found.reminders] == [Strength.REMIND]


def test_a_witness_is_not_crowded_out_by_copies_of_what_was_said(path: Path) -> None:
    """Copies were made of the very question and fit it best; they agree with nobody and silence nobody."""
    question = "copy the report to the archive"
    with opened(path, remind_from=0.2) as services:
        own = {
            failed(services, f"{question} of floor {n}", error_type="E", tool="cp").memory.id for n in (1, 2)
        }
        for _ in range(2 * JUDGED):
            failed(services, question, error_type="E", tool="cp", informed_by=("E-1",))
        said = asked(services, question, keys=SituationKeys(tool="mv")).reminders
    assert [item.evidence[0].id in own for item in said if item.strength is Strength.REMIND] == [True]


@pytest.mark.parametrize("result", [Result.PARTIAL, Result.FAILURE])
def test_a_partial_success_takes_no_place_among_the_failures_that_are_judged(
    services: Services, result: Result
) -> None:
    question = "copy the report to the archive"
    for number in range(3):
        failed(
            services, f"{question} of floor {number}", error_type="OSError", tool="cp", task_id=str(number)
        )
    for number in range(JUDGED + 10):
        recorded(services, question, result=result, error_type="E", tool="x", output=str(number))
    asking = [
        item for item in asked(services, question).reminders if item.evidence[0].error_type == "OSError"
    ]
    assert bool(asking) is (result is Result.PARTIAL)


def test_a_success_is_not_crowded_out_by_many_failures(services: Services) -> None:
    recorded(services, "copy the report to the archive")
    for number in range(JUDGED + 10):
        failed(services, "copy the report to the archive", error_type="OSError", output=str(number))
    assert len(asked(services, "copy the report to the archive", keys=SituationKeys(tool="x")).worked) == 1


def test_an_exact_repeat_is_reminded_of(services: Services) -> None:
    failure = failed(services, "sum [1, 2] in bash", correction="use awk")
    (reminder,) = asked(services, "sum [1, 2] in bash").reminders
    assert (reminder.strength, reminder.subject, reminder.confidence) == (
        Strength.REMIND,
        bare(failure.memory),
        1.0,
    )
    assert "use awk" in reminder.text


def test_a_partial_success_is_no_failure_to_remind_of(services: Services) -> None:
    recorded(services, "copy the disk", result=Result.PARTIAL)
    assert asked(services, "copy the disk").reminders == ()


def test_a_reminder_speaks_the_language_of_the_question(services: Services) -> None:
    failed(services, "求空数组的平均值")
    found = asked(services, "求空数组的平均值")
    assert found.language == "zh"
    assert found.reminders[0].text.startswith("注意")


def test_the_confidence_of_a_reminder_stands_at_its_hit(services: Services) -> None:
    failed(services, "copy the disk")
    found = asked(services, "copy the disk")
    assert found.errors[0].confidence == 1.0


def test_figures_stay_in_their_ranges(services: Services) -> None:
    for days in (-400, -10, 0, 1):
        remembered(services, f"the disk of day {days}", occurred_at=at(days * 86_400))
    for hit in asked(services, "the disk of day -10 is the disk", limit=20).facts:
        assert 0 <= hit.relevance <= 1
        assert 0.9 <= hit.decay <= 1
        assert hit.lexical_score >= 0
        assert hit.similarity is not None
        assert -1 <= hit.similarity <= 1


def test_it_waits_for_no_revision_that_is_not_there(services: Services) -> None:
    written = remembered(services, "disk")
    assert asked(services, "disk", min_revision=written.revision).facts
    error = refusal(lambda: asked(services, "disk", min_revision=written.revision + 1), services)
    assert isinstance(error, UnavailableError)
    assert error.field == "min_revision"


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "empty": ({"situation": " \n"}, BadInputError, "situation"),
    "long": ({"situation": "x" * (MAX_TEXT + 1)}, TooLargeError, "situation"),
    "NUL": ({"situation": "a\0b"}, BadInputError, "situation"),
    "surrogate": ({"situation": "\ud800"}, BadInputError, "situation"),
    "surrogate in concern": ({"concern": "\udfff"}, BadInputError, "concern"),
    "limit 0": ({"limit": 0}, BadInputError, "limit"),
    "limit -1": ({"limit": -1}, BadInputError, "limit"),
    "limit 10^6": ({"limit": 10**6}, BadInputError, "limit"),
    "naive start": ({"during": Period(start=at().replace(tzinfo=None))}, BadInputError, "during.start"),
    "naive end": ({"during": Period(end=at().replace(tzinfo=None))}, BadInputError, "during.end"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_question_is_refused_and_names_its_field(services: Services, name: str) -> None:
    fields, kind, field = BAD[name]
    remembered(services, "disk")
    question = Question(**({"situation": "disk"} | fields))
    for ask in (services.recall.ask, services.brief.brief):
        error = refusal(lambda ask=ask: ask(NS, question), services)  # type: ignore[misc]
        assert isinstance(error, kind)
        assert error.field == field


@pytest.mark.parametrize("name", ["", None, 1, "a\tb"])
def test_a_bad_namespace_is_refused(services: Services, name: Any) -> None:
    assert refusal(lambda: asked(services, "disk", name), services).field == "namespace"


def test_with_vectors_the_mode_is_hybrid(services: Services) -> None:
    remembered(services, "disk")
    assert asked(services, "disk").mode is RecallMode.HYBRID


def test_a_year_one_memory_can_be_asked_for(services: Services) -> None:
    remembered(services, "disk", occurred_at=at().replace(year=1))
    (hit,) = asked(services, "disk").facts
    assert hit.decay == pytest.approx(0.9)
