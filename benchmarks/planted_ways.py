"""Ways to name the root of a planted task: ours, its parts, and rules that cost nothing."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from graphmem.analysis.cause_graph import cause_graph
from graphmem.analysis.edge_repair import Habits, inferred, learn, missing_edges, origins, parents
from graphmem.analysis.history import Occurrence, by_episode
from graphmem.analysis.roots import rank
from graphmem.analysis.walks import MAX_HOPS, Walk, walk
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.memories import Experience, Result
from graphmem.domain.rules import error_class
from graphmem.tooling.chain_story import STARTS
from graphmem.tooling.chains import Planted, PlantedEpisode


@dataclass(frozen=True)
class Case:
    """One task to be explained: its events in order of time, its stated edges, and the habits learned before."""

    episode: PlantedEpisode
    members: Sequence[Occurrence]
    edges: Sequence[CauseEdge]
    habits: Habits

    @property
    def failures(self) -> list[str]:
        """Failures before the asked one, in order of time; the asked one itself where there is none."""
        asked = self.episode.asked
        return [event.id for event in self.members if event.failed and event.id != asked] or [asked]


def seen(memories: Sequence[Experience]) -> list[Occurrence]:
    """Memories as statistics look at them."""
    return [
        Occurrence(
            item.id,
            item.episode,
            item.occurred_at,
            error_class(item.error_type),
            item.result is Result.FAILURE,
        )
        for item in memories
    ]


def cases(history: Planted, count: int) -> list[Case]:
    """The second count tasks, with habits of the first count."""
    events = seen(history.memories)
    episode_of = {event.id: event.episode for event in events}
    past = {episode.task_id for episode in history.episodes[:count]}
    edges: dict[str, list[CauseEdge]] = defaultdict(list)
    for edge in history.edges:
        edges[episode_of[edge.effect_id]].append(edge)
    habits = learn(
        [event for event in events if event.episode in past], [edge for task in past for edge in edges[task]]
    )
    members = by_episode(events)
    return [
        Case(episode, members[episode.task_id], edges[episode.task_id], habits)
        for episode in history.episodes[count:]
    ]


def ours(case: Case) -> str:
    """The likeliest origin over all chains of stated and missing edges."""
    found = origins(case.episode.asked, parents(case.habits, case.members, case.edges))
    return max(sorted(found), key=lambda node: found[node])


def without_repair(case: Case) -> str:
    """What explain() ranks first on the stated edges alone."""
    return _ranked_first(case, case.edges)


def with_repair(case: Case) -> str:
    """The same ranking over stated and inferred edges, with the origins' probabilities."""
    possible = parents(case.habits, case.members, case.edges)
    edges = [*case.edges, *inferred(missing_edges(possible), STARTS)]
    return _ranked_first(case, edges, origins(case.episode.asked, possible))


def earliest_with_repair(case: Case) -> str:
    """The earliest failure among stated and inferred causes: what the walk alone is worth, without any ranking."""
    inferences = inferred(missing_edges(parents(case.habits, case.members, case.edges)), STARTS)
    reached = _walked(case, [*case.edges, *inferences]).hops
    return next((name for name in case.failures if name in reached), case.episode.asked)


def _walked(case: Case, edges: Sequence[CauseEdge]) -> Walk:
    return walk(
        case.episode.asked,
        lambda ids: [edge for edge in edges if edge.effect_id in ids],
        MAX_HOPS,
        Grade.INFERRED,
    )


def _ranked_first(case: Case, edges: Sequence[CauseEdge], began: Mapping[str, float] | None = None) -> str:
    found = _walked(case, edges)
    times = {event.id: event.at for event in case.members}
    failing = frozenset(event.id for event in case.members if event.failed)
    return rank(found, cause_graph(found), times, failing & found.hops.keys(), began)[0].id


def earliest(case: Case) -> str:
    """The earliest failure of the task."""
    return case.failures[0]


def latest(case: Case) -> str:
    """The latest failure before the asked one."""
    return case.failures[-1]


def drawn(case: Case) -> str:
    """A failure of the task by chance."""
    return random.Random(case.episode.asked).choice(case.failures)


def _stated(case: Case) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(event.id for event in case.members)
    graph.add_edges_from((edge.effect_id, edge.cause_id) for edge in case.edges)
    return graph


def _causes(case: Case, graph: nx.DiGraph) -> list[str]:
    """Stated causes of the asked failure in order of time; without one, all earlier failures."""
    found = nx.descendants(graph, case.episode.asked)
    return [event.id for event in case.members if event.id in found] or case.failures


def earliest_ancestor(case: Case) -> str:
    """The earliest stated cause of the asked failure, direct or not."""
    return _causes(case, _stated(case))[0]


def blast_radius(case: Case) -> str:
    """The stated cause that led to most failures; the earlier one of equals."""
    graph = _stated(case)
    failing = {event.id for event in case.members if event.failed}
    return max(_causes(case, graph), key=lambda node: len(nx.ancestors(graph, node) & failing))


def personalised_pagerank(case: Case) -> str:
    """Restart at the asked failure, along the stated edges; tolerance 1e-10 / N (networkx stops at N times it)."""
    graph, asked = _stated(case), case.episode.asked
    scores = nx.pagerank(graph, personalization={asked: 1.0}, tol=1e-10 / len(graph), max_iter=1_000)
    return max(_causes(case, graph), key=lambda node: scores[node])


BASELINES: Mapping[str, Callable[[Case], str]] = {
    "earliest": earliest,
    "latest": latest,
    "random": drawn,
    "blast radius": blast_radius,
    "PPR": personalised_pagerank,
    "earliest ancestor": earliest_ancestor,
}
"""What ours is compared with; the best of them counts."""
RANKINGS: Mapping[str, Callable[[Case], str]] = {
    "explain without repair": without_repair,
    "explain with repair": with_repair,
    "earliest with repair": earliest_with_repair,
}
"""Where our own operation stands when repair is left out, or is one step of a walk."""
