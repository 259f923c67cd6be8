"""Would the agent have been warned in time? A scripted agent repeats its mistakes unless what it is shown fits.

python -m benchmarks.recurrence --data DIR [--quick] [--json]
python -m benchmarks.recurrence --agent openai:MODEL [--quick] [--json]

boundary50: 50 cases of 10 families and 20 controls in 30 random orders; only failures are noted. The agent fails
unless something shown belongs to the case's family: this measures "warned in time", not a model. Intervals are over
the cases, each with its mean over the orders. AgentRx: 82 failures, traces in 30 random orders. The first run embeds
some 660 texts with each of the three (minutes); vectors are kept in the temporary folder. The rest takes
more than half an hour of one core (judged by its parts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.agentrx_traces import FILES
from benchmarks.cluster_sets import EMBEDDERS
from benchmarks.recurrence_agent import PREFIX, agent_figures
from benchmarks.recurrence_gate import gate_figures
from benchmarks.recurrence_memory import Encoder
from benchmarks.recurrence_policies import (
    Cascade,
    Known,
    Ours,
    Start,
    document_texts,
    last,
    majority,
    off,
    random_three,
)
from benchmarks.recurrence_scores import Run, reminded, replay, run_figures
from benchmarks.recurrence_services import agreement
from benchmarks.recurrence_sets import (
    FORMS,
    THREE,
    KeptEmbedder,
    Task,
    agentrx_tasks,
    boundary_tasks,
    texts_of,
)
from benchmarks.reporting import Figure, arguments, difference, emit, mean_figure, require_data
from graphmem.config import model_endpoint
from graphmem.consulting import model_at

ORDERS = 30
TRIED, CHOSEN = "boundary50", "traps50"
"""Cases that decide, and those on which the gate within the budget is chosen."""
BUDGET = 0.10
"""False reminders per query that an explicit reminder may cost."""
GATES = (0.5, 0.75, 0.9)
SWEPT = tuple(round(0.16 + 0.01 * step, 2) for step in range(30))
"""Gates among which the one within the budget is sought, on cases and orders of its own."""
SWEEPS = 10
"""Orders in which it is sought."""
Tables = dict[str, dict[str, Figure]]
Encoders = Mapping[str, Encoder]


def main() -> None:
    """Embed, replay, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--agent", default="", help="openai:MODEL, a real model at GRAPHMEM_LLM_URL, instead")
    options = parser.parse_args()
    if options.agent:
        _with_a_model(options.agent, options.quick, options.json)
        return
    data = require_data(options.data, *FILES)
    orders = range(1, 1 + (6 if options.quick else ORDERS))
    encoders = _encoders(data)
    tables: Tables = {}
    for named in (False, True):
        told = "error type named" if named else "as told"
        for form in FORMS:
            tasks, others = boundary_tasks(form, named), boundary_tasks(form, named, of=CHOSEN)
            figures = _lists(tasks, encoders, orders) | _said(tasks, others, encoders, orders)
            tables[f"boundary50, {form}, {told}"] = figures
            if form != FORMS[0]:
                fresh = boundary_tasks(form, named, "fresh")
                figures = _lists(fresh, encoders, orders) | _said(fresh, others, encoders, orders)
                tables[f"30 held-out cases, {form}, {told}"] = figures
    tables["AgentRx, reminded of the right class"] = _agentrx(data, encoders, orders)
    for name, encoder in encoders.items():
        tables[f"Gate, leave one trace out, {name}"] = gate_figures(data, encoder)
    same = agreement(boundary_tasks("concern", True), encoders["e5-small"], 2)
    tables["Index in memory and services say the same"] = {"questions": mean_figure(same)}
    emit(
        tables,
        options.json,
        ["The agent is a script: warned in time is counted, not what a model makes of it."],
    )


def _with_a_model(agent: str, quick: bool, as_json: bool) -> None:
    """The same cases paired: a model with and without the list, in 3 orders (70 tasks, 140 questions each)."""
    name = agent.removeprefix(PREFIX)
    if name == agent or not name:
        raise SystemExit(f"--agent {agent}: give {PREFIX}MODEL")
    encoder, model = Encoder(EMBEDDERS["e5-small"]()), model_at(replace(model_endpoint(), model=name))
    figures = agent_figures(boundary_tasks("visible", False), encoder, model, range(1, 2 if quick else 4))
    note = "The kinds are named to the model in both arms; it says what it would do, and writes no code."
    emit({f"boundary50, visible, {name}": figures}, as_json, [note])


def _encoders(data: Path) -> dict[str, Encoder]:
    sets = [
        boundary_tasks(form, named, of=of)
        for form in FORMS
        for named in (False, True)
        for of in (TRIED, CHOSEN)
    ]
    sets += [boundary_tasks(form, False, "fresh") for form in FORMS[1:]]
    sets += [agentrx_tasks(data, with_reason) for with_reason in (False, True)]
    texts = set[str]().union(*(texts_of(tasks) | document_texts(tasks) for tasks in sets))
    return {name: Encoder(KeptEmbedder(name, texts)) for name in THREE}


def _said(
    tasks: Sequence[Task], others: Sequence[Task], encoders: Encoders, orders: Sequence[int]
) -> dict[str, Figure]:
    """What the gate says at each of GATES, and at the one that keeps the budget on other cases."""
    figures: dict[str, Figure] = {}
    for name, encoder in encoders.items():
        known: tuple[Known, Known] = {}, {}
        for weak, seen in ((True, ""), (False, ", only what fits")):
            label = f"{name}: reminder{seen}"
            here, there = (partial(_reminding, encoder, one, weak) for one in known)
            runs = {f"{label} at {gate}": replay(tasks, here(gate), orders) for gate in GATES}
            gate = _within_budget(others, there, range(1_000, 1_000 + min(SWEEPS, len(orders))))
            runs[f"{label}, budget .10"] = replay(tasks, here(gate), orders)
            figures[f"{label}, gate of the budget"] = Figure(gate, gate, gate, len(SWEPT))
            for which, run in runs.items():
                figures |= run_figures(which, tasks, run)
    return figures


def _lists(tasks: Sequence[Task], encoders: Encoders, orders: Sequence[int]) -> dict[str, Figure]:
    """What is shown without a gate, and the first article's."""
    families = {task.family for task in tasks} - {""}
    policies: dict[str, Start] = {
        "off": off,
        "random three": random_three(sorted(families)),
        "last failure": last,
        "majority": majority,
        "BM25, best": lambda chance: Cascade(None, 1),
        "BM25, three": lambda chance: Cascade(None, 3),
    }
    for name, encoder in encoders.items():
        policies |= _of(name, encoder)
    runs = {label: replay(tasks, start, orders) for label, start in policies.items()}
    figures: dict[str, Figure] = {}
    for label, run in runs.items():
        figures |= run_figures(label, tasks, run)
    return figures | _compared(tasks, encoders, runs)


def _compared(tasks: Sequence[Task], encoders: Encoders, runs: Mapping[str, Run]) -> dict[str, Figure]:
    """The list of each embedder against that of the first, and against the first article's, case by case."""
    cases = [place for place, task in enumerate(tasks) if task.family]
    lists = {name: runs[f"{name}: list of three"].recurred[cases].tolist() for name in encoders}
    seeds = {name: runs[f"{name}: seed, three"].recurred[cases].tolist() for name in encoders}
    first = next(iter(lists))
    figures = {}
    for name, own in lists.items():
        figures[f"{name}: list of three minus seed, three"] = difference(own, seeds[name])
        if name != first:
            figures[f"{name} minus {first}: list of three"] = difference(own, lists[first])
    return figures


def _of(name: str, encoder: Encoder) -> dict[str, Start]:
    return {
        f"{name}: seed, three": lambda chance: Cascade(encoder, 3),
        f"{name}: seed, best above .75": lambda chance: Cascade(encoder, 1, 0.75),
        f"{name}: list of three, only what fits": lambda chance: Ours(encoder, None, weak=False),
        f"{name}: list of three": partial(_ours, encoder),
    }


def _ours(encoder: Encoder, chance: Random) -> Ours:
    return Ours(encoder, None)


def _reminding(encoder: Encoder, known: Known, weak: bool, gate: float) -> Start:
    return lambda chance: Ours(encoder, gate, weak, known)


def _within_budget(tasks: Sequence[Task], start: Callable[[float], Start], orders: Sequence[int]) -> float:
    """The lowest gate whose false reminders per query stay within the budget on these cases, found by halving: a
    higher gate says less. 1 when none does.
    """
    low, high = 0, len(SWEPT)
    while low < high:
        middle = (low + high) // 2
        if float(np.mean(replay(tasks, start(SWEPT[middle]), orders).false)) <= BUDGET:
            high = middle
        else:
            low = middle + 1
    return SWEPT[low] if low < len(SWEPT) else 1.0


def _agentrx(data: Path, encoders: Encoders, orders: Sequence[int]) -> dict[str, Figure]:
    """Share of the recurrences of which the best item is right; the interval is the spread over the orders."""
    figures = {}
    for with_reason, label in ((False, "situation + keys"), (True, "reason + keys")):
        tasks = agentrx_tasks(data, with_reason)
        rivals: dict[str, Start] = {"last": last, "majority": majority, "BM25": lambda c: Cascade(None, 1)}
        beside = {name: float(np.mean(reminded(tasks, start, orders))) for name, start in rivals.items()}
        for name, encoder in encoders.items():
            shares = reminded(tasks, partial(_ours, encoder), orders)
            low, high = np.percentile(shares, [2.5, 97.5])
            figures[f"{name}: {label}"] = Figure(
                float(np.mean(shares)), float(low), float(high), len(shares), beside
            )
    return figures


if __name__ == "__main__":
    main()
