"""Are the stated causes that habits doubt really wrong, also where failures needed two causes?

python -m benchmarks.doubts [--quick]

Histories of graphmem.tooling.chains; habits are learned on 200 tasks, the edges of the next 200 are doubted. In every
second table three of ten failures with a stated cause had a second true one, an earlier failure of the task by chance,
stated in four of five cases. The rule was chosen on seeds 11 and 12; the figures are of seeds 21 onwards.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from benchmarks.causes_at_scale import stated
from benchmarks.planted import SETTINGS
from benchmarks.planted_ways import Case, cases
from benchmarks.reporting import Figure, arguments, emit, mean_figure
from graphmem.analysis.edge_repair import DOUBTED, Parent, doubtful_edges, parents
from graphmem.analysis.history import Pair
from graphmem.domain.memories import Result
from graphmem.tooling.chains import Planted

SEEDS = range(21, 26)
TASKS = 200
SECOND = 0.3
STATED = 0.8
Possible = Mapping[str, Sequence[Parent]]


def with_second_causes(history: Planted, seed: int) -> Planted:
    """Some failures had two causes: the second an earlier failure of the task, drawn by chance."""
    chance = random.Random(f"second {seed}")
    true, edges = set(history.true_edges), list(history.edges)
    told = {(edge.effect_id, edge.cause_id) for edge in edges}
    effects = {effect for effect, _ in told}
    earlier: dict[str, list[str]] = {}
    for memory in history.memories:
        before = earlier.setdefault(memory.episode, [])
        options = [name for name in before if (memory.id, name) not in true]
        if memory.id in effects and options and chance.random() < SECOND:
            pair = memory.id, chance.choice(options)
            true.add(pair)
            if pair not in told and chance.random() < STATED:
                edges.append(stated(*pair))
        if memory.result is Result.FAILURE:
            before.append(memory.id)
    return replace(history, edges=tuple(edges), true_edges=frozenset(true))


def ours(possible: Possible) -> list[Pair]:
    """What the product doubts."""
    return [(doubt.effect_id, doubt.cause_id) for doubt in doubtful_edges(possible)]


def one_trigger(possible: Possible) -> list[Pair]:
    """Stated causes that are improbable if every effect has one cause: stated ones count against each other."""
    return [
        (effect, parent.cause_id)
        for effect, options in possible.items()
        for parent in options
        if parent.stated and parent.judged and parent.cause_id and parent.probability <= DOUBTED
    ]


def figures(histories: Sequence[Planted], count: int) -> dict[str, Figure]:
    """Of the doubted edges the share that was wrong, and of the wrong ones the share that was doubted."""
    judged = [(case, history) for history in histories for case in cases(history, count)]
    wrong = [_wrong(case, history) for case, history in judged]
    every = [flag for flags in wrong for flag in flags.values()]
    found: dict[str, Figure] = {"stated edges that are wrong": mean_figure(every)}
    rules: Mapping[str, Callable[[Possible], list[Pair]]] = {"ours": ours, "one trigger": one_trigger}
    for name, rule in rules.items():
        doubted = [
            (flags, set(rule(parents(case.habits, case.members, case.edges))))
            for (case, _), flags in zip(judged, wrong, strict=True)
        ]
        right = [flags[pair] for flags, pairs in doubted for pair in sorted(pairs)]
        caught = [float(pair in pairs) for flags, pairs in doubted for pair, flag in flags.items() if flag]
        if right:
            found[f"{name}: doubted edges that are wrong"] = mean_figure(
                right, {"any stated edge": sum(every) / len(every)}
            )
        if caught:
            found[f"{name}: wrong edges that are doubted"] = mean_figure(caught)
    return found


def _wrong(case: Case, history: Planted) -> dict[Pair, float]:
    pairs = [(edge.effect_id, edge.cause_id) for edge in case.edges]
    return {pair: float(pair not in history.true_edges) for pair in pairs}


def main() -> None:
    """Plant, doubt, count, print."""
    options = arguments(__doc__ or "").parse_args()
    seeds = SEEDS[:1] if options.quick else SEEDS
    tables = {}
    for name in [name for name in SETTINGS if name.startswith("class-driven")]:
        plant, noise = SETTINGS[name]
        histories = [plant(2 * TASKS, seed, noise) for seed in seeds]
        tables[f"{name}, one cause each"] = figures(histories, TASKS)
        second = [with_second_causes(history, seed) for history, seed in zip(histories, seeds, strict=True)]
        tables[f"{name}, some with two"] = figures(second, TASKS)
    emit(tables, options.json, [f"seeds {list(seeds)}, {TASKS} tasks after {TASKS}, each"])


if __name__ == "__main__":
    main()
