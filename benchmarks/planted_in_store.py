"""Does explain() of a running memory find the planted root, with what habits infer and without it?

python -m benchmarks.planted_in_store [--quick]

The histories of benchmarks.planted, each written to a SQLite file of its own as an agent would have written it; explain
is asked for the last failure of every task of the second half, and ranks by what is learned from the latest experiences
of the namespace, the asked task among them. Then 100 of 100,000 failures with 225,000 edges, the tasks of
benchmarks.causes_at_scale, are explained. Times are processor time of the whole process.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from benchmarks.causes_at_scale import failures_of, namespace
from benchmarks.planted import EPISODES, SEEDS, SETTINGS
from benchmarks.reporting import Figure, arguments, difference, emit, mean_figure
from graphmem.analysis.walks import MAX_HOPS
from graphmem.config import Settings
from graphmem.domain.causation import Edge, Grade
from graphmem.domain.memories import Memory
from graphmem.ports.changes import Changes
from graphmem.tooling.chain_story import STARTS
from graphmem.tooling.chains import Planted
from graphmem.wiring import Services, build

NAMESPACE = "main"
BATCH = 250


@dataclass(frozen=True)
class Asked:
    """One failure explained. hit, stated_hit: whether the first root is the planted one, and so without inferred
    edges; edges: how many of them were inferred; seconds, stated_seconds: at both grades.
    """

    hit: bool
    stated_hit: bool
    edges: int
    seconds: float
    stated_seconds: float


@contextmanager
def holding(memories: Sequence[Memory], edges: Sequence[Edge]) -> Iterator[Services]:
    """Services over a temporary SQLite file that holds these memories with their edges, words only."""
    with tempfile.TemporaryDirectory() as folder:
        services = build(Settings(store=f"sqlite:///{folder}/memory.db", embedder="none"))
        try:
            _load(services, memories, edges)
            yield services
        finally:
            services.close()


def _load(services: Services, memories: Sequence[Memory], edges: Sequence[Edge]) -> None:
    for start in range(0, len(memories), BATCH):
        batch = tuple(
            replace(memory, namespace=NAMESPACE, ref="") for memory in memories[start : start + BATCH]
        )
        services.store.apply(Changes(namespace=NAMESPACE, at=STARTS, create=batch))
    for start in range(0, len(edges), BATCH):
        services.store.apply(
            Changes(namespace=NAMESPACE, at=STARTS, edges=tuple(edges[start : start + BATCH]))
        )


def asked(history: Planted, count: int) -> list[Asked]:
    """explain for every task after the first count."""
    with holding(history.memories, history.edges) as services:
        services.overview.priorities(NAMESPACE)  # builds the index
        return [_asked(services, episode.asked, episode.root) for episode in history.episodes[count:]]


def _asked(services: Services, failure: str, root: str) -> Asked:
    began = time.process_time()
    services.explain.explain(NAMESPACE, failure, MAX_HOPS, 1, Grade.TRACED)
    between = time.process_time()
    found = services.explain.explain(NAMESPACE, failure, MAX_HOPS, 1)
    ended = time.process_time()
    return Asked(
        hit=found.root_causes[0].memory.id == root,
        stated_hit=found.stated_root == root,
        edges=sum(edge.grade is Grade.INFERRED for edge in found.edges),
        seconds=ended - between,
        stated_seconds=between - began,
    )


def at_scale(nodes: int) -> dict[str, Figure]:
    """Processor milliseconds of explain in tasks of eight failures, at both grades, once the index stands."""
    given = namespace(nodes, in_tasks=True)
    with holding(failures_of(given.events, NAMESPACE), given.edges) as services:
        services.overview.priorities(NAMESPACE)  # builds the index
        began = time.process_time()
        services.explain.explain(NAMESPACE, given.events[0].id)
        learned = time.process_time() - began
        chosen = random.Random(2).sample(range(nodes), 100)
        found = [_asked(services, given.events[place].id, "") for place in chosen]
    return {"the first one, habits are learned, ms": mean_figure([learned * 1_000])} | _times(found)


def figures(name: str, seeds: Sequence[int], count: int) -> dict[str, Figure]:
    """hit@1 with and without what is inferred, the paired difference, and the processor milliseconds of both."""
    plant, noise = SETTINGS[name]
    found = [item for seed in seeds for item in asked(plant(2 * count, seed, noise), count)]
    with_habits, stated = [float(item.hit) for item in found], [float(item.stated_hit) for item in found]
    return {
        "hit@1": mean_figure(with_habits, {"without what is inferred": sum(stated) / len(stated)}),
        "hit@1 minus without": difference(with_habits, stated),
        "inferred edges in an answer": mean_figure([float(item.edges) for item in found]),
    } | _times(found)


def _times(found: Sequence[Asked]) -> dict[str, Figure]:
    """Medians and 95th percentiles."""
    taken = {
        "explain, ms": sorted(item.seconds * 1_000 for item in found),
        "without what is inferred, ms": sorted(item.stated_seconds * 1_000 for item in found),
    }
    return {
        f"{label}, {title}": mean_figure([times[int(share * (len(times) - 1))]])
        for label, times in taken.items()
        for title, share in (("p50", 0.5), ("p95", 0.95))
    }


def main() -> None:
    """Plant, write, ask, score, print."""
    options = arguments(__doc__ or "").parse_args()
    seeds, count = (SEEDS[:1], 100) if options.quick else (SEEDS, EPISODES)
    chosen = [name for name in SETTINGS if name.startswith("class-driven")]
    tables = {f"explain, {name}": figures(name, seeds, count) for name in chosen}
    tables["explain, tasks of eight failures"] = at_scale(5_000 if options.quick else 100_000)
    emit(tables, options.json, [f"seeds {list(seeds)}, {count} tasks asked after {count}, each"])


if __name__ == "__main__":
    main()
