"""How fast the main verbs are, at 10,000 experiences, and how that compares with rank_bm25 in the same run.

python -m benchmarks.speed [--quick]

Texts are synthetic (Zipf-Mandelbrot over 300,000 words, p(r) ~ 1 / (r + 50) ** 1.05), document vectors are random; the
query's vector is real e5-small.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from benchmarks.reporting import arguments
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.analysis.lexical import IncrementalBM25
from graphmem.config import Settings
from graphmem.domain.drafts import CauseRef, ExperienceDraft, Question, SituationKeys
from graphmem.domain.memories import Result
from graphmem.domain.records import EmbeddingSpace, SpaceParameters
from graphmem.wiring import Services, build

COUNT = 10_000
WORDS = 300_000
SHARES = np.cumsum(1.0 / (np.arange(WORDS) + 50.0) ** 1.05)
"""Cumulative frequencies of the words by rank."""
BATCH = 250
CASES = Path(__file__).parent / "data" / "boundary50" / "cases.jsonl"
"""Real situations, half English, half Chinese: embedding takes longer for longer texts."""


class LoadingEmbedder:
    """Random vectors while the store is filled, then the real model; one space for both."""

    def __init__(self) -> None:
        self.real = E5Small()
        self.loading = True
        self._random = np.random.default_rng(1)

    @property
    def space(self) -> EmbeddingSpace:
        """The real model's space."""
        return self.real.space

    @property
    def parameters(self) -> SpaceParameters:
        """The real model's numbers."""
        return self.real.parameters

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Random unit vectors while loading, else the model's."""
        if not self.loading:
            return self.real.embed(texts)
        drawn = self._random.standard_normal((len(texts), self.space.dimension)).astype("<f4")
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return [row.tobytes() for row in drawn]


def sentence(random: np.random.Generator, words: int = 15) -> str:
    """Words drawn with their frequencies."""
    drawn = np.searchsorted(SHARES, random.random(words) * SHARES[-1])
    return " ".join(f"word{number}x" for number in drawn)


def fill(services: Services, count: int, random: np.random.Generator, namespace: str = "main") -> None:
    """Experiences in chains of five, half of them failures."""
    for start in range(0, count, BATCH):
        drafts = [
            ExperienceDraft(
                key=f"k{number}",
                action=sentence(random),
                context=sentence(random),
                correction=sentence(random),
                result=Result.FAILURE if number % 2 else Result.SUCCESS,
                error_type=f"Error{number % 40}",
                tool=f"tool{number % 12}",
                task_id=f"task{number // 5}",
                caused_by=(CauseRef(key=f"k{number - 1}"),) if number % 5 else (),
            )
            for number in range(start, min(start + BATCH, count))
        ]
        services.remember.many(namespace, drafts)


def timed(call: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median and 95th percentile of wall milliseconds."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    return statistics.median(taken), taken[int(0.95 * (len(taken) - 1))]


def cpu_of(command: Sequence[str]) -> float:
    """CPU seconds of a child process, the best of three."""
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


def bm25_ratio(random: np.random.Generator, count: int, rounds: int) -> tuple[float, float, float]:
    """Median ms of rank_bm25 and of ours on the same corpus and 8-term queries, and the ratio."""
    corpus = [sentence(random, 30).split() for _ in range(count)]
    queries = [list(dict.fromkeys(corpus[random.integers(count)]))[:8] for _ in range(rounds)]
    theirs, ours = BM25Okapi(corpus), IncrementalBM25(corpus)
    slow = statistics.median(timed(partial(theirs.get_scores, query), 1)[0] for query in queries[:20])
    fast = statistics.median(timed(partial(ours.scores, query), 1)[0] for query in queries)
    return slow, fast, slow / fast


def measure(folder: str, count: int, rounds: int) -> dict[str, float]:
    """All figures by name: milliseconds unless the name says otherwise."""
    random = np.random.default_rng(7)
    embedder = LoadingEmbedder()
    url = f"sqlite:///{Path(folder) / 'speed.db'}"
    services = build(Settings(store=url, embed_timeout_s=60), embedder=embedder)
    figures: dict[str, float] = {}
    began = time.perf_counter()
    fill(services, count, random)
    figures["load, s"] = time.perf_counter() - began
    began = time.perf_counter()
    services.recall.ask("main", Question(situation="word7x"))
    figures["first recall: index built, s"] = time.perf_counter() - began
    figures |= _recall(services, embedder, random, rounds)
    figures |= _writing(services, random, rounds)
    asked = [f"E-{5 * random.integers(1, count // 5)}" for _ in range(rounds)]
    chosen = iter(asked * 2)
    p50, p95 = timed(lambda: services.explain.explain("main", next(chosen)), rounds)
    figures |= {"explain p50": p50, "explain p95": p95}
    services.close()
    cold = [sys.executable, "-m", "graphmem", "--store", url, "recall", "word7x word8x"]
    figures["cold graphmem recall, CPU s"] = cpu_of(cold)
    figures["graphmem --help, CPU s"] = cpu_of([sys.executable, "-m", "graphmem", "--help"])
    slow, fast, ratio = bm25_ratio(random, count, rounds)
    figures |= {"rank_bm25 query": slow, "our BM25 query": fast, "ratio rank_bm25 / ours": ratio}
    return figures


def _recall(
    services: Services, embedder: LoadingEmbedder, random: np.random.Generator, rounds: int
) -> dict[str, float]:
    """Recall with a random query vector (no model) and with the model's."""

    def ask() -> None:
        question = Question(situation=sentence(random, 12), keys=SituationKeys(tool="tool3"))
        services.recall.ask("main", question)

    def ask_in_a_session() -> None:
        question = Question(
            situation=sentence(random, 12),
            keys=SituationKeys(tool="tool3"),
            session_id=f"session{random.integers(10**9)}",
        )
        services.recall.ask("main", question)

    p50, p95 = timed(ask, rounds)
    noted_p50, noted_p95 = timed(ask_in_a_session, rounds)
    embedder.loading = False
    embedder.real.warm_up()
    lines = CASES.read_text(encoding="utf8").splitlines()
    asked = iter([json.loads(line)["situation"] for line in lines])
    with_p50, with_p95 = timed(
        lambda: services.recall.ask("main", Question(situation=next(asked))), min(rounds, 50)
    )
    embedder.loading = True
    return {
        "recall p50": p50,
        "recall p95": p95,
        "recall in a session p50": noted_p50,
        "recall in a session p95": noted_p95,
        "recall with the query embedded p50": with_p50,
        "recall with the query embedded p95": with_p95,
    }


def _writing(services: Services, random: np.random.Generator, rounds: int) -> dict[str, float]:
    """A write until it is acknowledged, and until a recall finds it."""

    def write() -> None:
        services.remember.experience("main", ExperienceDraft(action=sentence(random), result=Result.FAILURE))

    def write_and_find() -> None:
        action = f"unique{random.integers(10**12)} {sentence(random, 5)}"
        written = services.remember.experience("main", ExperienceDraft(action=action, result=Result.FAILURE))
        found = services.recall.ask("main", Question(situation=action))
        if found.errors[0].memory.id != written.memory.id:
            raise RuntimeError("a write was not found at once")

    p50, p95 = timed(write, rounds)
    found_p50, found_p95 = timed(write_and_find, rounds)
    return {
        "write p50": p50,
        "write p95": p95,
        "write to found p50": found_p50,
        "write to found p95": found_p95,
    }


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "").parse_args()
    count, rounds = (1_000, 20) if options.quick else (COUNT, 100)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(folder, count, rounds)
    if options.json:
        print(json.dumps({name: {"value": value, "n": rounds} for name, value in figures.items()}))
        return
    print(f"\nSpeed at {count} experiences, {rounds} rounds (milliseconds of wall time unless said)")
    for name, value in figures.items():
        print(f"{name:<40} {value:10.2f}")


if __name__ == "__main__":
    main()
