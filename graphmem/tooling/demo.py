"""The play of the demo: a scripted agent, without memory and with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol

from graphmem.config import is_server
from graphmem.domain.answers import Hit, Impact, Recollection, Strength
from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft, Question, SituationKeys
from graphmem.domain.explanations import Explanation
from graphmem.domain.identifiers import uuid7
from graphmem.domain.memories import Channel, Experience, Memory, Result, Writer
from graphmem.services.wording import prompt_text
from graphmem.tooling.demo_story import (
    AGENT,
    ERROR,
    FAILED,
    NEW,
    ORDINARY,
    QUESTIONS,
    STORIES,
    TASK_TYPE,
    TOLD,
    TOOL,
    Rows,
    shown,
    worded,
)
from graphmem.wiring import Services

STARTS = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
USER = Writer(id="user", channel=Channel.USER)
WRITER = Writer(id=AGENT, channel=Channel.AGENT)


class Screen(Protocol):
    """Where the play is shown, as the commands would show it."""

    def line(self, text: str = "") -> None:
        """One line."""
        ...

    def heading(self, text: str) -> None:
        """The title of an act."""
        ...

    def table(self, cells: Sequence[Sequence[str]]) -> None:
        """Aligned rows."""
        ...

    def hits(self, label: str, hits: Sequence[Hit]) -> None:
        """One line a hit, the label before the first."""
        ...

    def reminders(self, found: Recollection) -> None:
        """What is said, with its evidence."""
        ...

    def explanation(self, found: Explanation) -> None:
        """A cause tree with its roots."""
        ...

    def impact(self, found: Impact) -> None:
        """What followed, as a tree."""
        ...


class Clock:
    """A clock that moves one minute at every look, the same on every run."""

    def __init__(self, start: datetime = STARTS) -> None:
        self._now = start

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


def numbered_ids() -> Callable[[datetime], str]:
    """Identifiers that are the same on every run."""
    numbers = count(1)
    return lambda at: uuid7(at, next(numbers))


def clean_rows(rows: Rows) -> list[float]:
    """The agent's tool: the rows as sorted numbers. Raises ValueError for every input it was not written for."""
    try:
        numbers = [float(str(row)) for row in rows]
        if not numbers or any(number != number for number in numbers):
            raise ValueError("nothing to sort")
    except ValueError as error:
        raise ValueError(f"cannot clean {shown(rows)}") from error
    return sorted(numbers)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a try ended. found: what memory answered before it, None for an agent without memory."""

    rows: Rows
    result: list[float] | None
    found: Recollection | None

    @property
    def strength(self) -> Strength | None:
        """How strongly the agent was warned or asked; None when nothing was said."""
        said = self.found.reminders if self.found else ()
        return said[0].strength if said else None


class Agent:
    """Cleans whatever comes. Warned or asked, it looks for missing values first; else it just does it."""

    def __init__(self, services: Services | None, namespace: str, language: str) -> None:
        self._services = services
        self._namespace = namespace
        self._story = STORIES[language]

    def clean(self, rows: Rows) -> Outcome:
        """Ask memory where there is one, then act."""
        found = self._ask(rows)
        try:
            if found and found.reminders:
                present = [row for row in rows if row not in (None, "") and row == row]
                return Outcome(rows, clean_rows(present) if present else [], found)
            return Outcome(rows, clean_rows(rows), found)
        except ValueError:
            return Outcome(rows, None, found)

    def _ask(self, rows: Rows) -> Recollection | None:
        if self._services is None:
            return None
        situation = f"{self._story.action}: rows = {shown(rows)}"
        keys = SituationKeys(tool=TOOL, task_type=TASK_TYPE, agent=AGENT)
        return self._services.recall.ask(self._namespace, Question(situation=situation, keys=keys))


@dataclass(frozen=True, slots=True)
class Play:
    """One showing: over which memory, in which language, where, and how the program is called."""

    services: Services
    namespace: str
    language: str
    screen: Screen
    program: str = "graphmem"

    def show(self) -> None:
        """All four acts."""
        self.screen.line(self._say("title"))
        self.failures()
        self.boundary()
        self.chain()
        self.questions()
        self.yours()

    def failures(self) -> None:
        """The user says a rule once; three inputs fail all the same."""
        story = STORIES[self.language]
        draft = FactDraft(statement=TOLD, subject=TOOL, writer=USER, key="demo:told")
        fact = self.services.remember.fact(self.namespace, draft).memory
        self.screen.line(f"{self._say('told')}  {fact.ref} {TOLD}")
        self.screen.line(self._say("failed", tool=TOOL, error=ERROR))
        cells: list[list[str]] = []
        for number, (rows, correction) in enumerate(zip(FAILED, story.corrections, strict=True), start=1):
            memory = self._record(f"demo:{self.language}:failed:{number}", rows, correction)
            cells.append([f"   {memory.ref} ✗", f"rows = {shown(rows)}", f"→ {correction}"])
        self.screen.table(cells)
        self.services.maintain.embed_pending(self.namespace)

    def boundary(self) -> None:
        """New boundary inputs, and an ordinary one, with and without memory."""
        without = Agent(None, self.namespace, self.language)
        remembering = Agent(self.services, self.namespace, self.language)
        tried = [(without.clean(rows), remembering.clean(rows)) for rows in (*NEW, *ORDINARY)]
        self.screen.heading(self._say("new"))
        head = ["   " + self._say("input"), self._say("without"), self._say("with")]
        self.screen.table([head, *(self._row(*pair) for pair in tried)])
        asked = next((o for _, o in tried if o.strength is Strength.ASK), tried[0][1])
        self.screen.line(self._say("said", rows=shown(asked.rows)))
        if asked.found:
            self.screen.reminders(asked.found)
        ordinary = tried[-1][1]
        assert ordinary.found is not None
        self.screen.line(
            self._say(
                "prompt",
                rows=shown(ordinary.rows),
                count=len(ordinary.found.reminders),
                warnings=warnings_in(ordinary.found),
            )
        )

    def chain(self) -> None:
        """Three errors, each caused by the one before: the tree, the root, the damage."""
        effects = self._record_chain()
        self.services.maintain.embed_pending(self.namespace)
        self.screen.heading(self._say("chain"))
        explained = self.services.explain.explain(self.namespace, effects[-1].id, limit=2)
        self.screen.explanation(explained)
        self.screen.impact(self.services.explain.impact(self.namespace, explained.root_causes[0].memory.id))

    def questions(self) -> None:
        """The same memory, asked in Chinese and in English."""
        self.screen.heading(self._say("ask"))
        for situation in QUESTIONS:
            question = Question(situation=situation, limit=2, keys=SituationKeys(tool=TOOL))
            found = self.services.recall.ask(self.namespace, question)
            self.screen.line(f" > {situation}")
            self.screen.hits(self._say("facts"), found.facts)
            self.screen.hits(self._say("errors"), found.errors)

    def yours(self) -> None:
        """A command that works as it stands."""
        self.screen.heading(self._say("yours"))
        self.screen.line(f"{self.program} {STORIES[self.language].paste}")
        self.screen.line(self._say("next", program=self.program))
        if not is_server(self.services.settings.store):
            self.screen.line(self._say("neo4j"))

    def _say(self, key: str, **values: object) -> str:
        return worded(key, self.language, **values)

    def _row(self, without: Outcome, remembering: Outcome) -> list[str]:
        said = remembering.strength.value if remembering.strength else self._say("silent")
        return [
            f"   rows = {shown(without.rows)}",
            self._ending(without),
            f"{said} → {self._ending(remembering)}",
        ]

    def _ending(self, outcome: Outcome) -> str:
        return f"✗ {self._say('fails')} ({ERROR})" if outcome.result is None else f"✓ {outcome.result}"

    def _record(self, key: str, rows: Rows, correction: str) -> Memory:
        draft = ExperienceDraft(
            key=key,
            action=STORIES[self.language].action,
            context=f"rows = {shown(rows)}",
            result=Result.FAILURE,
            error_type=ERROR,
            correction=correction,
            tool=TOOL,
            agent=AGENT,
            task_type=TASK_TYPE,
            task_id=key,
            writer=WRITER,
        )
        return self.services.remember.experience(self.namespace, draft).memory

    def _record_chain(self) -> list[Memory]:
        written: list[Memory] = []
        for number, step in enumerate(STORIES[self.language].chain, start=1):
            cause = (CauseRef(id=written[-1].id),) if written else ()
            draft = ExperienceDraft(
                key=f"demo:{self.language}:chain:{number}",
                action=step.action,
                context=step.context,
                result=Result.FAILURE,
                error_type=step.error_type,
                manifestation=step.manifestation,
                tool=step.tool,
                task_id=f"demo:{self.language}:report",
                caused_by=cause,
                writer=WRITER,
            )
            written.append(self.services.remember.experience(self.namespace, draft).memory)
        return written


def warnings_in(found: Recollection) -> int:
    """How many past failures the block for the model speaks of."""
    said = prompt_text(found)
    return sum(
        1 for hit in found.errors if isinstance(hit.memory, Experience) and f"- {hit.memory.ref} " in said
    )
