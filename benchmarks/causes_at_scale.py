"""How long causal analysis takes, and how much memory, on a namespace of 100,000 nodes and 300,000 edges.

python -m benchmarks.causes_at_scale [--quick]

Two shapes: 12,500 tasks of eight failures each, and one tangle in which every node is caused by three of the thousand
before it. Also small graphs of awkward shapes. Single runs, wall seconds; memory by tracemalloc of the one call, in a
run of its own. The verbs of the service are asked with the same graph in their mirror; what they add to the analysis is
told as a ratio of processor times, the median of three pairs.
"""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import networkx as nx

from benchmarks.generalizing import filled_with
from benchmarks.reporting import arguments
from graphmem.analysis.blast_radius import blast_radii
from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.choke_points import choke_points
from graphmem.analysis.edge_repair import learn
from graphmem.analysis.history import Occurrence
from graphmem.analysis.irregular import cycles
from graphmem.analysis.joint_fix import joint_fix
from graphmem.analysis.paths import on_every_path, paths
from graphmem.analysis.priorities import priorities
from graphmem.analysis.propagation import propagation
from graphmem.analysis.roots import rank
from graphmem.analysis.walks import DEFAULT_HOPS, walk
from graphmem.analysis.what_if import what_if
from graphmem.domain.causation import CauseEdge, Evidence, Grade
from graphmem.domain.drafts import FactDraft
from graphmem.domain.memories import Experience, Result
from graphmem.index.index_set import IndexSet
from graphmem.services.overview import Overview
from graphmem.tooling.chain_story import STARTS

STATED = (Evidence(Grade.ASSERTED, 0.8, "stated", "agent", STARTS),)
TASK = 8
NEAR = 1_000
CLASSES = 40


@dataclass(frozen=True)
class Namespace:
    """Failures in order of time with their edges."""

    events: Sequence[Occurrence]
    edges: Sequence[CauseEdge]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(effect, cause) of every edge."""
        return [(edge.effect_id, edge.cause_id) for edge in self.edges]


def namespace(nodes: int, in_tasks: bool) -> Namespace:
    """Every node is caused by at most three earlier ones: of its task, or of the thousand before it."""
    chance = random.Random(1)
    events, edges = [], []
    for place in range(nodes):
        first = place - place % TASK if in_tasks else max(0, place - NEAR)
        causes = chance.sample(range(first, place), min(3, place - first))
        at = STARTS + timedelta(seconds=place)
        events.append(Occurrence(_id(place), f"task{place // TASK}", at, _kind(chance.randrange(CLASSES))))
        edges += [stated(_id(place), _id(cause)) for cause in causes]
    return Namespace(events, edges)


def failures_of(events: Sequence[Occurrence], name: str) -> list[Experience]:
    """The events as memories of the namespace of that name."""
    return [
        Experience(
            id=event.id,
            namespace=name,
            occurred_at=event.at,
            recorded_at=event.at,
            action="step",
            result=Result.FAILURE,
            error_type=event.error_class,
            task_id=event.episode,
        )
        for event in events
    ]


def stated(effect: str, cause: str) -> CauseEdge:
    """An asserted edge."""
    return CauseEdge(from_id=effect, to_id=cause, recorded_at=STARTS, evidence=STATED)


def _kind(number: int) -> str:
    """A class whose name stays when error types are normalised, which masks digits."""
    return f"class {chr(ord('a') + number // 26)}{chr(ord('a') + number % 26)}"


def _id(place: int) -> str:
    return f"n{place:06}"


def verbs(given: Namespace) -> Mapping[str, Callable[[], object]]:
    """What is timed, each from the bare edges on."""
    failing = {event.id for event in given.events}

    def order() -> CauseOrder:
        return CauseOrder(failing, given.pairs)

    return {
        "order": order,
        "blast radii": lambda: blast_radii(order(), failing),
        "priorities": lambda: priorities(order(), failing),
        "choke points": lambda: choke_points(order(), failing),
        "propagation": lambda: propagation(given.events, given.edges),
        "habits (edge repair)": lambda: learn(given.events, given.edges),
    }


def _causes(given: Namespace) -> dict[str, list[CauseEdge]]:
    causes: dict[str, list[CauseEdge]] = defaultdict(list)
    for edge in given.edges:
        causes[edge.effect_id].append(edge)
    return causes


def _explain(causes: Mapping[str, list[CauseEdge]], asked: str, events: Mapping[str, Occurrence]) -> None:
    found = walk(
        asked,
        lambda ids: [edge for node in ids for edge in causes.get(node, ())],
        DEFAULT_HOPS,
        Grade.INFERRED,
    )
    graph = cause_graph(found)
    ranked = rank(found, graph, {node: events[node].at for node in found.hops}, frozenset(found.hops))
    paths(found, graph)
    on_every_path(found, graph)
    joint_fix(found, graph)
    what_if(found.edges, {asked}, [ranked[0].id])


def seconds(call: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def megabytes(call: Callable[[], object]) -> float:
    """Most memory held at once by one call, beyond what was there before."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


@contextmanager
def mirrored(given: Namespace) -> Iterator[Overview]:
    """The service with the graph in its mirror. The store holds one fact, so that the index is kept between calls."""
    owned: dict[str, list[CauseEdge]] = defaultdict(list)
    for edge in given.edges:
        owned[edge.effect_id].append(edge)
    with filled_with([], "none") as services:
        services.remember.fact("main", FactDraft(statement="the index is not empty"))
        indexes = IndexSet(services.store, lambda _: None)
        with indexes.current("main") as index:
            for event in given.events:
                index.mirror.put(_memory(event), tuple(owned[event.id]))
        yield Overview(services.store, indexes)


def _memory(event: Occurrence) -> Experience:
    return Experience(
        id=event.id,
        namespace="main",
        occurred_at=event.at,
        recorded_at=event.at,
        task_id=event.episode,
        action="act",
        result=Result.FAILURE,
        error_type=event.error_class,
    )


def service_figures(given: Namespace) -> dict[str, float]:
    """Wall seconds and memory of the service's verbs, and their processor time over that of the analysis alone."""
    bare = verbs(given)
    figures: dict[str, float] = {}
    with mirrored(given) as overview:
        asked: Mapping[str, Callable[[], object]] = {
            "priorities": lambda: overview.priorities("main"),
            "choke points": lambda: overview.choke_points("main"),
            "propagation": lambda: overview.propagation("main"),
        }
        for name, call in asked.items():
            figures[f"service: {name}, s"] = seconds(call)
            figures[f"service: {name}, CPU s"] = processor_seconds(call)
            figures[f"service: {name}, MB"] = megabytes(call)
            ratios = sorted(processor_seconds(call) / processor_seconds(bare[name]) for _ in range(3))
            figures[f"service: {name}, CPU over the analysis"] = ratios[1]
    return figures


def processor_seconds(call: Callable[[], object]) -> float:
    """Processor seconds of one call: what it takes on an idle machine, whatever else runs."""
    began = time.process_time()
    call()
    return time.process_time() - began


def awkward() -> Mapping[str, Callable[[], object]]:
    """Awkward shapes; their answers are in tests/unit/analysis."""
    long = [stated(_id(place), _id(place + 1)) for place in range(10_000)]
    star = [stated(_id(place), "hub") for place in range(100_000)]
    ring = [*long, stated(_id(10_000), _id(0))]
    graph = nx.DiGraph((edge.effect_id, edge.cause_id) for edge in long)
    ends = {edge.effect_id for edge in star}
    return {
        "chain of 10,000: priorities": lambda: priorities(_order(long), {edge.effect_id for edge in long}),
        "ring of 10,000: cycles": lambda: cycles(ring),
        "ring of 10,000: priorities": lambda: priorities(_order(ring), {edge.effect_id for edge in ring}),
        "star of 100,000: priorities": lambda: priorities(_order(star), ends),
        "star of 100,000: choke points": lambda: choke_points(_order(star), ends),
        "chain of 10,000: PageRank, tolerance 1e-10 / N": lambda: nx.pagerank(
            graph, personalization={_id(0): 1.0}, tol=1e-10 / len(graph), max_iter=1_000
        ),
    }


def _order(edges: Sequence[CauseEdge]) -> CauseOrder:
    return CauseOrder([], [(edge.effect_id, edge.cause_id) for edge in edges])


def main() -> None:
    """Build, time, print."""
    options = arguments(__doc__ or "").parse_args()
    nodes = 10_000 if options.quick else 100_000
    figures: dict[str, float] = {}
    for shape, in_tasks in (("tasks", True), ("tangle", False)):
        given = namespace(nodes, in_tasks)
        figures[f"{shape}: edges"] = len(given.edges)
        for name, call in verbs(given).items():
            figures[f"{shape}: {name}, s"] = seconds(call)
            figures[f"{shape}: {name}, MB"] = megabytes(call)
        figures |= {f"{shape}: {name}": value for name, value in service_figures(given).items()}
        causes, events = _causes(given), {event.id: event for event in given.events}
        asked = random.Random(2).sample(range(nodes), 100)
        taken = sorted(seconds(partial(_explain, causes, _id(at), events)) * 1_000 for at in asked)
        figures |= {f"{shape}: explain, ms, p50": taken[50], f"{shape}: explain, ms, p95": taken[95]}
    figures |= {f"{name}, s": seconds(call) for name, call in awkward().items()}
    if options.json:
        print(json.dumps({name: {"value": value, "n": 1} for name, value in figures.items()}))
        return
    for name, value in figures.items():
        print(f"{name:<55} {value:10.3f}")


if __name__ == "__main__":
    main()
