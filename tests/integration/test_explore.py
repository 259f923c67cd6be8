"""The twelve saved queries on a real server say what our own analysis says of the same graph."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import chain, combinations
from uuid import uuid4

import networkx as nx
import pytest
from neo4j import GraphDatabase

from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.choke_points import choke_points
from graphmem.analysis.common_causes import common_causes
from graphmem.analysis.irregular import cycles, orphans, time_violations
from graphmem.analysis.paths import paths
from graphmem.analysis.priorities import priorities
from graphmem.config import Settings
from graphmem.domain.causation import Grade
from graphmem.domain.memories import Experience, Fact, Pattern, Strategy
from graphmem.services.explain import Explain
from graphmem.tooling.chain_network import Network, load, network
from graphmem.tooling.neo4j import RunningServer
from graphmem.wiring import build
from tests.integration.exploring import FOLDER, Explored
from tests.neo4j_fixture import patient_store

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(600)]

Make = Callable[[Network], Explored]


@pytest.fixture(scope="module")
def explored(neo4j_server: RunningServer) -> Iterator[Make]:
    """Have a network in a namespace of its own."""
    with ExitStack() as stack:
        driver = stack.enter_context(GraphDatabase.driver(neo4j_server.bolt_uri))
        store = stack.enter_context(closing(patient_store(neo4j_server.bolt_uri)))
        store.migrate()

        def make(given: Network) -> Explored:
            namespace = f"explore-{uuid4().hex[:8]}"
            load(store, given, namespace)
            stored = store.get(namespace, [memory.id for memory in given.memories])
            return Explored(driver, namespace, given, stored)

        yield make


@pytest.fixture(scope="module")
def tangled(explored: Make) -> Explored:
    """A memory with everything: causes in other tasks, doubt, verdicts, cycles."""
    return explored(network(30, 7, late=0.1))


@pytest.fixture(scope="module")
def orderly(explored: Make) -> Explored:
    """The same without cycles."""
    return explored(network(30, 7, late=0))


@pytest.fixture(scope="module")
def short(explored: Make) -> Explored:
    """Fewer than a hundred failures in short chains: no bound of a query is reached."""
    return explored(network(12, 6, carried=0, guessed=0, late=0))


@pytest.fixture(scope="module")
def explain(tangled: Explored, neo4j_server: RunningServer) -> Iterator[Explain]:
    """The service, on the same server."""
    store = patient_store(neo4j_server.bolt_uri)
    with closing(build(Settings(store=neo4j_server.bolt_uri, embedder="none"), store=store)) as services:
        yield services.explain


def test_there_are_twelve() -> None:
    assert [file.name[:2] for file in sorted(FOLDER.iterdir())] == [f"{n:02}" for n in range(1, 13)]


@pytest.mark.parametrize("number", range(1, 13))
def test_a_query_answers_the_columns_that_it_names(tangled: Explored, number: int) -> None:
    (file,) = FOLDER.glob(f"{number:02}-*.cypher")
    named = next(line for line in file.read_text("utf-8").splitlines() if line.startswith("// columns: "))
    first, *others = tangled.deepest(30)
    root = next(iter(tangled.roots(first.id)))
    other = next(memory for memory in others if root in tangled.roots(memory.id))
    rows = tangled.rows(number, ref=tangled.ref(root) if number == 3 else first.ref, other=other.ref)
    assert rows
    assert list(rows[0]) == named.removeprefix("// columns: ").split(", ")


@pytest.mark.parametrize("number", range(1, 13))
def test_nothing_is_nothing(tangled: Explored, number: int) -> None:
    """A reference that is not there, or a namespace without a failure: no row but the counts."""
    rows = tangled.rows(number, namespace="nowhere", ref="E-1", other="E-2")
    assert [row for row in rows if row.get("what") != "failures without a pattern"] == []


def test_01_why(tangled: Explored, explain: Explain) -> None:
    for memory in tangled.deepest(8):
        rows = tangled.rows(1, ref=memory.ref)
        asked = explain.explain(tangled.namespace, memory.ref, max_hops=6)
        assert len(asked.nodes) <= 61
        found = [(row["effect"]["id"], row["cause"]["id"], row["edge"]["confidence"]) for row in rows]
        assert len(set(found)) == len(found)
        assert set(found) == {(edge.effect_id, edge.cause_id, edge.confidence) for edge in asked.edges}


def test_01_a_memory_without_causes_has_no_picture(tangled: Explored) -> None:
    alone = next(memory for memory in tangled.failures if memory.id not in tangled.with_causes)
    assert tangled.rows(1, ref=alone.ref) == []


def test_02_roots(tangled: Explored, orderly: Explored, explain: Explain) -> None:
    for memory in tangled.deepest(8):
        asked = explain.explain(tangled.namespace, memory.ref, max_hops=6, limit=20)
        causes = [item for item in asked.root_causes if dict(_parts(item))["source"] == 1 and item.hops]
        ours = {item.memory.ref: item.hops for item in causes if item.memory.id not in tangled.with_causes}
        found = {row["root"]: row["hops"] for row in tangled.rows(2, ref=memory.ref)}
        assert found == ours
    for memory in orderly.deepest(8):
        found = {row["root"]: row["hops"] for row in orderly.rows(2, ref=memory.ref)}
        assert found == {orderly.ref(name): hops for name, hops in orderly.roots(memory.id).items()} != {}


def _parts(item) -> list[tuple[str, float]]:  # type: ignore[no-untyped-def]
    return [(part.name, part.value) for part in item.parts]


def test_03_blast_radius(tangled: Explored, explain: Explain) -> None:
    reach = Counter(chain.from_iterable(tangled.roots(memory.id) for memory in tangled.failures))
    for name, _ in reach.most_common(8):
        rows = tangled.rows(3, ref=tangled.ref(name))
        asked = explain.impact(tangled.namespace, name, max_hops=4)
        assert sum(row["failures"] for row in rows) == asked.failures > 0
        hops = tangled.walk(name, 4, towards_causes=False).hops
        failing = {memory.id for memory in tangled.failures} - {name}
        assert {row["hops"]: row["failures"] for row in rows} == Counter(
            far for node, far in hops.items() if node in failing
        )


def test_04_top_roots(tangled: Explored, orderly: Explored) -> None:
    for given in (tangled, orderly):
        failing = {memory.id for memory in given.failures}
        led = {edge.cause_id for edge in given.active if edge.effect_id in failing}
        incidents = [memory for memory in given.failures if memory.id not in led][:200]
        behind = Counter(given.ref(name) for memory in incidents for name in given.roots(memory.id))
        assert {row["root"]: row["incidents"] for row in given.rows(4)} == behind


def test_04_the_first_root_is_the_first_priority(short: Explored) -> None:
    led = {edge.cause_id for edge in short.active}
    incidents = {memory.id for memory in short.failures if memory.id not in led}
    pairs = [(edge.effect_id, edge.cause_id) for edge in short.active]
    first = priorities(CauseOrder([], pairs), incidents, limit=1)[0]
    assert short.rows(4, limit=1)[0]["incidents"] == first.failures


def test_05_most_probable_chains(orderly: Explored) -> None:
    for memory in orderly.deepest(8):
        walked = orderly.walk(memory.id)
        ours = [item for item in paths(walked, cause_graph(walked)) if item[0][-1] not in orderly.with_causes]
        rows = orderly.rows(5, ref=memory.ref, limit=len(ours))
        assert [row["refs"] for row in rows] == [[orderly.ref(name) for name in ids] for ids, _ in ours]
        assert [row["probability"] for row in rows] == pytest.approx([chance for _, chance in ours])


def test_05_a_cycle_is_walked_through_once(tangled: Explored) -> None:
    for memory in tangled.deepest(8):
        for row in tangled.rows(5, ref=memory.ref):
            assert len(set(row["refs"])) == len(row["refs"]) == row["hops"] + 1


def test_06_choke_points(short: Explored) -> None:
    graph = nx.DiGraph((edge.effect_id, edge.cause_id) for edge in short.active)
    assert nx.dag_longest_path_length(graph) <= 6
    assert len(short.failures) < 100
    failing = {memory.id for memory in short.failures}
    ours = choke_points(CauseOrder([], graph.edges), failing, limit=len(graph))
    found = {row["ref"]: (row["roots"], row["failures"], row["chains"]) for row in short.rows(6)}
    assert found
    assert found == {short.ref(p.id): (p.roots, p.failures, p.chains) for p in ours if p.chains}


def test_07_recurring_shapes(tangled: Explored) -> None:
    failing = {memory.id: memory for memory in tangled.failures}
    causes = defaultdict(list)
    for edge in tangled.active:
        if edge.effect_id in failing and edge.cause_id in failing:
            causes[edge.effect_id].append(edge.cause_id)
    seen: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for first in failing:
        for second in causes[first]:
            for third in causes[second]:
                if third != first:
                    named = tuple(_error(failing[name]) for name in (first, second, third))
                    seen[named].append(failing[first].episode)
    ours = {shape: (len(set(tasks)), len(tasks)) for shape, tasks in seen.items() if len(set(tasks)) >= 3}
    found = {tuple(row["shape"]): (row["tasks"], row["chains"]) for row in tangled.rows(7)}
    assert found
    assert found == ours


def _error(memory: object) -> str:
    assert isinstance(memory, Experience)
    return memory.error_type


def test_08_coverage(tangled: Explored) -> None:
    rows = tangled.rows(8)
    found = {(row["what"], row["ref"]): row["failures"] for row in rows}
    failing = {memory.id: memory for memory in tangled.failures}
    above = defaultdict(set)
    for edge in tangled.network.edges:
        if isinstance(tangled.stored[edge.from_id], (Pattern, Strategy)):
            above[edge.to_id].add(edge.from_id)
    patterns = [memory for memory in tangled.stored.values() if isinstance(memory, Pattern)]
    ours = {("largest patterns", memory.ref): memory.frequency for memory in patterns}
    ours["failures without a pattern", None] = sum(not above[name] for name in failing)
    for pattern in patterns:
        said = [tangled.stored[name].occurred_at for name in above[pattern.id]]
        members = [item for name, item in failing.items() if pattern.id in above[name]]
        back = sum(any(item.occurred_at > at for at in said) for item in members)
        if back:
            ours["failed after a strategy", pattern.ref] = back
    assert any(what == "failed after a strategy" for what, _ in ours)
    assert found == ours


def test_09_common_causes(orderly: Explored) -> None:
    compared = 0
    whole = [memory for memory in orderly.deepest(80) if not orderly.walk(memory.id).truncated]
    for first, second in combinations(whole[:15], 2):
        walks = [orderly.walk(memory.id) for memory in (first, second)]
        ours = common_causes(chain(*(item.edges for item in walks)), first.id, second.id)
        rows = orderly.rows(9, ref=first.ref, other=second.ref)
        assert {row["ref"] for row in rows} == orderly.refs(ours.shared)
        assert {row["ref"] for row in rows if row["nearest"]} == orderly.refs(ours.nearest)
        compared += bool(rows)
    assert compared > 3


def test_10_cycles_and_time(tangled: Explored, orderly: Explored) -> None:
    assert orderly.rows(10) == []
    rows = tangled.rows(10)
    late = {(row["effect"], row["cause"]) for row in rows if row["late"]}
    assert late
    assert late == {
        (tangled.ref(edge.effect_id), tangled.ref(edge.cause_id))
        for edge in time_violations(tangled.edges)
        if not isinstance(tangled.stored[edge.cause_id], Fact)
    }
    graph = nx.DiGraph((edge.effect_id, edge.cause_id) for edge in tangled.active)
    tangles = [tangled.refs(found) for found in nx.strongly_connected_components(graph) if len(found) > 1]
    closing_one = [{row["effect"], row["cause"]} for row in rows if row["closes_cycle"]]
    assert all(any(ends <= tangle for tangle in tangles) for ends in closing_one)
    for cycle in cycles(tangled.edges):
        (tangle,) = (found for found in tangles if tangled.ref(cycle[0]) in found)
        assert any(ends <= tangle for ends in closing_one)


def test_11_inferred(tangled: Explored, explain: Explain) -> None:
    seen = 0
    for memory in tangled.deepest(12):
        everything = explain.explain(tangled.namespace, memory.ref, max_hops=6)
        certain = explain.explain(tangled.namespace, memory.ref, max_hops=6, min_grade=Grade.TRACED)
        kept = {item.id for item in certain.nodes}
        ours = {
            (tangled.ref(edge.effect_id), tangled.ref(edge.cause_id), edge.cause_id not in kept)
            for edge in everything.edges
            if edge.grade is Grade.INFERRED
        }
        rows = tangled.rows(11, ref=memory.ref)
        assert {(row["effect"], row["cause"], row["vanishes"]) for row in rows} == ours
        seen += len(ours)
    assert seen


def test_12_facts_and_orphans(tangled: Explored) -> None:
    rows = tangled.rows(12)
    failing = {memory.id: memory for memory in tangled.failures}
    blamed = defaultdict(list)
    for edge in tangled.active:
        if edge.effect_id in failing and isinstance(tangled.stored[edge.cause_id], Fact):
            blamed[edge.cause_id].append(failing[edge.effect_id].occurred_at)
    facts = {row["ref"]: (row["failures"], row["stale"]) for row in rows if row["what"].startswith("fact")}
    ours = {}
    for name, times in blamed.items():
        fact = tangled.stored[name]
        assert isinstance(fact, Fact)
        ours[fact.ref] = (len(times), fact.valid_to is not None and fact.valid_to < max(times))
    assert facts
    assert facts == ours
    alone = [row["ref"] for row in rows if row["what"] == "failure without a cause"]
    assert alone == [tangled.ref(name) for name in orphans(failing, tangled.edges)]
