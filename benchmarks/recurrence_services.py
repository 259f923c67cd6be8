"""The same questions put to the services on a temporary SQLite store."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

from benchmarks.recurrence_memory import NOW, Encoder, Notes, draft
from benchmarks.recurrence_policies import LISTED
from benchmarks.recurrence_sets import Task
from graphmem.config import Settings
from graphmem.domain.answers import Recollection
from graphmem.domain.drafts import Question
from graphmem.domain.rules import REMIND_PROBABILITY
from graphmem.wiring import Services, build


@contextmanager
def opened(encoder: Encoder) -> Iterator[Services]:
    """Services over an empty temporary store, at a standing clock, with the encoder's vectors."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=f"sqlite:///{folder}/memory.db", embed_timeout_s=60)
        services = build(settings, embedder=encoder.embedder, clock=lambda: NOW)
        try:
            yield services
        finally:
            services.close()


def ask(services: Services, task: Task) -> Recollection:
    """What the product answers before a task."""
    question = Question(situation=task.situation, concern=task.concern, keys=task.keys, limit=LISTED)
    return services.recall.ask("main", question)


def agreement(tasks: Sequence[Task], encoder: Encoder, orders: int) -> list[float]:
    """1 where the services list and say the same as the index in memory, per question; everything is noted."""
    same = []
    for seed in range(1, orders + 1):
        with opened(encoder) as services:
            notes, names = Notes(encoder), dict[str, str]()
            for task in Random(seed).sample(list(tasks), len(tasks)):
                found = notes.find(task)
                own = [memory.id for _, memory in found[:LISTED]]
                told = [list(item.ids) for item in notes.said(task, found, REMIND_PROBABILITY)]
                answer = ask(services, task)
                listed = [names[hit.memory.id] for hit in answer.errors]
                said = [[names[memory.id] for memory in item.evidence] for item in answer.reminders]
                same.append(float(listed == own and said == told))
                if task.family:
                    written = services.remember.experience("main", draft(task))
                    names[written.memory.id] = task.name
                    notes.note(task)
    return same
