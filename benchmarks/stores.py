"""What a store costs: writes beside a bare transaction, polls beside a bare read, and the load of 100,000 memories.

python -m benchmarks.stores [--store bolt://127.0.0.1:PORT] [--loads] [--quick] [--json]

--loads measures the load of the memories only. Without --store only SQLite is measured. Memories are synthetic
experiences with two random vectors of 384 numbers. Both sides of a comparison are timed in turns in one run; intervals
are over the turns. The namespaces on the server are new at every run and stay there.
"""

from __future__ import annotations

import multiprocessing
import resource
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.bare_writes import Write, bare_neo4j, bare_sqlite
from benchmarks.patience import patient_target
from benchmarks.reporting import Figure, arguments, emit, mean_figure
from benchmarks.speed import sentence
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.config import Settings, from_environment
from graphmem.domain.causation import CauseEdge, Evidence, Grade
from graphmem.domain.drafts import Question
from graphmem.domain.identifiers import uuid7
from graphmem.domain.memories import Experience, Memory, Result, SearchField
from graphmem.index.following import PAGE
from graphmem.ports.changes import Changes, Request, RestoreBatch
from graphmem.ports.queries import Cursor
from graphmem.ports.store import MemoryStore
from graphmem.tooling.demo import STARTS
from graphmem.wiring import build, open_target

COUNT = 100_000
BATCH = 250
DIMENSION = 384
CHAIN = 5
THREADS = (1, 8)
STATED = (Evidence(Grade.ASSERTED, 0.75, "writer", "benchmark", STARTS),)
MEGABYTE = 1024
"""Kilobytes, in which Linux tells the memory of a process."""


class Making:
    """Makes experiences with ids, texts and vectors of their own."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self._random = np.random.default_rng(1)
        self._made = 0

    def __call__(self) -> Experience:
        """The next one; its ref counts from 1."""
        self._made += 1
        drawn = self._random.standard_normal((2, DIMENSION)).astype("<f4")
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return Experience(
            id=uuid7(STARTS, secrets.randbits(74)),
            ref=f"E-{self._made}",
            namespace=self.namespace,
            occurred_at=STARTS,
            recorded_at=STARTS,
            action=sentence(self._random),
            context=sentence(self._random),
            correction=sentence(self._random),
            result=Result.SUCCESS,
            task_id=f"task{self._made // CHAIN}",
            vectors={SearchField.SITUATION: drawn[0].tobytes(), SearchField.OUTCOME: drawn[1].tobytes()},
        )


def caused(effect: str, cause: str) -> CauseEdge:
    """An asserted edge."""
    return CauseEdge(from_id=effect, to_id=cause, recorded_at=STARTS, evidence=STATED)


def writing(store: MemoryStore, namespace: str) -> Write:
    """Writes as the store does them: checked, idempotent, counted, with revision, ref and digests."""

    def write(memory: Memory, causes: Sequence[str]) -> None:
        store.apply(
            Changes(
                namespace=namespace,
                at=STARTS,
                create=(memory,),
                edges=tuple(caused(memory.id, cause) for cause in causes),
                requests=(Request(key=memory.id, payload_hash=memory.id, memory_id=memory.id),),
            )
        )

    return write


def turn(write: Write, memories: Sequence[Memory], causes: Sequence[str], threads: int) -> list[float]:
    """Milliseconds of each write of some memories by some threads at once, sorted."""

    def once(memory: Memory) -> float:
        began = time.perf_counter()
        write(memory, causes)
        return (time.perf_counter() - began) * 1000

    with ThreadPoolExecutor(threads) as pool:
        return sorted(pool.map(once, memories))


def writes(store: MemoryStore, bare: Write, namespace: str, turns: int) -> dict[str, dict[str, Figure]]:
    """The store's writes and bare ones in turns, each with an edge to two causes, by 1 and by 8 threads."""
    make, ours = Making(namespace), writing(store, namespace)
    causes = [make(), make()]
    for cause in causes:
        for write in (ours, bare):
            write(cause, ())
    ends, tables = [cause.id for cause in causes], {}
    for threads in THREADS:
        each = 40 * max(1, threads // 4)
        told: list[tuple[list[float], list[float]]] = []
        for _ in range(turns + 1):
            memories = [make() for _ in range(each)]
            told.append((turn(ours, memories, ends, threads), turn(bare, memories, ends, threads)))
        tables[f"{threads} thread{'s' if threads > 1 else ''}, {each} writes a turn"] = compared(told[1:])
    return tables


def compared(turns: Sequence[tuple[Sequence[float], Sequence[float]]]) -> dict[str, Figure]:
    """p50 and p95 in milliseconds, each beside the bare one, and their ratios; over turns of (ours, bare), sorted."""
    figures = {}
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        own = [each[int(share * (len(each) - 1))] for each, _ in turns]
        bare = [each[int(share * (len(each) - 1))] for _, each in turns]
        figures[f"{name}, ms"] = mean_figure(own, {"bare": sum(bare) / len(bare)})
        figures[f"{name} to the bare one"] = mean_figure([a / b for a, b in zip(own, bare, strict=True)])
    return figures


def polls(store: MemoryStore, other: MemoryStore, namespace: str, turns: int) -> dict[str, Figure]:
    """Milliseconds until a reader knows that nothing, or what, is new; beside asking for the revision alone.

    other: a second connection, as of another process, whose writes the reader has not been told of.
    """
    make, theirs = Making(namespace), writing(other, namespace)
    cursor = _end_of(store, namespace, Cursor())
    spent: dict[str, list[float]] = {"the revision alone": [], "nothing new": [], "1 of another process": []}
    for _ in range(turns * 10):
        spent["the revision alone"].append(_milliseconds(partial(store.state, namespace)))
        spent["nothing new"].append(_milliseconds(partial(_end_of, store, namespace, cursor)))
        theirs(make(), ())
        spent["1 of another process"].append(_milliseconds(partial(_end_of, store, namespace, cursor)))
        cursor = _end_of(store, namespace, cursor)
    base = sum(spent["the revision alone"]) / len(spent["the revision alone"])
    return {name: mean_figure(values, {"the revision alone": base}) for name, values in spent.items()}


def _end_of(store: MemoryStore, namespace: str, cursor: Cursor) -> Cursor:
    """Where the feed ends, read to there."""
    while True:
        feed = store.changes_since(namespace, cursor, PAGE)
        cursor = feed.next
        if feed.complete:
            return cursor


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def fill(store: MemoryStore, namespace: str, count: int) -> None:
    """Experiences in chains of five, with an edge from each to the one before."""
    make, last = Making(namespace), ""
    for start in range(0, count, BATCH):
        memories, edges = [make() for _ in range(min(BATCH, count - start))], []
        for place, memory in enumerate(memories, start):
            if place % CHAIN:
                edges.append(caused(memory.id, last))
            last = memory.id
        store.restore(RestoreBatch(namespace=namespace, memories=tuple(memories), edges=tuple(edges)))


def load(settings: Settings, namespace: str, searched: bool) -> tuple[float, float, float]:
    """Seconds, processor seconds and megabytes that the first question of a process costs it.

    Not searched: reading the feed alone.
    """
    before = _peak()
    with closing(build(settings, embedder=HashingEmbedder(DIMENSION))) as services:
        began, worked = time.perf_counter(), time.process_time()
        if searched:
            services.recall.ask(namespace, Question(situation="word7x word8x"))
        else:
            _end_of(services.store, namespace, Cursor())
        return time.perf_counter() - began, time.process_time() - worked, _peak() - before


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE


def loads(settings: Settings, namespace: str, count: int) -> dict[str, Figure]:
    """What load() costs, each time in a process of its own."""
    numbers = count * 2 * DIMENSION * 4 / 2**20
    with ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        reading = pool.submit(load, settings, namespace, False).result()
        asking = pool.submit(load, settings, namespace, True).result()
    baselines = {"reading the feed alone": reading, "the vectors alone": (0.0, 0.0, numbers)}
    return {
        what: Figure(
            value, value, value, count, {name: row[at] for name, row in baselines.items() if row[at]}
        )
        for at, (what, value) in enumerate(zip(("s", "processor s", "MB"), asking, strict=True))
    }


def loading(settings: Settings, count: int) -> Iterator[tuple[str, dict[str, Figure]]]:
    """The table of the load."""
    namespace = f"many-{secrets.token_hex(4)}"
    with closing(patient_target(settings)) as store:
        fill(store, namespace, count)
    title = f"The first question of a process, {_name(settings)}, {count} memories"
    yield title, loads(settings, namespace, count)


def calling(settings: Settings, folder: Path, turns: int) -> Iterator[tuple[str, dict[str, Figure]]]:
    """The tables of writes and polls."""
    run, name = secrets.token_hex(4), _name(settings)
    login = (settings.neo4j_user, settings.neo4j_password) if settings.neo4j_user else None
    with closing(open_target(settings)) as store, closing(open_target(settings)) as other:
        server = not settings.store.startswith("sqlite:")
        opened = bare_neo4j(settings.store, login, run) if server else bare_sqlite(folder / "bare.db")
        with opened as bare:
            for title, table in writes(store, bare, f"writes-{run}", turns).items():
                yield f"Writes, {name}, {title}", table
        yield f"A poll, {name}, ms", polls(store, other, f"writes-{run}", turns)


def _name(settings: Settings) -> str:
    return "SQLite" if settings.store.startswith("sqlite:") else "Neo4j"


def main() -> None:
    """Measure SQLite, and the server if one is given; print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--loads", action="store_true", help="the load of the memories only")
    options = parser.parse_args()
    count, turns = (2_000, 3) if options.quick else (COUNT, 15)
    tables: dict[str, Mapping[str, Figure]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for url in (f"sqlite:///{Path(folder) / 'memory.db'}", options.store):
            if not url:
                continue
            settings = from_environment(store=url)
            calls = () if options.loads else calling(settings, Path(folder), turns)
            for title, table in chain(calls, loading(settings, count)):
                tables[title] = table
                if not options.json:
                    emit({title: table}, as_json=False)
    if options.json:
        emit(tables, as_json=True)


if __name__ == "__main__":
    main()
