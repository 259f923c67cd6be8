"""The reminder gate on AgentRx, fitted on the other traces: does it know when the best failure is right?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.fit_gate import Asking, auroc, fit
from benchmarks.recurrence_memory import Encoder, Notes
from benchmarks.recurrence_scores import coverage_at, expected_calibration_error
from benchmarks.recurrence_sets import Task, agentrx_tasks
from benchmarks.reporting import Figure, interval, mean_figure
from graphmem.analysis.calibration import SHIPPED, features, probability

PRECISION = 0.9


def gate_figures(data: Path, encoder: Encoder) -> dict[str, Figure]:
    """P@1 beside the majority given role and action; AUROC, calibration error, coverage; shipped prior beside."""
    figures: dict[str, Figure] = {}
    for label, with_reason, with_keys in (
        ("situation", False, False),
        ("situation + keys", False, True),
        ("reason + keys", True, True),
    ):
        tasks = agentrx_tasks(data, with_reason, with_keys)
        askings = leave_one_out(tasks, encoder)
        given = {
            "majority given role, action": float(np.mean(majority_given_keys(agentrx_tasks(data, False))))
        }
        figures[f"{label}: best is right"] = mean_figure([float(one.right) for one in askings], given)
        figures |= _held_out(label, askings)
    return figures


def leave_one_out(tasks: Sequence[Task], encoder: Encoder) -> list[Asking]:
    """Every task asked with the failures of the other groups in memory; the gate is told their classes."""
    askings = []
    for group in sorted({task.group for task in tasks}):
        notes = Notes(encoder)
        for task in tasks:
            if task.group != group:
                notes.note(task)
        askings += [_asked(task, notes) for task in tasks if task.group == group]
    return askings


def _asked(task: Task, notes: Notes) -> Asking:
    failures = tuple(notes.past(notes.find(task)))
    scored = [(frozenset({notes.noted[failure.id].family}), failure.relevance) for failure in failures]
    right = bool(scored) and task.family in scored[0][0]
    return Asking(task, features(scored) if scored else None, right, failures)


def majority_given_keys(tasks: Sequence[Task]) -> list[bool]:
    """Whether the most frequent class among other groups' failures of the same role and action is right; without any
    such failure that of the role, then of all.
    """
    right = []
    for task in tasks:
        others = [one for one in tasks if one.group != task.group]
        role = [one for one in others if one.keys.agent == task.keys.agent]
        both = [one for one in role if one.keys.tool == task.keys.tool]
        counted = Counter(one.family for one in both or role or others)
        right.append(counted.most_common(1)[0][0] == task.family)
    return right


def _held_out(label: str, askings: Sequence[Asking]) -> dict[str, Figure]:
    p, shipped, right = [], [], []
    for group in sorted({asking.case.group for asking in askings}):
        prior = fit([asking for asking in askings if asking.case.group != group])
        for asking in askings:
            if asking.case.group == group:
                p.append(probability(prior, asking.evidence) if asking.evidence else 0.0)
                shipped.append(probability(SHIPPED, asking.evidence) if asking.evidence else 0.0)
                right.append(asking.right)
    own, truth, fixed = np.array(p), np.array(right), np.array(shipped)
    error, covered = expected_calibration_error(p, right), coverage_at(p, right, PRECISION)
    low, high = interval([float(one) for one in right])
    return {
        f"{label}: AUROC": auroc(own, truth),
        f"{label}: AUROC, shipped prior": auroc(fixed, truth),
        f"{label}: ECE": Figure(
            error, error, error, len(p), {"shipped": expected_calibration_error(shipped, right)}
        ),
        f"{label}: coverage at precision .9": Figure(
            covered, covered, covered, len(p), {"shipped": coverage_at(shipped, right, PRECISION)}
        ),
        f"{label}: base rate": Figure(float(truth.mean()), low, high, len(p)),
    }
