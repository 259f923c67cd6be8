"""Answers to reminders and ends of sessions: both can be repeated, and both say when there is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.domain.errors import GraphmemError
from graphmem.domain.recurrence import Answer, ReminderAnswer, exposure_id
from graphmem.domain.rules import MAX_SHORT, MAX_TEXT
from graphmem.services.sessions import ANSWERABLE
from graphmem.wiring import Services
from tests.builders import NS, Clock, at
from tests.services import asked, exposures, failed, opened, recorded, refused, state
from tests.unit.services.test_served import session

APPLIED, REFUTED = Answer.APPLIED, Answer.REFUTED


def told(services: Services, name: str = "s") -> str:
    """The exposure of a reminder that a session was told."""
    failed(services, "copy the disk")
    return asked(services, "copy the disk", session_id=name).reminders[0].exposure_id


def answer(id: str, given: Answer = APPLIED, note: str = "") -> ReminderAnswer:
    """An answer."""
    return ReminderAnswer(exposure_id=id, answer=given, note=note)


def test_an_answer_is_kept_with_its_exposure(services: Services) -> None:
    id = told(services)
    found = services.sessions.answer(NS, answer(id, note="checked first"))
    assert (found.answer, found.note, found.session_id) == (APPLIED, "checked first", "s")
    assert exposures(services) == [found]
    assert found.answered_at is not None


def test_the_same_answer_again_changes_nothing(services: Services) -> None:
    id = told(services)
    first = services.sessions.answer(NS, answer(id))
    before = state(services)
    assert services.sessions.answer(NS, answer(id)) == first
    assert state(services) == before


def test_a_later_answer_takes_the_place_of_an_earlier_one(services: Services) -> None:
    id = told(services)
    services.sessions.answer(NS, answer(id))
    services.sessions.answer(NS, answer(id, REFUTED, "it was another disk"))
    assert [(item.answer, item.note) for item in exposures(services)] == [(REFUTED, "it was another disk")]


def test_an_answer_survives_the_next_question(services: Services) -> None:
    id = told(services)
    services.sessions.answer(NS, answer(id))
    asked(services, "copy the disk", session_id="s")
    assert [item.answer for item in exposures(services)] == [APPLIED]


def test_another_process_can_answer(path: Path) -> None:
    with opened(path) as first:
        id = told(first)
    with opened(path, seed=1) as second:
        assert second.sessions.answer(NS, answer(id)).answer is APPLIED


def test_an_old_exposure_cannot_be_answered_elsewhere(path: Path) -> None:
    with opened(path) as first:
        id = told(first)
    late = Clock(at(ANSWERABLE.total_seconds() + 3_600))
    with opened(path, seed=1, clock=late) as second:
        assert refused(second, second.sessions.answer, NS, answer(id)) == "NOT_FOUND exposure_id"


def test_secrets_in_a_note_are_replaced(services: Services) -> None:
    found = services.sessions.answer(NS, answer(told(services), note="API_TOKEN=fake-1234567890abcdef"))
    assert "fake-1234567890abcdef" not in found.note


BAD = {
    "unknown": (answer("f" * 32), "NOT_FOUND exposure_id"),
    "a ref": (answer("E-1"), "NOT_FOUND exposure_id"),
    "empty": (answer(" "), "BAD_INPUT exposure_id"),
    "long": (answer("x" * (MAX_SHORT + 1)), "TOO_LARGE exposure_id"),
    "long note": (answer("x", note="n" * (MAX_TEXT + 1)), "TOO_LARGE note"),
    "NUL in note": (answer("x", note="a\0b"), "BAD_INPUT note"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_refused(services: Services, name: str) -> None:
    told(services)
    services.notebook.flush()
    given, expected = BAD[name]
    assert refused(services, services.sessions.answer, NS, given) == expected


def test_another_namespace_knows_nothing_of_it(services: Services) -> None:
    id = told(services)
    services.notebook.flush()
    assert refused(services, services.sessions.answer, "other", answer(id)) == "NOT_FOUND exposure_id"
    assert refused(services, services.sessions.end, "other", "s") == "NOT_FOUND id"


def test_what_was_withheld_cannot_be_answered(path: Path) -> None:
    with opened(path, holdout=0.5) as services:
        memory = failed(services, "copy the disk").memory
        name = session(memory.id, True)
        asked(services, "copy the disk", session_id=name)
        services.notebook.flush()
        given = answer(exposure_id(name, memory.id))
        assert refused(services, services.sessions.answer, NS, given) == "NOT_FOUND exposure_id"


def test_an_answer_to_what_was_forgotten_is_refused(services: Services) -> None:
    id = told(services)
    services.forget.forget(NS, "E-1")
    assert refused(services, services.sessions.answer, NS, answer(id)) == "NOT_FOUND exposure_id"


def test_a_session_is_ended_once(services: Services) -> None:
    recorded(services, "work", session_id="s")
    first = services.sessions.end(NS, "s")
    before = state(services)
    again = services.sessions.end(NS, "s")
    assert (first.already, again.already, again.at) == (False, True, first.at)
    assert state(services) == before


def test_a_session_that_only_asked_can_be_ended(services: Services) -> None:
    asked(services, "anything", session_id="s")
    assert services.sessions.end(NS, "s").session_id == "s"


def test_sessions_with_one_name_are_of_their_namespace(services: Services) -> None:
    for namespace in (NS, "other"):
        recorded(services, "work", namespace, session_id="s")
    services.sessions.end(NS, "s")
    assert services.sessions.end("other", "s").already is False


@pytest.mark.parametrize(
    ("name", "expected"),
    [("nobody", "NOT_FOUND id"), ("", "BAD_INPUT id"), ("x" * (MAX_SHORT + 1), "TOO_LARGE id")],
)
def test_what_is_no_session_is_refused(services: Services, name: str, expected: str) -> None:
    recorded(services, "work", session_id="s")
    assert refused(services, services.sessions.end, NS, name) == expected


@pytest.mark.parametrize("namespace", ["", "a\tb"])
def test_a_bad_namespace_is_refused(services: Services, namespace: str) -> None:
    for call in (
        lambda: services.sessions.answer(namespace, answer("x")),
        lambda: services.sessions.end(namespace, "s"),
    ):
        with pytest.raises(GraphmemError) as caught:
            call()
        assert caught.value.field == "namespace"
