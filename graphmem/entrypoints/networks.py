"""What a namespace holds as a networkx graph: for whoever wants to compute what no verb answers."""

from __future__ import annotations

from typing import Any

import networkx as nx

from graphmem.domain.causation import CauseEdge, Edge
from graphmem.domain.memories import Experience, Memory, is_failure
from graphmem.domain.rules import error_class
from graphmem.services.collect import Network


def network(found: Network) -> nx.MultiDiGraph[Any]:
    """Nodes are ids, edges lead as the relations do: effect -> cause, general -> specific, newer -> older.

    The key of an edge is its kind. Nodes have kind, ref, title, state, occurred_at, recorded_at, episode, task_type,
    failed; experiences also result, error_class, tool, agent, cluster_id. Edges have recorded_at; CAUSED_BY also grade
    (a name), confidence in (0, 1] and lag (seconds from cause to effect). Enumerations are their names, as texts.
    """
    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    graph.add_nodes_from((memory.id, _node(memory)) for memory in found.memories.values())
    graph.add_edges_from((edge.from_id, edge.to_id, edge.kind.value, _edge(edge)) for edge in found.edges)
    return graph


def _node(memory: Memory) -> dict[str, object]:
    every: dict[str, object] = {
        "kind": memory.kind.value,
        "ref": memory.ref,
        "title": memory.title,
        "state": memory.state.value,
        "occurred_at": memory.occurred_at,
        "recorded_at": memory.recorded_at,
        "episode": memory.episode,
        "task_type": memory.task_type,
        "failed": is_failure(memory),
    }
    if not isinstance(memory, Experience):
        return every
    return every | {
        "result": memory.result.value,
        "error_class": error_class(memory.error_type),
        "tool": memory.tool,
        "agent": memory.agent,
        "cluster_id": memory.cluster_id,
    }


def _edge(edge: Edge) -> dict[str, object]:
    if not isinstance(edge, CauseEdge) or edge.grade is None:
        return {"recorded_at": edge.recorded_at}
    return {
        "recorded_at": edge.recorded_at,
        "grade": edge.grade.name,
        "confidence": edge.confidence,
        "lag": edge.lag_ms / 1000,
    }
