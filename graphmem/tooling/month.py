"""A month of work lived through the services, with a coin in it: what a warning does is planted, to be found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from graphmem.domain.answers import Recollection
from graphmem.domain.drafts import ExperienceDraft, Question, SituationKeys
from graphmem.domain.memories import Channel, Result, Writer
from graphmem.wiring import Services

STARTS = datetime(2026, 2, 2, 8, 0, tzinfo=UTC)
HOLDOUT = 0.5
"""The share of sessions from which the coin withholds the lesson."""
FAILS = 0.6
"""How often the work fails when nothing is said."""
FAILS_WARNED = 0.25
"""How often it fails when the lesson is shown: the planted effect is FAILS_WARNED - FAILS."""
OCCASION = 0.85
"""Share of the sessions in which the work is done at all; the others end censored."""
TOOL, TASK_TYPE, ERROR = "load_prices", "import", "ValueError"
ACTION = "load the prices of a shop"
AGENT = Writer(id="shopkeeper", channel=Channel.AGENT)


class Calendar:
    """The clock of the month: it stands still until it is set. Give it to build()."""

    def __init__(self) -> None:
        self.now = STARTS

    def __call__(self) -> datetime:
        """The time it is set to."""
        return self.now


@dataclass(frozen=True, slots=True)
class Month:
    """How long it is and how busy. seed: of what happens in it; equal seeds live equal months."""

    days: int = 30
    sessions: int = 6
    seed: int = 3

    def live(self, services: Services, namespace: str, calendar: Calendar) -> None:
        """Three failures on the eve, then sessions: ask, act, say how it went, end.

        namespace: empty. services: built with calendar as their clock, a hold-out rate of HOLDOUT and ids that are
        the same on every run, since the coin falls by them. Raises GraphmemError.
        """
        chance = Random(self.seed)
        for number in range(3):
            calendar.now = STARTS + timedelta(hours=number)
            self._act(services, namespace, f"eve-{number}", failed=True)
        for day in range(1, self.days + 1):
            for number in range(self.sessions):
                calendar.now = STARTS + timedelta(days=day, hours=number)
                self._session(services, namespace, f"day-{day}-{number}", chance.random, calendar)

    def _session(
        self,
        services: Services,
        namespace: str,
        session: str,
        draw: Callable[[], float],
        calendar: Calendar,
    ) -> None:
        done, lot = draw() < OCCASION, draw()
        question = Question(
            situation=ACTION,
            keys=SituationKeys(tool=TOOL, task_type=TASK_TYPE, agent=AGENT.id),
            session_id=session,
        )
        warned = _said(services.recall.ask(namespace, question))
        calendar.now += timedelta(minutes=5)
        if done:
            self._act(services, namespace, session, failed=lot < (FAILS_WARNED if warned else FAILS))
        calendar.now += timedelta(minutes=5)
        services.sessions.end(namespace, session)

    def _act(self, services: Services, namespace: str, session: str, failed: bool) -> None:
        draft = ExperienceDraft(
            action=ACTION,
            result=Result.FAILURE if failed else Result.SUCCESS,
            context="the file has an empty price column",
            error_type=ERROR if failed else "",
            manifestation="could not convert an empty string to a number" if failed else "",
            correction="skip rows without a price" if failed else "",
            tool=TOOL,
            agent=AGENT.id,
            task_type=TASK_TYPE,
            task_id=session,
            session_id=session,
            key=f"month:{self.seed}:{session}",
            writer=AGENT,
        )
        services.remember.experience(namespace, draft)


def _said(found: Recollection) -> bool:
    """Whether the lesson, or a failure of it, was shown."""
    return bool(found.errors or found.patterns or found.reminders)
