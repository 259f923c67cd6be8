"""How long the twelve questions of queries/explore take in Neo4j, on a planted memory of 100,000 nodes.

python -m benchmarks.explore --store bolt://127.0.0.1:PORT [--days 30] [--quick] [--json]

The memory (graphmem.tooling.chain_network, without vectors) is loaded once into a namespace of its own, and stays there
for the next run. Each question is asked ROUNDS times after WARM unmeasured times, those about a failure each time
about another one: those with most causes behind them; `since` lies so many days before the latest failure. Times are
of the client, rows included; beside them the time of RETURN 1 in the same run, and what the database read (PROFILE).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from neo4j import Driver, GraphDatabase

from benchmarks.patience import patient_target
from benchmarks.reporting import Figure, arguments, emit, mean_figure
from graphmem.config import Settings, from_environment
from graphmem.queries import path
from graphmem.tooling.chain_network import load, network

EPISODES = 10_000
QUICK = 400
WARM = 3
ROUNDS = 20
SEED = 1
CANDIDATES = """
    MATCH (f:Failure {namespace: $namespace})
    WHERE NOT EXISTS { (f)<-[:CAUSED_BY]-() } AND EXISTS { (f)-[:CAUSED_BY]->()-[:CAUSED_BY]->() }
    WITH f ORDER BY f.occurred_at DESC LIMIT 2000
    CALL (f) { MATCH (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x) RETURN count(DISTINCT x) AS causes }
    RETURN f.ref AS ref ORDER BY causes DESC, ref LIMIT 40
"""
BLAMED = """
    MATCH (x:Memory {namespace: $namespace})<-[r:CAUSED_BY]-() WHERE r.namespace = $namespace
    RETURN x.ref AS ref, count(*) AS effects ORDER BY effects DESC, ref LIMIT 40
"""
SINCE = """
    MATCH (f:Failure {namespace: $namespace}) RETURN max(f.occurred_at) - duration({days: $days}) AS since
"""


@dataclass(frozen=True)
class Subjects:
    """What is asked about: failures with many causes, causes of many failures, and the latest days."""

    failures: Sequence[str]
    causes: Sequence[str]
    since: datetime

    def values(self, name: str, turn: int) -> dict[str, Any]:
        """The parameters of a question at its turn."""
        subjects = self.causes if name.startswith("03") else self.failures
        ref, other = (subjects[place % len(subjects)] for place in (turn, turn + 1))
        return {"ref": ref, "other": other, "since": self.since, "limit": 10}


def main() -> None:
    """Load what is not there, ask, print."""
    parser = arguments("How long the twelve questions take")
    parser.add_argument("--days", type=int, default=30, help="how far back the questions look")
    options = parser.parse_args()
    if not options.store:
        print("NOT RUN: it needs a Neo4j server; give --store (docs/neo4j.md)")
        return
    episodes = QUICK if options.quick else EPISODES
    namespace = f"explore-{episodes}-{SEED}"
    settings = from_environment(store=options.store)
    nodes = _loaded(settings, namespace, episodes)
    login = (settings.neo4j_user, settings.neo4j_password) if settings.neo4j_user else None
    with GraphDatabase.driver(options.store, auth=login) as driver:
        figures = _asked(driver, namespace, options.days)
    emit({f"Twelve questions, {nodes} memories, {options.days} days, ms": figures}, options.json)


def _loaded(settings: Settings, namespace: str, episodes: int) -> int:
    """Have the memory on the server; how many nodes it has. Raises ValueError where a load was broken off."""
    given = network(episodes, SEED)
    with closing(patient_target(settings)) as target:
        if namespace not in target.namespaces():
            load(target, given, namespace)
        counts = target.state(namespace).counts
    there = sum(counts[kind] for kind in ("FACT", "EXPERIENCE", "PATTERN", "STRATEGY"))
    joined = sum(counts[kind] for kind in ("CAUSED_BY", "GENERALIZES"))
    if (there, joined) != (len(given.memories), len(given.edges)):
        raise ValueError(
            f"{namespace} holds {there} memories and {joined} edges: load it into an empty server"
        )
    return there


def _asked(driver: Driver, namespace: str, days: int) -> Mapping[str, Figure]:
    failures, causes = (
        [row["ref"] for row in _rows(driver, text, namespace)] for text in (CANDIDATES, BLAMED)
    )
    subjects = Subjects(failures, causes, _rows(driver, SINCE, namespace, days=days)[0]["since"])
    return {file.stem: _timed(driver, file, namespace, subjects) for file in _files()}


def _files() -> Iterator[Path]:
    yield from sorted(path("explore/01-why-did-this-fail.cypher").parent.iterdir())


def _rows(driver: Driver, text: str, namespace: str, **values: Any) -> Sequence[Any]:
    return driver.execute_query(text, {"namespace": namespace, **values}).records


def _timed(driver: Driver, file: Path, namespace: str, subjects: Subjects) -> Figure:
    """Mean milliseconds of a question, with interval; RETURN 1, the median, the longest and db hits beside."""
    text = file.read_text(encoding="utf-8")
    took, empty = [], []
    for turn in range(WARM + ROUNDS):
        values = subjects.values(file.name, turn)
        took.append(_milliseconds(driver, text, namespace, values))
        empty.append(_milliseconds(driver, "RETURN 1", namespace, {}))
    profile = driver.execute_query(
        "PROFILE " + text, {"namespace": namespace, **subjects.values(file.name, 0)}
    )
    beside = {
        "RETURN 1": statistics.mean(empty[WARM:]),
        "median": statistics.median(took[WARM:]),
        "longest": max(took[WARM:]),
        "db hits": _hits(profile.summary.profile or {}),
    }
    return mean_figure(took[WARM:], beside)


def _milliseconds(driver: Driver, text: str, namespace: str, values: Mapping[str, Any]) -> float:
    began = time.perf_counter()
    _rows(driver, text, namespace, **values)
    return (time.perf_counter() - began) * 1_000


def _hits(plan: Mapping[str, Any]) -> float:
    return float(plan.get("dbHits", 0)) + sum(_hits(child) for child in plan.get("children", []))


if __name__ == "__main__":
    main()
