"""The product's ranking and its decision to remind, on an index in memory: what services do, without a store.

`recurrence` asks the services the same on a sample and tells whether they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache

import numpy as np

from benchmarks.recurrence_sets import Task
from graphmem.analysis.calibration import SHIPPED
from graphmem.analysis.diagnosis import diagnosed
from graphmem.analysis.past_runs import Asked, PastFailure
from graphmem.analysis.reminding import Said, decide
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.analysis.vectors import Floats
from graphmem.domain.answers import Recollection, Reminder, Strength
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import Experience, MemoryKind, Result, searchable
from graphmem.index.cluster_view import ClusterView
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import PreparedQuery, Space
from graphmem.index.search import Candidate, Search, search
from graphmem.ports.embedder import Embedder
from graphmem.ports.queries import ChangeFeed, Cursor, FeedRow
from graphmem.services.saying import JUDGED, judged, past_failure
from graphmem.services.wording import prompt_text, reminder_text, tokens_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Found = tuple[Candidate, Experience]


class Encoder:
    """Tasks as memories and as questions, each made once."""

    def __init__(self, embedder: Embedder) -> None:
        """Over the embedder's own space."""
        self.embedder = embedder
        self.space = Space(embedder.parameters)
        self.raw = lru_cache(maxsize=None)(self._raw)
        self.query = lru_cache(maxsize=None)(self._query)
        self.experience = lru_cache(maxsize=None)(self._experience)

    def cosine(self, first: str, second: str) -> float:
        """Product of the vectors of two texts as the embedder gives them."""
        return float(self._floats(first) @ self._floats(second))

    def _raw(self, text: str) -> bytes:
        """The vector of a text as the embedder gives it."""
        return self.embedder.embed([text])[0]

    def _floats(self, text: str) -> Floats:
        return np.frombuffer(self.raw(text), dtype="<f4")

    def _query(self, text: str) -> PreparedQuery:
        language = language_of(text)
        vector = self.space.prepare(self.raw(text), language)
        return PreparedQuery(text, tuple(tokenize(text)), language, vector)

    def _experience(self, task: Task) -> Experience:
        told = diagnosed(draft(task))
        bare = Experience(
            id=task.name,
            namespace="main",
            occurred_at=NOW,
            recorded_at=NOW,
            action=told.action,
            result=told.result,
            error_type=told.error_type,
            manifestation=told.manifestation,
            root_cause=told.root_cause,
            correction=told.correction,
            agent=told.agent,
            tool=told.tool,
            task_type=told.task_type,
            task_id=told.task_id,
        )
        texts = searchable(bare)
        vectors = {name: self.raw(text) for name, text in texts.items()}
        return replace(bare, vectors=vectors)


def draft(task: Task) -> ExperienceDraft:
    """What the agent notes of a task that failed."""
    return ExperienceDraft(
        key=task.name,
        action=task.done,
        result=Result.FAILURE,
        error_type=task.error_type,
        manifestation=task.outcome,
        correction=task.correction,
        agent=task.keys.agent,
        tool=task.keys.tool,
        task_type=task.keys.task_type,
        task_id=task.group if task.group != task.family else task.name,
    )


@dataclass(frozen=True)
class Answer:
    """What was found for a task. found: all that can be listed or said, best first; fitting and nearest: the failures
    that the gate sees without and with weak ones.
    """

    found: Sequence[Found]
    fitting: Sequence[PastFailure]
    nearest: Sequence[PastFailure]

    def listed(self, weak: bool) -> list[Experience]:
        """The failures, best first, with weak ones or without."""
        return [memory for candidate, memory in self.found if weak or not candidate.weak]

    def said(self, task: Task, least: float, weak: bool) -> tuple[Said, ...]:
        """What the product says with the gate at `least`; weak: the gate also sees the weak ones, questions never."""
        asked = Asked(task.situation, task.keys.tool)
        return decide(asked, self.nearest if weak else self.fitting, SHIPPED, least).said


class Notes:
    """Failures noted so far, with their clusters and the patterns over these, and what they say of a task."""

    def __init__(self, encoder: Encoder, grouped: bool = True) -> None:
        """Empty. grouped: failures are put into clusters, which makes patterns and is slow."""
        self._encoder, self._grouped = encoder, grouped
        self._index = NamespaceIndex(encoder.space)
        self._clusters = ClusterView(encoder.space.parameters)
        self._cluster_of: dict[str, str] = {}
        self._pattern_of: dict[str, str] = {}
        self._memories: dict[str, Experience] = {}
        self.noted: dict[str, Task] = {}

    def note(self, task: Task, informed: bool = False) -> None:
        """The task failed; informed: what is noted says that it was informed by what was shown."""
        memory = self._encoder.experience(task)
        if informed:
            memory = replace(memory, informed_by=("shown",))
        self.noted[task.name] = task
        self._memories[task.name] = memory
        self._index.shelves[MemoryKind.EXPERIENCE].put(memory)
        if not self._grouped:
            return
        row = FeedRow(memory=memory, edges=(), digest=0)
        self._clusters.take(ChangeFeed(rows=(row,), tombstones=(), next=Cursor(), complete=True))
        cluster = self._clusters.place(memory.id)
        self._cluster_of.update(dict.fromkeys((one.id for one in self._clusters.members(cluster)), cluster))
        self._pattern_of.update(dict.fromkeys(self._clusters.core(cluster), cluster))

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
        return [(one, self._memories[one.id]) for one in ranked]

    def answer(self, task: Task) -> Answer:
        """What is found, and what the gate makes its decision on."""
        found = self.find(task)
        nearest = self.past(found)
        looked_at = {failure.id for failure in nearest}
        kept = [pair for place, pair in enumerate(found) if place < JUDGED or pair[0].id in looked_at]
        return Answer(kept, self.past([pair for pair in found if not pair[0].weak]), nearest)

    def said(self, task: Task, found: Sequence[Found], least: float) -> tuple[Said, ...]:
        """What the product says of the failures found, with the gate at `least`."""
        return decide(Asked(task.situation, task.keys.tool), self.past(found), SHIPPED, least).said

    def past(self, found: Sequence[Found]) -> list[PastFailure]:
        """The failures that are looked at, as the gate sees them."""
        memories = {candidate.id: memory for candidate, memory in found}
        looked_at = judged([candidate for candidate, _ in found])
        return self._failures([(one, memories[one.id]) for one in looked_at])

    def _failures(self, judged: Sequence[Found]) -> list[PastFailure]:
        return [
            past_failure(
                found,
                replace(memory, cluster_id=self._cluster_of.get(memory.id, "")),
                self._pattern_of.get(memory.id, ""),
            )
            for found, memory in judged
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
