"""A network is a valid memory that holds everything that its queries ask for."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import networkx as nx

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.causation import CauseEdge, Grade, check_ends
from graphmem.domain.memories import Fact, MemoryKind, is_failure
from graphmem.tooling.chain_network import Network, load, network


def causes(given: Network) -> list[CauseEdge]:
    """Its cause edges."""
    return [edge for edge in given.edges if isinstance(edge, CauseEdge)]


def test_equal_seeds_make_equal_networks() -> None:
    assert network(20, 3) == network(20, 3)
    assert network(20, 3).memories != network(20, 4).memories


def test_every_edge_joins_memories_that_it_may_join() -> None:
    given = network(60, 1, late=0.5)
    by_id = {memory.id: memory for memory in given.memories}
    assert len(by_id) == len(given.memories)
    for edge in given.edges:
        check_ends(edge.kind, by_id[edge.from_id], by_id[edge.to_id])
    pairs = [(edge.kind, edge.from_id, edge.to_id) for edge in given.edges]
    assert len(set(pairs)) == len(pairs)


def test_it_holds_every_kind_and_every_doubt() -> None:
    given = network(200, 1)
    kinds = Counter(memory.kind for memory in given.memories)
    assert kinds.keys() == set(MemoryKind)
    assert set(Grade) - {Grade.CONFIRMED} <= {edge.grade for edge in causes(given)}
    assert any(not edge.active for edge in causes(given))
    assert any(edge.lag_ms < 0 for edge in causes(given))
    by_id = {memory.id: memory for memory in given.memories}
    assert any(isinstance(by_id[edge.cause_id], Fact) for edge in causes(given))
    tasks = [(by_id[edge.effect_id].task_id, by_id[edge.cause_id].task_id) for edge in causes(given)]
    assert any(cause and cause != effect for effect, cause in tasks)


def test_without_late_edges_it_has_no_cycle() -> None:
    graph = nx.DiGraph((edge.effect_id, edge.cause_id) for edge in causes(network(200, 1, late=0)))
    assert nx.is_directed_acyclic_graph(graph)
    tangled = nx.DiGraph((edge.effect_id, edge.cause_id) for edge in causes(network(200, 1, late=0.1)))
    assert not nx.is_directed_acyclic_graph(tangled)


def test_tasks_can_stay_apart() -> None:
    given = network(60, 1, carried=0, guessed=0)
    tasks = {memory.id: memory.task_id for memory in given.memories}
    assert {
        (tasks[edge.effect_id], tasks[edge.cause_id]) for edge in causes(given) if tasks[edge.cause_id]
    } == {(task, task) for edge in causes(given) if (task := tasks[edge.cause_id])}


def test_a_store_takes_all_of_it(tmp_path: Path) -> None:
    given = network(70, 1)
    with closing(SqliteStore(tmp_path / "memory.db")) as store:
        store.migrate()
        load(store, given, "planted")
        counts = store.state("planted").counts
    assert counts["FAILURE"] == sum(map(is_failure, given.memories))
    assert counts["CAUSED_BY"] == len(causes(given))
    assert counts["GENERALIZES"] == len(given.edges) - len(causes(given))
