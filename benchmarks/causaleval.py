"""Do our operations give the evidence that CausalEval's questions ask for? 20 graphs, 140 questions.

python -m benchmarks.causaleval --data DIR

The map from a question's capability to an operation (OPERATIONS) was committed before anything was scored, by one who
had read the questions and their gold evidence. Our edges hold
what caused or enabled what; prevention, choice between options, likeness and change of mind are not in them: for
these capabilities no operation is given and the answer is empty. The node a question names is found by its quoted
text, the one given in the data ("node given"), or by the words of the question ("text to node").
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx

from benchmarks.reporting import Figure, arguments, emit, mean_figure, require_data
from graphmem.analysis.blast_radius import blast_radii
from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.cause_order import CauseOrder
from graphmem.analysis.paths import paths
from graphmem.analysis.tokens import tokenize
from graphmem.analysis.walks import MAX_HOPS, walk
from graphmem.domain.causation import CauseEdge, Evidence, Grade
from graphmem.tooling.chain_story import STARTS

GRAPHS = 20
FILES = tuple(f"causaleval/graph_{number}.json" for number in range(GRAPHS))
HELD = ("caused", "enabled")
"""Relations that become CAUSED_BY edges."""


@dataclass(frozen=True)
class Graph:
    """Actions by node, in the order in which they happened, and the edges we can hold."""

    actions: Mapping[int, str]
    edges: tuple[CauseEdge, ...]
    questions: tuple[Mapping[str, Any], ...]


Operation = Callable[[Graph, Sequence[int]], set[int]]
"""Evidence nodes for the nodes that a question names."""


def causal_chain(graph: Graph, named: Sequence[int]) -> set[int]:
    """The most probable path from the outcome to its root."""
    found = walk(
        str(named[0]),
        lambda ids: [edge for edge in graph.edges if edge.effect_id in ids],
        MAX_HOPS,
        Grade.INFERRED,
    )
    best = paths(found, cause_graph(found), limit=1)
    return {int(node) for ids, _ in best for node in ids} or set(named[:1])


def forward_effect(graph: Graph, named: Sequence[int]) -> set[int]:
    """The action, and the last effects that follow from it."""
    order = CauseOrder([str(named[0])], ((edge.effect_id, edge.cause_id) for edge in graph.edges))
    start = order.group_of[str(named[0])]
    reached, waiting = {start}, [start]
    while waiting:
        for effect in order.effects[waiting.pop()]:
            if effect not in reached:
                reached.add(effect)
                waiting.append(effect)
    ends = {group for group in reached if not order.effects[group]}
    return {int(node) for group in ends | {start} for node in order.members[group]}


def both_named(_graph: Graph, named: Sequence[int]) -> set[int]:
    """The two events whose order is asked for: the earlier one is told by their times."""
    return set(named[:2])


OPERATIONS: Mapping[int, tuple[str, Operation | None]] = {
    11: ("causal chain and root", causal_chain),
    12: ("forward effect", forward_effect),
    13: ("choice between options", None),
    14: ("prevention", None),
    15: ("order in time", both_named),
    16: ("transfer of a lesson", None),
    17: ("change of mind", None),
}


def read_graph(file: Path) -> Graph:
    """One graph with its questions."""
    content = json.loads(file.read_text(encoding="utf8"))
    evidence = (Evidence(Grade.ASSERTED, 0.8, "given", "causaleval", STARTS),)
    edges = tuple(
        CauseEdge(from_id=str(edge["to"]), to_id=str(edge["from"]), recorded_at=STARTS, evidence=evidence)
        for edge in content["graph"]["edges"]
        if edge["relation"] in HELD
    )
    actions = {int(node["id"]): str(node["action"]) for node in content["graph"]["nodes"]}
    return Graph(actions, edges, tuple(content["qa"]))


def given_nodes(graph: Graph, question: str) -> list[int]:
    """Nodes whose whole text stands in the question, in order of their place there."""
    places = {node: question.find(action) for node, action in graph.actions.items()}
    return sorted(
        (node for node, place in places.items() if place >= 0), key=lambda node: (places[node], node)
    )


def found_nodes(graph: Graph, question: str) -> list[int]:
    """Nodes that share most words with each quoted or compared part of the question (Jaccard overlap)."""
    parts = re.findall(r'"([^"]+)"', question) or re.split(r": | or ", question.rstrip("?"))[1:]
    return [_nearest(graph, part) for part in parts or [question]]


def _nearest(graph: Graph, part: str) -> int:
    asked = set(tokenize(part))
    words = {node: set(tokenize(action)) for node, action in graph.actions.items()}
    return max(words, key=lambda node: (len(asked & words[node]) / max(1, len(asked | words[node])), -node))


def answered(graph: Graph, question: Mapping[str, Any], nodes: Callable[[Graph, str], list[int]]) -> set[int]:
    """Evidence nodes by our operation; empty where there is none."""
    operation = OPERATIONS[int(question["category"])][1]
    named = nodes(graph, str(question["question"]))
    return operation(graph, named) if operation and named else set()


def blast_radius(graph: Graph, _named: Sequence[int]) -> dict[int, float]:
    """Per action, how many others it led to."""
    order = CauseOrder(map(str, graph.actions), ((edge.effect_id, edge.cause_id) for edge in graph.edges))
    return {
        int(node): float(count) for node, count in blast_radii(order, set(map(str, graph.actions))).items()
    }


def personalised_pagerank(graph: Graph, named: Sequence[int]) -> dict[int, float]:
    """Restart at what the question names, along the edges; tolerance 1e-10 / N (networkx stops at N times it)."""
    walked: nx.DiGraph[int] = nx.DiGraph()
    walked.add_nodes_from(graph.actions)
    walked.add_edges_from((int(edge.effect_id), int(edge.cause_id)) for edge in graph.edges)
    start = dict.fromkeys(named, 1.0) or None
    return dict(nx.pagerank(walked, personalization=start, tol=1e-10 / len(walked), max_iter=1_000))


def _best(scores: Mapping[int, float], count: int) -> set[int]:
    """The nodes of most score, of equals the earlier."""
    return set(sorted(scores, key=lambda node: (-scores[node], node))[:count])


def figures(graphs: Sequence[Graph], category: int) -> dict[str, Figure]:
    """Exact evidence of one capability, beside trivial answers."""
    asked = [
        (graph, item) for graph in graphs for item in graph.questions if int(item["category"]) == category
    ]
    gold = [set(item["evidence_nodes"]) for _, item in asked]
    chance = random.Random(1)
    scored = {
        name: [score(graph, given_nodes(graph, str(item["question"]))) for graph, item in asked]
        for name, score in (("blast radius", blast_radius), ("PPR", personalised_pagerank))
    }
    beside = {
        **{
            name: [_best(scores, len(want)) for scores, want in zip(each, gold, strict=True)]
            for name, each in scored.items()
        },
        "only what is named": [set(given_nodes(graph, str(item["question"]))) for graph, item in asked],
        "earliest": [
            set(sorted(graph.actions)[: len(want)]) for (graph, _), want in zip(asked, gold, strict=True)
        ],
        "latest": [
            set(sorted(graph.actions)[-len(want) :]) for (graph, _), want in zip(asked, gold, strict=True)
        ],
        "random": [
            set(chance.sample(sorted(graph.actions), len(want)))
            for (graph, _), want in zip(asked, gold, strict=True)
        ],
    }
    means = {name: sum(map(set.__eq__, guess, gold)) / len(gold) for name, guess in beside.items()}
    return {
        f"exact evidence, {label}": mean_figure(
            [
                float(answered(graph, item, nodes) == want)
                for (graph, item), want in zip(asked, gold, strict=True)
            ],
            means,
        )
        for label, nodes in (("node given", given_nodes), ("text to node", found_nodes))
    }


def main() -> None:
    """Read, ask, score, print."""
    options = arguments(__doc__ or "").parse_args()
    data = require_data(options.data, *FILES)
    graphs = [read_graph(data / name) for name in FILES]
    tables = {
        f"{name}{'' if operation else ' (no operation: our edges do not hold it)'}": figures(graphs, category)
        for category, (name, operation) in OPERATIONS.items()
    }
    emit(
        tables,
        options.json,
        ["blast radius, PPR, earliest, latest, random are told how many nodes the gold evidence has"],
    )


if __name__ == "__main__":
    main()
