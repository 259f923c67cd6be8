"""How long a copy of many memories takes: from a file to a file, to a Neo4j server and back.

python -m benchmarks.copying --store neo4j://127.0.0.1:7687 [--quick] [--json]

Memories are synthetic experiences in chains of five (benchmarks.speed), two hashed vectors of 384 numbers each. The
namespace on the server is new at every run and stays there. Without --store only the file is copied.
"""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.reporting import Figure, arguments
from benchmarks.speed import fill
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.config import from_environment
from graphmem.domain.answers import CopyProgress
from graphmem.ports.store import MemoryStore
from graphmem.wiring import Services, build, open_target

COUNT = 100_000
QUICK = 2_000
DIMENSION = 384


def opened(url: str) -> Services:
    """Services over a store."""
    return build(from_environment(store=url), embedder=HashingEmbedder(DIMENSION))


def timed(source: Services, namespace: str, target: MemoryStore) -> tuple[float, dict[str, float]]:
    """Wall seconds of a copy, and of each of its steps."""
    began = last = time.perf_counter()
    steps: dict[str, float] = {}

    def tell(how: CopyProgress) -> None:
        nonlocal last
        now = time.perf_counter()
        steps[how.step] = steps.get(how.step, 0.0) + now - last
        last = now

    source.copy.copy(namespace, target, tell)
    ended = time.perf_counter()
    return ended - began, steps | {"COMPARING": ended - last}


def measured(count: int, server: str, show: Callable[[str], None]) -> dict[str, tuple[float, float]]:
    """Seconds of each copy, and of SQLite to SQLite in the same run."""
    found: dict[str, float] = {}
    namespace = f"copying-{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory() as folder:
        first, second, third = (f"sqlite:///{Path(folder) / name}.db" for name in ("a", "b", "c"))
        ways = [("sqlite to sqlite", first, second)]
        if server:
            ways += [("sqlite to neo4j", first, server), ("neo4j to sqlite", server, third)]
        with closing(opened(first)) as source:
            fill(source, count, np.random.default_rng(1), namespace)
        for name, here, there in ways:
            with (
                closing(opened(here)) as source,
                closing(open_target(from_environment(store=there))) as target,
            ):
                found[name], steps = timed(source, namespace, target)
            show(
                f"{name}: {found[name]:.1f} s " + str({step: round(took, 1) for step, took in steps.items()})
            )
    return {name: (seconds, found["sqlite to sqlite"]) for name, seconds in found.items()}


def main() -> None:
    """Print seconds, memories a second, and the ratio to a copy between two files."""
    options = arguments("How long a copy takes").parse_args()
    count = QUICK if options.quick else COUNT
    found = measured(count, options.store, (lambda _: None) if options.json else print)
    if options.json:
        figures = {
            name: asdict(Figure(seconds, seconds, seconds, count, {"sqlite to sqlite": baseline}))
            for name, (seconds, baseline) in found.items()
        }
        print(json.dumps(figures))
        return
    for name, (seconds, baseline) in found.items():
        print(
            f"{name:18} {count} memories {seconds:7.1f} s {count / seconds:7.0f}/s {seconds / baseline:5.1f} x"
        )


if __name__ == "__main__":
    main()
