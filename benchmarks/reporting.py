"""What every benchmark prints: figures with interval, sample size and trivial baselines beside them."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROUNDS = 2_000
"""Bootstrap rounds."""


@dataclass(frozen=True)
class Figure:
    """One published number: value with its 95 % interval, sample size, and the baselines' values."""

    value: float
    low: float
    high: float
    n: int
    baselines: Mapping[str, float] = field(default_factory=dict)


def mean_figure(
    values: Sequence[float], baselines: Mapping[str, float] | None = None, seed: int = 1
) -> Figure:
    """Mean of values with a bootstrap interval over the items. Raises ValueError without values."""
    low, high = interval(values, seed)
    return Figure(sum(values) / len(values), low, high, len(values), baselines or {})


def difference(first: Sequence[float], second: Sequence[float], seed: int = 1) -> Figure:
    """Mean of the paired differences first - second, with a bootstrap interval over the pairs."""
    return mean_figure([a - b for a, b in zip(first, second, strict=True)], seed=seed)


def interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """The central 95 % of bootstrap means (percentile method)."""
    if not values:
        raise ValueError("no values")
    chance = random.Random(seed)
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(ROUNDS))
    return means[int(0.025 * ROUNDS)], means[int(0.975 * ROUNDS) - 1]


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that all benchmarks take: --data, --store, --quick, --json."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=_data_folder(), help="folder of the public data sets")
    parser.add_argument("--store", default="", help="store URL; default: a temporary SQLite file")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return parser


def _data_folder() -> Path | None:
    given = os.environ.get("GRAPHMEM_BENCH_DATA")
    return Path(given) if given else None


def require_data(data: Path | None, *names: str) -> Path:
    """The data folder, if it holds everything named; otherwise say NOT RUN and end with status 0."""
    missing = [name for name in names if data is None or not (data / name).exists()]
    if data is None or missing:
        print(
            f"NOT RUN: {', '.join(missing)} not found; give --data DIR (benchmarks/data.toml tells the sources)"
        )
        sys.exit(0)
    return data


def emit(tables: Mapping[str, Mapping[str, Figure]], as_json: bool, notes: Sequence[str] = ()) -> None:
    """Print tables of figures by title, or one JSON object with 'title: figure' as names."""
    if as_json:
        flat = {
            f"{title}: {name}": asdict(one) for title, table in tables.items() for name, one in table.items()
        }
        print(json.dumps(flat, ensure_ascii=False))
        return
    for title, figures in tables.items():
        print(f"\n{title}\n" + "-" * len(title))
        width = max(len(name) for name in figures)
        for name, one in figures.items():
            beside = "  ".join(f"{key} {value:.3f}" for key, value in one.baselines.items())
            spread = f"[{one.low:.3f}, {one.high:.3f}]"
            print(f"{name:<{width}}  {one.value:8.3f}  {spread}  n={one.n:<5} {beside}")
    for note in notes:
        print(note)
