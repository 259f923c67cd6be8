"""The recurrence benchmark's shortcuts change no figure: what is known already is the same as what is found anew."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from benchmarks.recurrence_memory import Encoder, Notes
from benchmarks.recurrence_policies import Known, Ours, Shown
from benchmarks.recurrence_scores import replay
from benchmarks.recurrence_sets import Task, boundary_tasks
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.domain.rules import REMIND_PROBABILITY

GATES = (0.2, 0.25, 0.3)
ORDERS = (1, 2)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(HashingEmbedder())


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return boundary_tasks("concern", True)[::2]


class Anew:
    """The product without a shortcut: every failure is noted at once and every question is asked."""

    def __init__(self, encoder: Encoder, gate: float) -> None:
        self._notes, self._gate = Notes(encoder), gate
        self.note = self._notes.note

    def show(self, task: Task) -> Shown:
        said = self._notes.said(task, self._notes.find(task), self._gate)
        return Shown(tuple(self._notes.noted[item.ids[0]].family for item in said))


def test_memories_that_share_what_they_know_show_what_others_show(
    encoder: Encoder, tasks: list[Task]
) -> None:
    known: Known = {}
    shown = []
    for gate in GATES:
        shared = replay(tasks, lambda chance, gate=gate: Ours(encoder, gate, True, known), ORDERS)
        anew = replay(tasks, lambda chance, gate=gate: Anew(encoder, gate), ORDERS)
        for name in ("recurred", "false", "wrong"):
            assert np.array_equal(getattr(shared, name), getattr(anew, name)), (gate, name)
        shown.append(shared.wrong.sum() + shared.recurred.sum())
    assert len(set(shown)) > 1, "no gate changed anything: nothing was compared"


def test_what_is_known_is_not_looked_for_again(
    encoder: Encoder, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    known: Known = {}
    first = replay(tasks, lambda chance: Ours(encoder, 0.3, False, known), ORDERS)
    monkeypatch.setattr(Notes, "answer", lambda *_: pytest.fail("looked for again"))
    again = replay(tasks, lambda chance: Ours(encoder, 0.3, False, known), ORDERS)
    assert np.array_equal(first.tokens, again.tokens)


def test_weak_failures_make_no_question_although_the_gate_sees_them(
    encoder: Encoder, tasks: list[Task]
) -> None:
    notes = Notes(encoder)
    for task in Random(1).sample(tasks, len(tasks)):
        answer = notes.answer(task)
        fitting = {failure.id for failure in answer.fitting}
        asked = [item for item in answer.said(task, REMIND_PROBABILITY, True) if item.probability is None]
        assert all(fitting.issuperset(item.ids) for item in asked)
        assert fitting <= {memory.id for _, memory in answer.found}
        if task.family:
            notes.note(task)
    assert any(len(notes.answer(task).nearest) > len(notes.answer(task).fitting) for task in tasks)
