"""The product's ranking and its decision to remind, on an index in memory: what services do, without a store.

`recurrence` asks the services the same on a sample and tells whether they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from benchmarks.recurrence_sets import Task
from graphmem.analysis.calibration import SHIPPED
from graphmem.analysis.reminding import Asked, PastFailure, Said, decide
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.domain.answers import Recollection, Reminder, Strength
from graphmem.domain.memories import Experience, MemoryKind, Result, searchable
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import PreparedQuery, Space
from graphmem.index.search import Candidate, Search, search
from graphmem.ports.embedder import Embedder
from graphmem.services.wording import prompt_text, reminder_text, tokens_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Found = tuple[Candidate, Experience]


class Encoder:
    """Tasks as memories and as questions, each made once."""

    def __init__(self, embedder: Embedder) -> None:
        """Over the embedder's own space."""
        self.embedder = embedder
        self.space = Space(embedder.parameters)
        self.query = lru_cache(maxsize=None)(self._query)
        self.experience = lru_cache(maxsize=None)(self._experience)

    def raw(self, text: str) -> bytes:
        """The vector of a text as the embedder gives it."""
        return self.embedder.embed([text])[0]

    def _query(self, text: str) -> PreparedQuery:
        language = language_of(text)
        vector = self.space.prepare(self.raw(text), language)
        return PreparedQuery(text, tuple(tokenize(text)), language, vector)

    def _experience(self, task: Task) -> Experience:
        bare = Experience(
            id=task.name,
            namespace="main",
            occurred_at=NOW,
            recorded_at=NOW,
            action=task.done,
            result=Result.FAILURE,
            error_type=task.error_type,
            manifestation=task.outcome,
            correction=task.correction,
            agent=task.keys.agent,
            tool=task.keys.tool,
            task_type=task.keys.task_type,
            task_id=task.group,
        )
        texts = searchable(bare)
        vectors = {name: self.raw(text) for name, text in texts.items()}
        return replace(bare, vectors=vectors)


class Notes:
    """Failures noted so far, and what they say of a task."""

    def __init__(self, encoder: Encoder) -> None:
        """Empty."""
        self._encoder = encoder
        self._index = NamespaceIndex(encoder.space)
        self.noted: dict[str, Task] = {}

    def note(self, task: Task) -> None:
        """The task failed."""
        self.noted[task.name] = task
        self._index.shelves[MemoryKind.EXPERIENCE].put(self._encoder.experience(task))

    def find(self, task: Task) -> list[Found]:
        """Failures for a task, best first, as recall lists them."""
        keys = task.keys
        wanted = {"agent": keys.agent, "tool": keys.tool, "task_type": keys.task_type}
        question = Search(
            kind=MemoryKind.EXPERIENCE,
            situation=self._encoder.query(task.situation),
            concern=self._encoder.query(task.concern) if task.concern else None,
            keys={name: value for name, value in wanted.items() if value},
            now=NOW,
        )
        ranked = search(self._index, question)
        return [(one, self._encoder.experience(self.noted[one.id])) for one in ranked]

    def said(self, task: Task, found: Sequence[Found], least: float) -> list[Said]:
        """What the product says of the failures found, with the gate at `least`."""
        return decide(Asked(task.situation, task.keys.tool), past(found), SHIPPED, least)


def past(found: Sequence[Found]) -> list[PastFailure]:
    """Failures found, as the gate sees them."""
    return [
        PastFailure(
            id=memory.id,
            relevance=candidate.relevance,
            action=memory.action,
            situation=memory.situation,
            family=memory.error_type,
            tool=memory.tool,
            task_type=memory.task_type,
        )
        for candidate, memory in found
    ]


def tokens_said(said: Sequence[Said], found: Sequence[Found], situation: str) -> int:
    """Tokens of promptText with these reminders and nothing else."""
    memories = {memory.id: memory for _, memory in found}
    language = language_of(situation)
    reminders = []
    for item in said:
        evidence = tuple(memories[name] for name in item.ids)
        text = reminder_text(item.strength is Strength.ASK, evidence, language)
        reminders.append(Reminder(strength=item.strength, text=text, subject=evidence[0], evidence=evidence))
    return tokens_of(prompt_text(Recollection(reminders=tuple(reminders), language=language)))


def tokens_listed(memories: Sequence[Experience], situation: str) -> int:
    """Tokens of a list of failures, each told as a reminder tells it."""
    if not memories:
        return 0
    return tokens_of(reminder_text(False, memories, language_of(situation)))
