"""Do failures of one kind find each other, and do they make the right patterns?

python -m benchmarks.clusters --data DIR [--quick] [--json]

Twelve sets of labelled failures, two embedders. Batch: all at
once. Streaming: one at a time, alone and with a batch after every 50. The first run embeds some thousand texts (a
minute or two); vectors are kept in the temporary folder.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.cluster_scores import SCORES, best_radius, right_label, score_figure, teachable, trivial
from benchmarks.cluster_sets import EMBEDDERS, NEEDED, Case, Vectors, boundary, read_sets
from benchmarks.reporting import Figure, arguments, emit, mean_figure, require_data
from graphmem.analysis.assigning import OnlineClusters
from graphmem.analysis.clusters import Group, cluster
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background
from graphmem.analysis.lineage import match
from graphmem.analysis.seed_profile import cluster_as_seed

BATCH_EVERY = 50
SETTLED = 20
"""Failures before a cluster's identity is counted as given: the first are provisional."""
FIXED_CUT = 0.45
"""The cut for promotion of notes on an earlier version, for comparison: patterns that every two members support."""
COLD = (
    "errlore gemma",
    "errlore output",
    "AgentRx tau",
    "CausalEval",
    "lessons72",
    "lessons72 zh",
    "boundary50",
)

Tables = dict[str, dict[str, Figure]]


@dataclass(frozen=True)
class Bench:
    """One embedder's vectors of all sets; rounds: bootstrap rounds and draws."""

    name: str
    vectors: Vectors
    sets: Mapping[str, Sequence[Case]]
    rounds: int

    def batch(self, cases: Sequence[Case]) -> list[Group]:
        """The groups of a set."""
        return cluster(self.vectors.failures(cases), self.vectors.background)


def batch_table(bench: Bench) -> dict[str, Figure]:
    """ARI, V-measure and purity of the batch on every set beside trivial groupings and DBSCAN."""
    figures = {}
    for name, cases in bench.sets.items():
        failures = bench.vectors.failures(cases)
        found = _labels(bench.batch(cases), len(cases))
        beside = trivial(cases)
        beside["seed"] = _labels(cluster_as_seed(failures), len(cases))
        beside["best eps"] = best_radius(failures, [case.label for case in cases])
        for score in SCORES:
            figures[f"{name}: {score}"] = score_figure(score, cases, found, beside, bench.rounds)
    return figures


def typed_table(bench: Bench) -> dict[str, Figure]:
    """lessons72 where the error types that it tells may part clusters."""
    cases = bench.sets["lessons72"]
    groups = cluster(bench.vectors.failures(cases, typed=True), bench.vectors.background)
    found = _labels(groups, len(cases))
    return {
        f"lessons72: {name}": score_figure(name, cases, found, trivial(cases), bench.rounds)
        for name in SCORES
    }


def promotion_table(bench: Bench) -> dict[str, Figure]:
    """Share of the patterns that are right, and of the families with enough episodes that own a right one."""
    figures: dict[str, Figure] = {}
    for name, cases in bench.sets.items():
        failures = bench.vectors.failures(cases)
        groups = bench.batch(cases)
        rivals = {
            f"cut {FIXED_CUT}": _cores(cluster(failures, bench.vectors.background, FIXED_CUT)),
            "seed": _cores(cluster_as_seed(failures)),
        }
        ours = _judged(cases, _cores(groups))
        others = {label: _judged(cases, cores) for label, cores in rivals.items()}
        if ours:
            beside = {
                label: float(np.mean([bool(r) for r in right])) for label, right in others.items() if right
            }
            figures[f"{name}: right patterns"] = mean_figure([float(bool(label)) for label in ours], beside)
        families = teachable(cases)
        owned = {label: len(set(right) - {""}) / families for label, right in others.items()}
        share = [1.0] * len(set(ours) - {""}) + [0.0] * (families - len(set(ours) - {""}))
        figures[f"{name}: families taught"] = mean_figure(share, owned)
    return figures


def high_table(bench: Bench) -> dict[str, Figure]:
    """The same of patterns that would be HIGH: five episodes and tight, all sets but the mixed ones."""
    right = []
    for name, cases in bench.sets.items():
        if not name.startswith("pool"):
            episodes = [case.episode for case in cases]
            for group in bench.batch(cases):
                core = [int(member) for member in group.core]
                if group.tight and len({episodes[place] for place in core}) >= 5:
                    right.append(float(bool(right_label(cases, core))))
    return {"right patterns of level HIGH": mean_figure(right)}


def streaming_table(bench: Bench, orders: int) -> dict[str, Figure]:
    """ARI of one-at-a-time clustering: in the set's order and in random ones, alone and with batches between, and
    the share of failures whose cluster's identity changed in a batch.
    """
    figures: dict[str, Figure] = {}
    for name, cases in bench.sets.items():
        failures = bench.vectors.failures(cases)
        truth = [case.label for case in cases]
        given: list[tuple[float, ...]] = []
        shuffled: list[tuple[float, ...]] = []
        for number in range(orders + 1):
            order = list(failures)
            if number:
                random.Random(number).shuffle(order)
            alone, _ = _streamed(order, bench.vectors.background, 0)
            batched, moved = _streamed(order, bench.vectors.background, BATCH_EVERY)
            scores = [SCORES["ARI"](truth, [run[one.id] for one in failures]) for run in (alone, batched)]
            (shuffled if number else given).append((*scores, moved))
        for place, label in enumerate(("alone", "batch every 50", "identities changed")):
            figures[f"{name}: {label}"] = mean_figure(
                [row[place] for row in shuffled], {"given order": given[0][place]}
            )
    return figures


def cold_table(bench: Bench) -> dict[str, Figure]:
    """Three failures in an empty store: how often they make one pattern, of one family (good) or of three (bad)."""
    figures = {}
    for name in COLD:
        cases = bench.sets[name.removesuffix(" zh")]
        if name.endswith(" zh"):
            cases = [case for case in cases if any("一" <= letter <= "鿿" for letter in case.account)]
        families: dict[str, list[Case]] = defaultdict(list)
        for case in cases:
            families[case.label].append(replace(case, episode=case.id))
        chance = random.Random(1)
        large = [found for _, found in sorted(families.items()) if len(found) >= 3]
        same = [chance.sample(chance.choice(large), 3) for _ in range(bench.rounds)]
        apart = [
            [chance.choice(families[label]) for label in chance.sample(sorted(families), 3)]
            for _ in range(bench.rounds)
        ]
        beside = {
            "of three families": float(np.mean([_taught(bench, three) for three in apart])),
            "seed": float(np.mean([_taught(bench, three, True) for three in same])),
            "seed, of three families": float(np.mean([_taught(bench, three, True) for three in apart])),
        }
        figures[name] = mean_figure([_taught(bench, three) for three in same], beside)
    return figures


def supply_table(bench: Bench) -> dict[str, Figure]:
    """Families of boundary50 and its fresh cases that own a right pattern when all their failures are in store,
    with what else was tried; no word of a family is repeated in these sets, on purpose.
    """
    figures = {}
    for name in ("cases", "fresh"):
        for label, named in (("as told", False), ("error type named", True)):
            cases = boundary(f"{name}.jsonl", named)
            failures = bench.vectors.failures(cases, typed=named)
            tried = {
                f"cut {cut:.2f}": cluster(failures, bench.vectors.background, cut)
                for cut in (0.25, 0.15, 0.10)
            }
            found = set(_judged(cases, _cores(cluster(failures, bench.vectors.background)))) - {""}
            families = teachable(cases)
            loose = {
                f"any three, {key}": len(set(_judged(cases, _members(groups))) - {""}) / families
                for key, groups in tried.items()
            }
            share = [1.0] * len(found) + [0.0] * (families - len(found))
            figures[f"boundary50 {name}, {label}"] = mean_figure(share, loose)
    return figures


def _taught(bench: Bench, three: Sequence[Case], as_seed: bool = False) -> float:
    failures = bench.vectors.failures(three)
    groups = cluster_as_seed(failures) if as_seed else cluster(failures, bench.vectors.background)
    return float(len(groups) == 1 and len(groups[0].core) == 3)


def _streamed(order: Sequence[Failure], background: Background, every: int) -> tuple[dict[str, str], float]:
    """Cluster id by failure id after all have come, and the share of identities that a batch changed; every: how
    many failures between two batches, 0 = never.
    """
    online = OnlineClusters(background)
    changed = counted = 0
    for number, failure in enumerate(order, 1):
        online.place(failure, f"cluster-{number:05}")
        if every and (number % every == 0 or number == len(order)):
            before = _held(online, order[:number])
            online = _reflected(online, order[:number], background, number)
            after = _held(online, order[:number])
            counted += max(0, number - SETTLED)
            changed += sum(before[one.id] != after[one.id] for one in order[SETTLED:number])
    return _held(online, order), changed / counted if counted else 0.0


def _reflected(
    online: OnlineClusters, seen: Sequence[Failure], background: Background, number: int
) -> OnlineClusters:
    """The clusters after a batch, each keeping its id where lineage says so."""
    by_id = {failure.id: failure for failure in seen}
    clusters: dict[str, list[str]] = defaultdict(list)
    for member, name in _held(online, seen).items():
        clusters[name].append(member)
    groups = cluster(seen, background)
    kept = match([group.ids for group in groups], clusters).kept
    return OnlineClusters(
        background,
        {
            name or f"cluster-{number:05}-{place}": [by_id[member] for member in group.ids]
            for place, (name, group) in enumerate(zip(kept, groups, strict=True))
        },
    )


def _held(online: OnlineClusters, seen: Iterable[Failure]) -> dict[str, str]:
    return {failure.id: online.place(failure).cluster_id for failure in seen}


def _labels(groups: Sequence[Group], size: int) -> list[int]:
    found = {int(member): number for number, group in enumerate(groups) for member in group.ids}
    return [found[place] for place in range(size)]


def _cores(groups: Iterable[Group]) -> list[list[int]]:
    return [[int(member) for member in group.core] for group in groups if group.core]


def _members(groups: Iterable[Group]) -> list[list[int]]:
    return [[int(member) for member in group.ids] for group in groups if group.episodes >= 3]


def _judged(cases: Sequence[Case], cores: Iterable[Sequence[int]]) -> list[str]:
    return [right_label(cases, core) for core in cores]


def tables(bench: Bench, quick: bool) -> Tables:
    """Every table of one embedder."""
    return {
        f"Batch, {bench.name}": batch_table(bench),
        f"Batch with error types, {bench.name}": typed_table(bench),
        f"Patterns, {bench.name}": promotion_table(bench) | high_table(bench),
        f"Streaming, {bench.name}": streaming_table(bench, 2 if quick else 5),
        f"Three failures in an empty store make one pattern, {bench.name}": cold_table(bench),
        f"Pattern supply, {bench.name}": supply_table(bench),
    }


def main() -> None:
    """Read, embed, cluster, print."""
    options = arguments(__doc__ or "").parse_args()
    data: Path = require_data(options.data, *NEEDED)
    sets = read_sets(data)
    others = [
        case
        for name in ("cases", "fresh")
        for named in (False, True)
        for case in boundary(f"{name}.jsonl", named)
    ]
    texts = {case.account for cases in (*sets.values(), others) for case in cases}
    found: Tables = {}
    for name in EMBEDDERS:
        bench = Bench(name, Vectors(name, texts), sets, 50 if options.quick else 200)
        found |= tables(bench, options.quick)
    emit(found, options.json, [f"{len(texts)} texts; right = at least 80 % and three failures of one label"])


if __name__ == "__main__":
    main()
