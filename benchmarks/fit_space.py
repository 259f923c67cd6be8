"""The shipped prior of each embedding space: a mean vector per language, mu and sd of unrelated cosines.

    python -m benchmarks.fit_space [--data ../shared/data] [--only NAME] [--write] [--quick] [--json]

Multilingual models place each language in a region of its own, so vectors are centred by the mean of their
language before they are compared; mu and sd then say how near unrelated texts still are. No label is used but
"these two are of different topics". --write stores graphmem/adapters/embedders/priors/*.json: aggregates, no
text of a set. The space `both` is joined of halves that are centred by the priors of the two others, as these are
shipped by then: its means are 0.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.fit_space_texts import SEED, SOURCES, Text, collect
from graphmem.adapters.embedders.both import Both
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.analysis.tokens import language_of
from graphmem.analysis.vectors import Floats, centred
from graphmem.ports.embedder import Embedder

Figure = dict[str, object]
Cosines = NDArray[np.float64]

EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "e5_small": E5Small,
    "use_multilingual": UseMultilingual,
    "both": lambda: Both(language_of),
}
CENTRED = ("both",)
"""Spaces whose vectors are centred by language as they are made."""
PRIORS = Path(__file__).parents[1] / "graphmem" / "adapters" / "embedders" / "priors"
PAIRS = 4000
FEWEST = 10
MEAN_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Fit:
    """What was learnt about a space. mean: rounded, per language; cosines are those of unrelated pairs."""

    mean: dict[str, Floats]
    cosines: dict[str, Cosines]
    same: tuple[Cosines, Cosines]
    other: tuple[Cosines, Cosines]

    @property
    def mu(self) -> float:
        """Mean cosine of unrelated, centred texts."""
        return float(np.concatenate(list(self.cosines.values())).mean())

    @property
    def sd(self) -> float:
        """Deviation of the same cosines."""
        return float(np.concatenate(list(self.cosines.values())).std())


def language_means(texts: Sequence[Text], rows: Floats, is_centred: bool) -> dict[str, Floats]:
    """The mean vector of each language: the mean of its sets' means, so that no big set speaks alone; 0 in a space
    that is centred.
    """
    if is_centred:
        return {language: np.zeros_like(rows[0]) for language in sorted({item.language for item in texts})}
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, item in enumerate(texts):
        places[item.language, item.source].append(place)
    of_sets: dict[str, list[Floats]] = defaultdict(list)
    for (language, _), where in sorted(places.items()):
        if len(where) >= FEWEST:
            of_sets[language].append(rows[where].mean(axis=0))
    return {
        language: np.asarray(np.round(np.mean(np.array(means), axis=0), MEAN_DIGITS), dtype=np.float32)
        for language, means in of_sets.items()
    }


def unrelated_pairs(texts: Sequence[Text], rng: random.Random) -> dict[str, list[tuple[int, int]]]:
    """Random pairs of one set and field without a common topic, equally many per set.

    Of one set, as a namespace is of one trade: judged by pairs across trades, all its texts would look alike.
    """
    pairs: dict[str, list[tuple[int, int]]] = {}
    for source in SOURCES:
        places = [place for place, item in enumerate(texts) if item.source == source]
        found: list[tuple[int, int]] = []
        while len(found) < PAIRS:
            left, right = rng.sample(places, 2)
            one, two = texts[left], texts[right]
            if one.field == two.field and not one.topics & two.topics:
                found.append((left, right))
        pairs[source] = found
    return pairs


def cross_pairs(texts: Sequence[Text], same: bool) -> list[tuple[int, int]]:
    """Every (zh, en) pair of boundary cases in one field: of the same family, or of two families."""
    cases = [place for place, item in enumerate(texts) if item.source == "boundary50"]
    return [
        (left, right)
        for left in cases
        for right in cases
        if (texts[left].language, texts[right].language) == ("zh", "en")
        and texts[left].field == texts[right].field
        and bool(texts[left].topics & texts[right].topics) == same
    ]


def fit(texts: Sequence[Text], embedder: Embedder, is_centred: bool = False) -> Fit:
    """Embed the texts and learn the space's parameters; is_centred: its means are 0. Raises UnavailableError."""
    vectors = embedder.embed([item.text for item in texts])
    raw = np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors])
    mean = language_means(texts, raw, is_centred)
    rows = np.array([centred(row, mean[item.language]) for row, item in zip(raw, texts, strict=True)])

    def cosines(matrix: Floats, pairs: list[tuple[int, int]]) -> Cosines:
        left, right = np.array(pairs).T
        return np.asarray(np.einsum("ij,ij->i", matrix[left], matrix[right]), dtype=np.float64)

    pairs = unrelated_pairs(texts, random.Random(SEED))
    same, other = cross_pairs(texts, same=True), cross_pairs(texts, same=False)
    return Fit(
        mean=mean,
        cosines={source: cosines(rows, chosen) for source, chosen in pairs.items()},
        same=(cosines(raw, same), cosines(rows, same)),
        other=(cosines(raw, other), cosines(rows, other)),
    )


def auc(same: Cosines, other: Cosines) -> float:
    """How often a pair of the same family is nearer than one of two families (ties count half)."""
    ordered = np.sort(other)
    below = np.searchsorted(ordered, same, "left") + np.searchsorted(ordered, same, "right")
    return float(below.mean() / (2 * len(other)))


def figures(name: str, learnt: Fit) -> dict[str, Figure]:
    """The figures of --json: mu with its sets' extremes, sd, and the cross-language area before and after."""
    by_set = {source: float(values.mean()) for source, values in learnt.cosines.items()}
    n = sum(len(values) for values in learnt.cosines.values())
    rng = np.random.default_rng(SEED)
    resampled = [
        auc(
            rng.choice(learnt.same[1], len(learnt.same[1])), rng.choice(learnt.other[1], len(learnt.other[1]))
        )
        for _ in range(300)
    ]
    low, high = np.quantile(resampled, (0.025, 0.975))
    mu: Figure = {"value": learnt.mu, "low": min(by_set.values()), "high": max(by_set.values()), "n": n}
    area: Figure = {"value": auc(learnt.same[1], learnt.other[1]), "low": low, "high": high}
    before = auc(learnt.same[0], learnt.other[0])
    return {
        f"{name}.mu": {**mu, "baselines": by_set},
        f"{name}.sd": {"value": learnt.sd, "low": None, "high": None, "n": n, "baselines": {}},
        f"{name}.cross_language_auc": {**area, "n": len(learnt.same[1]), "baselines": {"uncentred": before}},
    }


def table(name: str, texts: Sequence[Text], learnt: Fit) -> Iterator[str]:
    """The lines a person reads: texts, mu and sd per set, cosines across languages before and after."""
    counts = Counter((item.language, item.source) for item in texts)
    yield f"{name}: mu {learnt.mu:+.3f}  sd {learnt.sd:.3f}  (unrelated, centred)"
    for source, values in learnt.cosines.items():
        spoken = "  ".join(f"{language} {counts[language, source]:4}" for language in ("zh", "en"))
        yield f"  {source:12} texts {spoken}   mu {values.mean():+.3f}  sd {values.std():.3f}"
    for when, place in (("before", 0), ("after", 1)):
        same, other = learnt.same[place], learnt.other[place]
        yield (
            f"  zh-en {when:6} centring: same family {same.mean():+.3f} ({len(same)} pairs), other "
            f"{other.mean():+.3f} ({len(other)}), same above other {auc(same, other):.3f}"
        )
    between = float(learnt.mean["zh"] @ learnt.mean["en"])
    norms = "  ".join(f"|{language}| {np.linalg.norm(row):.3f}" for language, row in learnt.mean.items())
    yield f"  language means: {norms}  zh.en {between:.3f}"


def store(name: str, embedder: Embedder, texts: Sequence[Text], learnt: Fit) -> None:
    """Write priors/<name>.json: space, mu, sd, number of texts per language, mean vectors."""
    numbers = {"mu": round(learnt.mu, 4), "sd": round(learnt.sd, 4)}
    counted = dict(Counter(item.language for item in texts))
    mean = {language: [round(float(x), MEAN_DIGITS) for x in row] for language, row in learnt.mean.items()}
    data = {"space": asdict(embedder.space), **numbers, "texts": counted, "mean": mean}
    PRIORS.mkdir(exist_ok=True)
    (PRIORS / f"{name}.json").write_text(json.dumps(data) + "\n", encoding="utf-8")


def main() -> None:
    """Measure the spaces and print the table, or the figures as one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_space", description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("GRAPHMEM_BENCH_DATA", "../shared/data"))
    parser.add_argument(
        "--only", choices=EMBEDDERS, help="measure this space, and leave the others' priors alone"
    )
    parser.add_argument("--write", action="store_true", help="store the priors in the package")
    parser.add_argument("--quick", action="store_true", help="a quarter of the texts; never with --write")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    if options.write and options.quick:
        parser.error("--write needs all texts: leave --quick away")
    absent = [name for name in SOURCES if not (Path(options.data) / name).is_dir()]
    if absent:
        said = f"NOT RUN: {options.data} lacks {', '.join(absent)}"
        print(said, file=sys.stderr if options.json else sys.stdout)
        if options.json:
            print(json.dumps({}))
        return
    texts = collect(Path(options.data), options.quick)
    found: dict[str, Figure] = {}
    for name in [options.only] if options.only else EMBEDDERS:
        embedder = EMBEDDERS[name]()
        learnt = fit(texts, embedder, name in CENTRED)
        found |= figures(name, learnt)
        if options.write:
            store(name, embedder, texts, learnt)
        if not options.json:
            print("\n".join(table(name, texts, learnt)))
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
