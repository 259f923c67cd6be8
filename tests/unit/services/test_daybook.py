"""The daily log: the day's facts and experiences by task, else session, else alone."""

from __future__ import annotations

from datetime import date

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseReview
from graphmem.domain.errors import BadInputError
from graphmem.services import daybook
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import because, failed, moment, recorded, remembered

DAY = date(2026, 3, 1)
MORNING = moment("2026-03-01T00:00:00Z")


def told(services: Services, day: date = DAY, namespace: str = NS) -> list[tuple[str, str, list[str]]]:
    log = services.daybook.day(namespace, day)
    return [(one.task_id, one.session_id, [item.ref for item in one.memories]) for one in log.episodes]


def test_a_day_begins_and_ends_at_midnight_utc(services: Services) -> None:
    for text in ("2026-02-28T23:59:59.999999Z", "2026-03-02T00:00:00Z"):
        recorded(services, "outside", occurred_at=moment(text))
    recorded(services, "last", occurred_at=moment("2026-03-01T23:59:59.999999Z"))
    recorded(services, "first", occurred_at=MORNING)
    recorded(services, "by another clock", occurred_at=moment("2026-03-02T07:00:00+08:00"))
    assert [ref for _, _, refs in told(services) for ref in refs] == ["E-4", "E-5", "E-3"]


def test_episodes_are_tasks_then_sessions_then_memories_alone(services: Services) -> None:
    recorded(services, "a", task_id="t", session_id="s1")
    recorded(services, "b", session_id="s2")
    recorded(services, "c")
    recorded(services, "d", task_id="t", session_id="s2")
    remembered(services, "e", session_id="s2")
    recorded(services, "f")
    assert told(services) == [
        ("t", "", ["E-1", "E-4"]),
        ("", "s2", ["E-2", "F-1"]),
        ("", "", ["E-3"]),
        ("", "", ["E-5"]),
    ]


def test_a_task_in_one_session_says_which(services: Services) -> None:
    recorded(services, "a", task_id="t", session_id="s1")
    assert told(services) == [("t", "s1", ["E-1"])]


def test_causes_are_named_across_days_and_refuted_ones_left_out(services: Services) -> None:
    old = remembered(services, "the disk is full", occurred_at=moment("2026-02-01T00:00:00Z"))
    near = failed(services, "read the file")
    failed(services, "load the table", caused_by=because(old, near))
    causes = services.daybook.day(NS, DAY).causes
    assert {(one.effect, one.cause, one.title) for one in causes} == {
        ("E-2", "F-1", "the disk is full"),
        ("E-2", "E-1", "read the file"),
    }
    services.link.review(NS, CauseReview(effect="E-2", cause="F-1", verdict=VerdictKind.REFUTE))
    assert [one.cause for one in services.daybook.day(NS, DAY).causes] == ["E-1"]


def test_a_day_of_too_much_is_cut_and_said(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daybook, "MOST", 2)
    for number in range(3):
        recorded(services, str(number), task_id="t")
    log = services.daybook.day(NS, DAY)
    assert ([len(one.memories) for one in log.episodes], log.truncated) == ([2], True)
    monkeypatch.setattr(daybook, "MOST", 3)
    assert services.daybook.day(NS, DAY).truncated is False


def test_another_namespace_and_another_day_are_empty(services: Services) -> None:
    recorded(services, "a")
    assert told(services, namespace="other") == []
    assert told(services, date(2026, 3, 2)) == []


def test_the_last_day_of_the_calendar_is_refused(services: Services) -> None:
    with pytest.raises(BadInputError, match="calendar"):
        services.daybook.day(NS, date.max)
