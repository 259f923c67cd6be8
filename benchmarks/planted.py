"""Is the planted root found, are class links told from coincidence, and do intervals hold what they promise?

python -m benchmarks.planted [--quick]

Histories of graphmem.tooling.chains; habits are learned on 400 tasks, roots asked on the next 400, each with its own
noise. Seeds 0 to 2 were looked at while the methods were chosen; the figures are of seeds 11 onwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from benchmarks.planted_ways import BASELINES, RANKINGS, cases, ours, seen
from benchmarks.reporting import Figure, arguments, difference, emit, mean_figure
from graphmem.analysis.class_links import Presence, class_bonds, class_links
from graphmem.analysis.history import by_episode
from graphmem.analysis.propagation import propagation
from graphmem.domain.overview import Bond
from graphmem.domain.rules import error_class
from graphmem.tooling.chain_noise import CLEAN, Noise
from graphmem.tooling.chain_words import FINAL
from graphmem.tooling.chains import (
    Planted,
    class_driven,
    hidden_confounders,
    interleaved_chains,
    single_chains,
)

EPISODES = 400
SEEDS = range(11, 16)
SETTINGS: Mapping[str, tuple[Callable[..., Planted], Noise]] = {
    "one chain, clean": (single_chains, CLEAN),
    "three interleaved with recovery, clean": (interleaved_chains, CLEAN),
    "class-driven, clean": (class_driven, CLEAN),
    "class-driven, 20 % missing, 20 % spurious, 10 % labels": (class_driven, Noise(0.2, 0.2, 0.1)),
    "class-driven, 40 % missing, 20 % spurious, 10 % labels": (class_driven, Noise(0.4, 0.2, 0.1)),
    "class-driven, 20/20/10 and 10 % order": (class_driven, Noise(0.2, 0.2, 0.1, 0.1)),
}


def root_figures(name: str, seeds: Sequence[int], count: int) -> dict[str, Figure]:
    """hit@1 of the planted root, and the paired differences to the baselines."""
    plant, noise = SETTINGS[name]
    chosen = [case for seed in seeds for case in cases(plant(2 * count, seed, noise), count)]
    hits = {
        label: [float(method(case) == case.episode.root) for case in chosen]
        for label, method in {"ours": ours, **BASELINES, **RANKINGS}.items()
    }
    own = hits.pop("ours")
    figures = {
        "hit@1": mean_figure(own, {label: sum(values) / len(values) for label, values in hits.items()})
    }
    best = max(BASELINES, key=lambda label: sum(hits[label]))
    figures[f"hit@1 minus best baseline ({best})"] = difference(own, hits[best])
    figures |= {f"hit@1 minus {label}": difference(own, hits[label]) for label in RANKINGS}
    return figures


def link_figures(seeds: Sequence[int], counts: Sequence[int], in_order: float) -> dict[str, Figure]:
    """F1 and false discoveries of class links with a hidden common cause, per number of tasks."""
    figures = {}
    for count in counts:
        f1s, wrong = [], []
        for seed in seeds:
            history = hidden_confounders(count, seed, in_order=in_order)
            events = by_episode([event for event in seen(history.memories) if event.error_class != _FINAL])
            classes = sorted({event.error_class for own in events.values() for event in own if event.failed})
            found = {
                (link.cause_class, link.effect_class) for link in class_links(Presence.of(events, classes))
            }
            true = {(error_class(a), error_class(b)) for a, b in history.class_links}
            f1s.append(2 * len(found & true) / (len(found) + len(true)))
            wrong.append(len(found - true) / len(found) if found else 0.0)
        figures[f"F1, {count} tasks"] = mean_figure(f1s)
        figures[f"false discoveries, {count} tasks"] = mean_figure(wrong)
    return figures


_FINAL = error_class(FINAL.error_type)


def hidden_figures(seeds: Sequence[int], counts: Sequence[int]) -> dict[str, Figure]:
    """Of the pairs that a hidden cause strikes in any order, the share marked so, and how many marks are wrong."""
    figures = {}
    for count in counts:
        recall, wrong, base = [], [], []
        for seed in seeds:
            history = hidden_confounders(count, seed)
            events = by_episode([event for event in seen(history.memories) if event.error_class != _FINAL])
            classes = sorted({event.error_class for own in events.values() for event in own if event.failed})
            told = class_bonds(Presence.of(events, classes))
            pairs = {frozenset((link.cause_class, link.effect_class)) for link in told}
            marked = {
                frozenset((link.cause_class, link.effect_class))
                for link in told
                if link.bond is Bond.HIDDEN_CAUSE
            }
            names = [error_class(name) for name in history.confounded]
            true = {frozenset(pair) for pair in combinations(names, 2)}
            recall.append(len(marked & true) / len(true))
            wrong.append(len(marked - true) / len(marked) if marked else 0.0)
            base.append(1 - len(true) / len(pairs))
        every = {"mark every pair": sum(base) / len(base)}
        figures[f"marked, {count} tasks"] = mean_figure(recall)
        figures[f"wrong marks, {count} tasks"] = mean_figure(wrong, every)
    return figures


def coverage_figures(seeds: Sequence[int], count: int) -> dict[str, Figure]:
    """Share of planted class links whose probability lies in its 90 % interval."""
    held, zero = [], []
    for seed in seeds:
        history = hidden_confounders(count, seed)
        planted = {(error_class(a), error_class(b)): p for (a, b), p in history.class_links.items()}
        for pair in propagation(seen(history.memories), history.edges).pairs:
            truth = planted.get((pair.cause_class, pair.effect_class))
            inside = truth is not None and pair.probability.low <= truth <= pair.probability.high
            if truth is not None:
                held.append(float(inside))
            elif _FINAL not in (pair.cause_class, pair.effect_class):
                zero.append(float(pair.probability.low <= 0.0))
    return {"planted links": mean_figure(held), "pairs without a link (0 inside)": mean_figure(zero)}


def main() -> None:
    """Plant, ask, score, print."""
    options = arguments(__doc__ or "").parse_args()
    seeds, count = (SEEDS[:2], 100) if options.quick else (SEEDS, EPISODES)
    tables = {f"Root, {name}": root_figures(name, seeds, count) for name in SETTINGS}
    more = range(11, 14) if options.quick else range(11, 31)
    counts = (50, 200) if options.quick else (50, 100, 200, 1_000)
    tables["Class links, a hidden cause strikes four classes in any order"] = link_figures(more, counts, 0.0)
    tables["Class links, the hidden cause strikes in a fixed order"] = link_figures(more, counts, 1.0)
    tables["Pairs that a hidden cause strikes in any order"] = hidden_figures(more, counts)
    tables[f"Coverage of 90 % intervals, {count} tasks"] = coverage_figures(more, count)
    emit(tables, options.json, [f"seeds {list(seeds)}, {count} tasks to learn from and {count} to ask, each"])


if __name__ == "__main__":
    main()
