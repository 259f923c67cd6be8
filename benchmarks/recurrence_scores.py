"""A scripted agent: it fails at every task of a family unless what it is shown belongs to that family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from benchmarks.recurrence_policies import Shown, Start
from benchmarks.recurrence_sets import Task
from benchmarks.reporting import Figure, mean_figure

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """Means over the orders, one number per task: float64[tasks].

    recurred: it failed although its family had failed before; false: something was shown and nothing of it was
    right; wrong: items shown that were not right; tokens: of what was shown.
    """

    recurred: Numbers
    false: Numbers
    wrong: Numbers
    tokens: Numbers


def replay(tasks: Sequence[Task], start: Start, orders: Sequence[int]) -> Run:
    """The tasks in the random order of each seed, each time with an empty memory."""
    rows = np.zeros((4, len(tasks)))
    for seed in orders:
        chance = Random(seed)
        order = chance.sample(range(len(tasks)), len(tasks))
        memory, failed = start(chance), set[str]()
        for place in order:
            task = tasks[place]
            shown = memory.show(task)
            rows[1:, place] += _judged(task, shown)
            if task.family and task.family not in shown.families:
                rows[0, place] += task.family in failed
                failed.add(task.family)
                memory.note(task)
    return Run(*(rows / len(orders)))


def _judged(task: Task, shown: Shown) -> tuple[float, float, float]:
    wrong = sum(1 for name in shown.families if name != task.family)
    nothing_right = bool(shown.families) and wrong == len(shown.families)
    return float(nothing_right), float(wrong), float(shown.tokens)


def run_figures(label: str, tasks: Sequence[Task], run: Run) -> dict[str, Figure]:
    """Recurrences of the tasks with a family; the rest per query. Intervals over tasks."""
    cases = [place for place, task in enumerate(tasks) if task.family]
    return {
        f"{label}: recurrences": mean_figure(run.recurred[cases].tolist()),
        f"{label}: false per query": mean_figure(run.false.tolist()),
        f"{label}: wrong items per query": mean_figure(run.wrong.tolist()),
        f"{label}: tokens per query": mean_figure(run.tokens.tolist()),
    }


def reminded(tasks: Sequence[Task], start: Start, orders: Sequence[int]) -> list[float]:
    """Groups (traces) in random orders, everything noted, earlier groups only: share of the recurrences whose best
    item is right, per order.
    """
    shares = []
    groups = sorted({task.group for task in tasks})
    for seed in orders:
        chance = Random(seed)
        memory, failed, right = start(chance), set[str](), list[bool]()
        for group in chance.sample(groups, len(groups)):
            own = [task for task in tasks if task.group == group]
            for task in own:
                shown = memory.show(task).families
                if task.family in failed:
                    right.append(shown[:1] == (task.family,))
            for task in own:
                memory.note(task)
                failed.add(task.family)
        shares.append(sum(right) / len(right))
    return shares


def expected_calibration_error(p: Sequence[float], right: Sequence[bool], bins: int = 8) -> float:
    """Mean distance of probability and share right over bins of equal mass, weighted by their sizes."""
    order = np.argsort(np.asarray(p), kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    values, truth = np.asarray(p, dtype=float), np.asarray(right, dtype=float)
    return float(
        sum(len(part) * abs(values[part].mean() - truth[part].mean()) for part in parts) / len(order)
    )


def coverage_at(p: Sequence[float], right: Sequence[bool], precision: float) -> float:
    """Largest share of questions that a threshold, chosen in hindsight, answers with this precision."""
    values, truth = np.asarray(p, dtype=float), np.asarray(right, dtype=float)
    best = 0.0
    for threshold in np.unique(values):
        fired = values >= threshold
        if truth[fired].mean() >= precision:
            best = max(best, float(fired.mean()))
    return best
