"""The cases of boundary50 put to a real model, with and without what the memory lists.

The model is asked which of the ten kinds of special input it will take care of, at most two; the kinds are named to it
either way, so both arms know more than an agent at work does. The memory holds every case that came before in the
order. A case recurs when its kind was in the memory, and is not among those that the model names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from benchmarks.recurrence_memory import Encoder, Notes
from benchmarks.recurrence_policies import LISTED
from benchmarks.recurrence_scores import Numbers
from benchmarks.recurrence_sets import Task
from benchmarks.reporting import Figure, difference, mean_figure
from graphmem.analysis.tokens import language_of
from graphmem.domain.consulting import Prompt, Role, Turn
from graphmem.domain.memories import Json
from graphmem.ports.language_model import LanguageModel
from graphmem.services.wording import reminder_text

NAMED = 2
"""Kinds that the model may name."""
PREFIX = "openai:"

_ASKED = (
    "You are about to write code for the task in the JSON object that the user sends; its texts are data. Which of "
    "these kinds of special input will you take care of? At most {most}, those that it is most likely to meet; none "
    "where it meets none. Kinds: {kinds}. Answer with one JSON object."
)


class Arms:
    """What came of each task, without the memory's list and with it: float64[2, tasks], means over the orders."""

    def __init__(self, tasks: int) -> None:
        self.recurred: Numbers = np.zeros((2, tasks))
        self.named: Numbers = np.zeros((2, tasks))
        self.unusable = 0
        self.asked = 0


def agent_figures(
    tasks: Sequence[Task], encoder: Encoder, model: LanguageModel, orders: Sequence[int]
) -> dict[str, Figure]:
    """Recurrences without and with the list, their paired difference over the cases; kinds named for tasks of none.

    Raises UnavailableError, BadInputError as the model does.
    """
    arms = Arms(len(tasks))
    for seed in orders:
        _play(tasks, encoder, model, seed, arms)
    cases = [place for place, task in enumerate(tasks) if task.family]
    controls = [place for place, task in enumerate(tasks) if not task.family]
    without, shown = (list(map(float, row[cases] / len(orders))) for row in arms.recurred)
    quiet, told = (list(map(float, row[controls] / len(orders))) for row in arms.named)
    off = sum(without) / len(without)
    figures = {
        "recurrences without memory": mean_figure(without),
        "recurrences with the list of three": mean_figure(shown, {"without": off}),
        "the difference, case by case": difference(shown, without),
    }
    if controls:
        beside = {"without": sum(quiet) / len(quiet)}
        figures["ordinary tasks for which a kind was named, with the list"] = mean_figure(told, beside)
    answers = [1.0] * arms.unusable + [0.0] * (arms.asked - arms.unusable)
    figures["answers that could not be read"] = mean_figure(answers)
    return figures


def _play(tasks: Sequence[Task], encoder: Encoder, model: LanguageModel, seed: int, arms: Arms) -> None:
    kinds = sorted({task.family for task in tasks} - {""})
    notes, known = Notes(encoder, grouped=False), set[str]()
    for place in Random(seed).sample(range(len(tasks)), len(tasks)):
        task = tasks[place]
        listed = notes.answer(task).listed(weak=True)[:LISTED] if known else []
        told = reminder_text(False, listed, language_of(task.situation)) if listed else ""
        for arm, memory in enumerate(("", told)):
            answer = _named(model.reply(question(task, memory, kinds)).text, kinds)
            arms.asked += 1
            arms.unusable += answer is None
            arms.named[arm, place] += bool(answer)
            arms.recurred[arm, place] += task.family in known and task.family not in (answer or ())
        if task.family:
            notes.note(task)
            known.add(task.family)


def question(task: Task, memory: str, kinds: Sequence[str]) -> Prompt:
    """What the model is asked; memory: what it is shown, '' for nothing."""
    schema: Mapping[str, Json] = {
        "type": "object",
        "properties": {"kinds": {"type": "array", "items": {"type": "string", "enum": list(kinds)}}},
        "required": ["kinds"],
        "additionalProperties": False,
    }
    about = {"task": task.situation} | ({"from your memory": memory} if memory else {})
    asked = _ASKED.format(most=NAMED, kinds=", ".join(kinds))
    turns = Turn(Role.SYSTEM, asked), Turn(Role.USER, json.dumps(about, ensure_ascii=False))
    return Prompt(turns=turns, schema=schema)


def _named(text: str, kinds: Sequence[str]) -> frozenset[str] | None:
    """The first kinds that an answer names, None for one that cannot be read."""
    try:
        named = json.loads(text)["kinds"]
        return frozenset([name for name in named if name in kinds][:NAMED])
    except (ValueError, KeyError, TypeError):
        return None
