"""What worked since speaks against a question: read only where one hangs on it, and not what a reminder helped."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from graphmem.domain.answers import Strength
from graphmem.domain.memories import Memory
from graphmem.domain.recurrence import Answer, ReminderAnswer
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import asked, failed, recorded

WORDS = ("orders", "invoices", "tickets", "visits", "returns", "refunds", "parcels", "letters", "claims")
SITUATION = "upload the report of members to the portal"


@pytest.fixture
def failing(services: Services) -> Services:
    """Three failures of one tool and kind, all about as near."""
    for word in WORDS[:3]:
        failed(
            services,
            f"upload the report of {word} to the portal",
            tool="http",
            error_type="HTTPError",
            manifestation=f"{word} was too large",
        )
    return services


def work(services: Services, count: int, session: str = "") -> None:
    """So many runs like the one asked about that work."""
    for number in range(count):
        recorded(
            services, f"{SITUATION} {number + 100}", tool="http", session_id=session and f"{session}{number}"
        )


def said(services: Services, session: str = "") -> list[Strength]:
    """How strongly anything is said."""
    return [item.strength for item in asked(services, SITUATION, session_id=session).reminders]


def test_what_mostly_works_is_asked_about_no_more(failing: Services) -> None:
    assert said(failing) == [Strength.ASK]
    work(failing, 6)
    assert said(failing) == [Strength.ASK]
    work(failing, 20)
    assert said(failing) == []
    assert len(asked(failing, SITUATION).errors) == 3


def test_it_asks_again_once_it_fails_as_often_again(failing: Services) -> None:
    work(failing, 12)
    assert said(failing) == []
    for number in range(200, 212):
        failed(failing, f"{SITUATION} {number}", tool="http", error_type="HTTPError")
    assert Strength.ASK in said(failing)


def test_what_worked_because_a_reminder_was_applied_does_not_silence_it(failing: Services) -> None:
    for number in range(20):
        (reminder,) = asked(failing, SITUATION, session_id=f"s{number}").reminders
        failing.sessions.answer(NS, ReminderAnswer(exposure_id=reminder.exposure_id, answer=Answer.APPLIED))
        recorded(failing, f"{SITUATION} {number}", tool="http", session_id=f"s{number}")
    assert said(failing) == [Strength.ASK]


def test_what_worked_though_a_reminder_did_not_apply_counts(failing: Services) -> None:
    for number in range(12):
        for reminder in asked(failing, SITUATION, session_id=f"s{number}").reminders:
            failing.sessions.answer(
                NS, ReminderAnswer(exposure_id=reminder.exposure_id, answer=Answer.NOT_APPLICABLE)
            )
        recorded(failing, f"{SITUATION} {number}", tool="http", session_id=f"s{number}")
    assert said(failing) == []


def test_successes_are_read_only_where_a_question_hangs_on_them(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that asks nothing reads the store once."""
    reads: list[int] = []
    get = services.store.get

    def counted(namespace: str, ids: Sequence[str], **given: bool) -> dict[str, Memory]:
        reads.append(len(ids))
        return get(namespace, ids, **given)

    for word in WORDS[:2]:
        failed(services, f"upload the report of {word} to the portal", tool="http", error_type="HTTPError")
    work(services, 12)
    monkeypatch.setattr(services.store, "get", counted)
    assert said(services) == []
    assert len(reads) == 1
    failed(services, "upload the report of visits to the portal", tool="http", error_type="HTTPError")
    reads.clear()
    assert said(services) == []
    assert len(reads) == 2
