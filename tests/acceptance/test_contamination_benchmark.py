"""The contamination benchmark: the same questions in every arm, and copies that vote only where nothing guards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contamination import Met, figures, replayed
from benchmarks.recurrence_memory import Encoder, Notes
from benchmarks.recurrence_sets import Task, boundary_tasks
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.domain.gate import GateFeatures

QUESTIONS = 60


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(HashingEmbedder())


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """Each case is a trace of its own, so that its family is found in others."""
    return [replace(task, group=task.name) for task in boundary_tasks("concern", False) if task.family]


def agreement(met: list[Met]) -> float:
    return float(np.mean([one.evidence.agreement for one in met[-QUESTIONS // 2 :]]))


def test_copies_agree_with_what_they_copy_unless_they_say_what_they_are(
    encoder: Encoder, tasks: list[Task]
) -> None:
    clean, guarded, unguarded = (
        replayed(tasks, encoder, arm, 1, QUESTIONS) for arm in ("clean", "guarded", "unguarded")
    )
    assert agreement(unguarded) > agreement(clean) + 0.1
    assert agreement(guarded) <= agreement(clean) + 0.02
    assert clean[0] == guarded[0] == unguarded[0], "nothing is written back before the first question"


def test_what_was_informed_is_found_and_is_no_witness(encoder: Encoder, tasks: list[Task]) -> None:
    notes = Notes(encoder, grouped=False)
    notes.note(tasks[0])
    notes.note(replace(tasks[0], name="copy"), informed=True)
    past = notes.past(notes.find(tasks[0]))
    assert {failure.id: failure.witness for failure in past} == {tasks[0].name: True, "copy": False}


def test_figures_count_what_passes_and_how_much_of_it_is_right() -> None:
    sure, unsure = (
        GateFeatures(relevance=r, gap=0.0, agreement=a, vote_share=0.0) for r, a in ((2, 1.0), (0, 0.2))
    )
    half = [[Met(sure, True), Met(sure, False), Met(unsure, False), Met(unsure, True)]] * 3
    told = figures({"clean": half, "guarded": half, "unguarded": [[Met(sure, False), Met(unsure, True)]] * 3})
    assert told["agreement >= .8: precision, clean"].value == 0.5
    assert told["agreement >= .8: share that passes, clean"].value == 0.5
    assert told["agreement >= .8: precision, guarded minus clean"].value == 0.0
    unguarded = told["agreement >= .8: precision, unguarded minus clean"]
    assert (unguarded.value, unguarded.low, unguarded.high, unguarded.n) == (-0.5, -0.5, -0.5, 3)
