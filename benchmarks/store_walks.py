"""What explain costs a process that has loaded nothing: the walk through the store, over 100,000 failures.

python -m benchmarks.store_walks [--store bolt://127.0.0.1:PORT] [--quick] [--json]

The namespaces of benchmarks.causes_at_scale: tasks of eight failures, and one tangle of three causes each. A process of
its own asks about 101 failures of each, the first of them apart: it reads the latest experiences, from which habits are
learned. Baseline: the same once the index was loaded, as most questions need it. The namespaces on a server stay there
for the next run.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchmarks.causes_at_scale import Namespace, failures_of, namespace
from benchmarks.patience import patient_target
from benchmarks.reporting import Figure, arguments, emit, mean_figure
from graphmem.config import Settings, from_environment
from graphmem.domain.causation import CauseEdge
from graphmem.ports.changes import RestoreBatch
from graphmem.ports.store import MemoryStore
from graphmem.wiring import build

_T = TypeVar("_T")
NODES = 100_000
QUICK = 5_000
ASKED = 100
BATCH = 100
SHAPES = {"tasks of eight": True, "one tangle": False}


@dataclass(frozen=True)
class Walks:
    """What a process measured. first, rest: wall milliseconds of explain; loading: seconds that the index took before,
    0 where it was not loaded; peak: megabytes of the process, what this module imports included.
    """

    first: float
    rest: Sequence[float]
    loading: float
    peak: float


def ask(settings: Settings, name: str, failures: Sequence[str], indexed: bool) -> Walks:
    """Explain each failure, through the store or, once everything is loaded, from the index."""
    with closing(build(settings)) as services:
        began = time.perf_counter()
        if indexed:
            services.overview.priorities(name)
        loaded = time.perf_counter() - began
        taken = []
        for failure in failures:
            began = time.perf_counter()
            services.explain.explain(name, failure)
            taken.append((time.perf_counter() - began) * 1_000)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return Walks(taken[0], taken[1:], loaded if indexed else 0.0, peak)


def apart(work: Callable[..., _T], *given: object) -> _T:
    """What it answers in a process of its own: the memory of one is not counted to the next."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def prepare(settings: Settings, shape: str, nodes: int) -> list[str]:
    """Fill the namespace of a shape where it is not filled yet; the failures to ask about."""
    name, given = named(shape, nodes), namespace(nodes, SHAPES[shape])
    with closing(patient_target(settings)) as store:
        if store.state(name).counts.get("EXPERIENCE", 0) != nodes:
            fill(store, name, given)
    return [given.events[place].id for place in random.Random(2).sample(range(nodes), ASKED + 1)]


def named(shape: str, nodes: int) -> str:
    """The namespace of a shape."""
    return f"walks-{shape.replace(' ', '-')}-{nodes}"


def fill(store: MemoryStore, name: str, given: Namespace) -> None:
    """Put the failures with their edges into the store, a batch at a time."""
    causes: dict[str, list[CauseEdge]] = {event.id: [] for event in given.events}
    for edge in given.edges:
        causes[edge.effect_id].append(edge)
    for start in range(0, len(given.events), BATCH):
        events = given.events[start : start + BATCH]
        memories = tuple(failures_of(events, name))
        edges = tuple(edge for event in events for edge in causes[event.id])
        store.restore(RestoreBatch(namespace=name, memories=memories, edges=edges))


def figures(settings: Settings, shape: str, nodes: int) -> dict[str, Figure]:
    """The table of one shape."""
    failures = apart(prepare, settings, shape, nodes)
    walked, indexed = (
        apart(ask, settings, named(shape, nodes), failures, loaded) for loaded in (False, True)
    )
    found = {"the first one": mean_figure([walked.first], {"index": indexed.first})}
    for title, share in (("p50", 0.5), ("p95", 0.95)):
        place = int(share * (ASKED - 1))
        both = [sorted(one.rest)[place] for one in (walked, indexed)]
        found[f"the next {ASKED}, {title}"] = mean_figure(both[:1], {"index": both[1]})
    loading = {"loading it, s": indexed.loading, "index": indexed.peak}
    return found | {"memory of the process, MB": mean_figure([walked.peak], loading)}


def main() -> None:
    """Fill, ask, print."""
    options = arguments(__doc__ or "").parse_args()
    nodes = QUICK if options.quick else NODES
    with tempfile.TemporaryDirectory() as folder:
        url = options.store or f"sqlite:///{Path(folder) / 'memory.db'}"
        settings = replace(from_environment(store=url), embedder="none")
        where = "SQLite" if url.startswith("sqlite:") else "Neo4j"
        tables = {
            f"explain by the store's walk, {where}, {shape}, {nodes} failures, ms": figures(
                settings, shape, nodes
            )
            for shape in SHAPES
        }
    emit(tables, options.json, ["one run; where the interval is as narrow as the value, it is one call"])


if __name__ == "__main__":
    main()
