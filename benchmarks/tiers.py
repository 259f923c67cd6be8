"""Does recall stay fast when a memory gets old? 100,000 experiences over a simulated year beside 10,000 fresh ones.

python -m benchmarks.tiers [--quick] [--json]

Both lie in one store, and the questions go to each in turn, so that a busy machine slows all alike. The baseline is the
same 100,000 without tiers: includeArchived searches all of them. Texts and vectors are those of benchmarks.speed:
synthetic words, random vectors of 384 numbers, the query's too, so that no model is in the figures. The experiences of
the year are written in the tiers that the sweep gives them; that it agrees is asked of the sweep itself.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.reporting import Figure, arguments, emit
from benchmarks.speed import LoadingEmbedder, sentence
from graphmem.config import SQLITE_PREFIX, Settings
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.domain.identifiers import uuid7
from graphmem.domain.memories import Experience, Level, Result, SearchField
from graphmem.domain.tiers import tier_of
from graphmem.ports.changes import Changes
from graphmem.wiring import Services, build

NOW = datetime(2026, 12, 1, tzinfo=UTC)
YEAR = timedelta(days=365)
BATCH = 500
ROUNDS = 2_000
"""Bootstrap rounds."""

Times = dict[str, list[float]]
Array = NDArray[np.float64]


def experiences(
    namespace: str, count: int, span: timedelta, embedder: LoadingEmbedder
) -> Iterator[Experience]:
    """Experiences evenly over a time that ends now, every second one a failure."""
    random = np.random.default_rng(len(namespace))
    for number in range(count):
        at = NOW - span * ((count - number) / count)
        situation, outcome = embedder.embed(["", ""])
        yield Experience(
            id=uuid7(at, number),
            namespace=namespace,
            occurred_at=at,
            recorded_at=at,
            action=sentence(random),
            context=sentence(random),
            correction=sentence(random),
            result=Result.FAILURE if number % 2 else Result.SUCCESS,
            error_type=f"Error{number % 40}",
            tool=f"tool{number % 12}",
            task_id=f"task{number // 5}",
            tier=tier_of(NOW - at, Level.NONE, speaks=False),
            vectors={SearchField.SITUATION: situation, SearchField.OUTCOME: outcome},
        )


def fill(services: Services, made: Iterator[Experience], namespace: str) -> None:
    """Write them in transactions of BATCH."""
    batch: list[Experience] = []
    for one in made:
        batch.append(one)
        if len(batch) == BATCH:
            services.store.apply(Changes(namespace=namespace, at=NOW, create=tuple(batch)))
            batch = []
    if batch:
        services.store.apply(Changes(namespace=namespace, at=NOW, create=tuple(batch)))


def ask(
    services: Services, questions: Sequence[str], ways: dict[str, tuple[str, bool]]
) -> tuple[Times, Times]:
    """Wall and CPU milliseconds of each way for every question, the ways in turn."""
    wall: Times = {name: [] for name in ways}
    cpu: Times = {name: [] for name in ways}
    for text in questions:
        for name, (namespace, archived) in ways.items():
            question = Question(situation=text, keys=SituationKeys(tool="tool3"), include_archived=archived)
            began, busy = time.perf_counter(), time.thread_time()
            services.recall.ask(namespace, question)
            cpu[name].append(1_000 * (time.thread_time() - busy))
            wall[name].append(1_000 * (time.perf_counter() - began))
    return wall, cpu


def percentile(place: float) -> Callable[[Array], float]:
    """The function that gives the value below which so many of a hundred lie."""
    return lambda values: float(np.percentile(values, place))


def figure(values: Sequence[float], of: Callable[[Array], float]) -> Figure:
    """A percentile with its bootstrap interval over the questions."""
    taken, random = np.array(values), np.random.default_rng(1)
    drawn = [of(random.choice(taken, len(taken))) for _ in range(ROUNDS)]
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Figure(of(taken), float(low), float(high), len(taken))


def ratio(first: Sequence[float], second: Sequence[float], of: Callable[[Array], float]) -> Figure:
    """One percentile over another, with a bootstrap interval over the questions, which both were asked."""
    left, right, random = np.array(first), np.array(second), np.random.default_rng(1)
    places = [random.integers(len(left), size=len(left)) for _ in range(ROUNDS)]
    drawn = [of(left[place]) / of(right[place]) for place in places]
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Figure(of(left) / of(right), float(low), float(high), len(left))


def tables_of(wall: Times, cpu: Times, against: str) -> dict[str, dict[str, Figure]]:
    """Percentiles of every way, and each over the one that it is held against."""
    tables: dict[str, dict[str, Figure]] = {}
    for kind, times in (("wall", wall), ("CPU", cpu)):
        for place in (50, 95):
            of = percentile(place)
            table = {f"{name}, ms": figure(taken, of) for name, taken in times.items()}
            table |= {
                f"{name} / {against}": ratio(taken, times[against], of)
                for name, taken in times.items()
                if name != against
            }
            tables[f"Recall {' and '.join(times)}: {kind} p{place}"] = table
    return tables


def measure(services: Services, sizes: tuple[int, int, int], as_json: bool) -> None:
    """Print the figures: first the year with tiers beside fresh ones, then the year without."""
    small, large, rounds = sizes
    random = np.random.default_rng(9)
    questions = [sentence(random, 12) for _ in range(rounds)]
    fresh, year, everything = f"{small} fresh", f"year of {large}", f"year of {large}, all searched"
    for ways in (
        {fresh: ("fresh", False), year: ("year", False)},
        {fresh: ("fresh", False), everything: ("year", True)},
    ):
        ask(services, questions[:2], ways)
        emit(tables_of(*ask(services, questions, ways), fresh), as_json)
        sys.stdout.flush()


def main() -> None:
    """Fill the store, ask the sweep whether it agrees with the tiers, measure and print."""
    options = arguments(__doc__ or "").parse_args()
    sizes = (1_000, 10_000, 30) if options.quick else (10_000, 100_000, 100)
    embedder = LoadingEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        url = f"{SQLITE_PREFIX}{Path(folder) / 'tiers.db'}"
        services = build(Settings(store=url, embed_timeout_s=60), embedder=embedder, clock=lambda: NOW)
        fill(services, experiences("fresh", sizes[0], timedelta(days=6), embedder), "fresh")
        fill(services, experiences("year", sizes[1], YEAR, embedder), "year")
        swept = services.sweep.sweep("year", dry_run=True)
        counted = ", ".join(f"{tier.lower()} {number}" for tier, number in sorted(swept.after.items()))
        print(f"The year by tier: {counted}; the sweep would move {swept.moved}.", file=sys.stderr)
        measure(services, sizes, options.json)
        services.close()


if __name__ == "__main__":
    main()
