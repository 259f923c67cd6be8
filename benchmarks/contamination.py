"""What becomes of the gate when an agent writes down as its own what it was shown?

python -m benchmarks.contamination --data DIR [--quick] [--json]

AgentRx, 82 failures: a quarter of the traces is in memory, then 300 questions about failures of the others, drawn with
replacement, in 20 random orders. After each the agent writes a failure back: the situation asked about, with the
outcome and the class of the best failure that it was shown. Nothing of the trace asked about is ever found. Clean:
nothing is written back; guarded: what is written back says what it was informed by; unguarded: it does not.
Counted are the last 100 questions; intervals are over the orders. It runs in memory, as recurrence does, with
e5-small; some two minutes of one core.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.agentrx_traces import FILES
from benchmarks.recurrence_memory import Encoder, Notes
from benchmarks.recurrence_sets import KeptEmbedder, Task, agentrx_tasks, texts_of
from benchmarks.reporting import ROUNDS, Figure, arguments, emit, require_data
from graphmem.analysis.calibration import SHIPPED, features, probability
from graphmem.domain.gate import GateFeatures
from graphmem.domain.rules import REMIND_PROBABILITY

ORDERS, QUESTIONS, COUNTED = 20, 300, 100
STARTED = 0.25
"""Share of the traces that is in memory before the first question."""
AGREEING = 0.8
ARMS = ("clean", "guarded", "unguarded")
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Met:
    """One question: what the gate saw, and whether the best failure was of the right class."""

    evidence: GateFeatures
    right: bool


def main() -> None:
    """Ask, write back, print."""
    options = arguments(__doc__ or "").parse_args()
    data = require_data(options.data, *FILES)
    emit(tables(data, 4 if options.quick else ORDERS), options.json)


def tables(data: Path, orders: int) -> dict[str, dict[str, Figure]]:
    """Precision and share of the questions that pass, by what is asked with."""
    found = {}
    for with_reason, label in ((False, "situation + keys"), (True, "reason + keys")):
        tasks = agentrx_tasks(data, with_reason)
        encoder = Encoder(KeptEmbedder("e5-small", texts_of(tasks)))
        runs = {
            arm: [replayed(tasks, encoder, arm, seed)[-COUNTED:] for seed in range(1, orders + 1)]
            for arm in ARMS
        }
        found[f"AgentRx, {label}, questions {QUESTIONS - COUNTED + 1} to {QUESTIONS}"] = figures(runs)
    return found


def replayed(
    tasks: Sequence[Task], encoder: Encoder, arm: str, seed: int, questions: int = QUESTIONS
) -> list[Met]:
    """The questions of one order that found anything; the same questions in every arm."""
    chance = random.Random(seed)
    groups = sorted({task.group for task in tasks})
    started = set(chance.sample(groups, round(STARTED * len(groups))))
    notes = Notes(encoder, grouped=False)
    for task in tasks:
        if task.group in started:
            notes.note(task)
    met = []
    for number, task in enumerate(chance.choices([t for t in tasks if t.group not in started], k=questions)):
        found = [pair for pair in notes.find(task) if notes.noted[pair[0].id].group != task.group]
        # As the gate does: copies of what was said neither agree nor vote.
        witnesses = [failure for failure in notes.past(found) if failure.witness]
        scored = [(frozenset({notes.noted[failure.id].family}), failure.relevance) for failure in witnesses]
        if not scored:
            continue
        met.append(Met(features(scored), task.family in scored[0][0]))
        if arm != "clean":
            notes.note(_copied(task, notes.noted[witnesses[0].id], number), informed=arm == "guarded")
    return met


def _copied(task: Task, shown: Task, number: int) -> Task:
    return replace(task, name=f"{task.name}+{number}", family=shown.family, outcome=shown.outcome)


def figures(runs: dict[str, list[list[Met]]]) -> dict[str, Figure]:
    """For each way to pass: precision and share in each arm, and precision minus that of the clean one."""
    rules: dict[str, Callable[[Met], bool]] = {
        "agreement >= .8": lambda one: one.evidence.agreement >= AGREEING - 1e-9,
        f"gate >= {REMIND_PROBABILITY}": lambda one: _p(one) >= REMIND_PROBABILITY,
        "gate >= .5": lambda one: _p(one) >= 0.5,
        "every question": lambda one: True,
    }
    told = {}
    for rule, passes in rules.items():
        counts = {arm: _counted(orders, passes) for arm, orders in runs.items()}
        for arm, own in counts.items():
            told[f"{rule}: precision, {arm}"] = _figure(_precision, own)
            told[f"{rule}: share that passes, {arm}"] = _figure(_share, own)
        for arm in ARMS[1:]:
            both = np.hstack([counts[arm], counts["clean"]])
            told[f"{rule}: precision, {arm} minus clean"] = _figure(_difference, both)
    return told


def _p(one: Met) -> float:
    return probability(SHIPPED, one.evidence)


def _counted(orders: Sequence[Sequence[Met]], passes: Callable[[Met], bool]) -> Counts:
    """Per order: questions, those that pass, and of these the right ones; float64[orders, 3]."""
    passed = [[one.right for one in order if passes(one)] for order in orders]
    return np.array(
        [(len(order), len(own), sum(own)) for order, own in zip(orders, passed, strict=True)], float
    )


def _precision(counts: Counts) -> float:
    """NaN where nothing passes."""
    passed, right = counts[:, 1].sum(), counts[:, 2].sum()
    return float(right / passed) if passed else float("nan")


def _share(counts: Counts) -> float:
    return float(counts[:, 1].sum() / counts[:, 0].sum())


def _difference(counts: Counts) -> float:
    return _precision(counts[:, :3]) - _precision(counts[:, 3:])


def _figure(value: Callable[[Counts], float], counts: Counts) -> Figure:
    """A value over all orders, with a bootstrap interval over the orders."""
    chance = np.random.default_rng(1)
    orders = len(counts)
    drawn = [value(counts[chance.integers(0, orders, orders)]) for _ in range(ROUNDS)]
    low, high = np.nanpercentile(drawn, [2.5, 97.5]) if not np.all(np.isnan(drawn)) else (np.nan, np.nan)
    return Figure(value(counts), float(low), float(high), orders)


if __name__ == "__main__":
    main()
