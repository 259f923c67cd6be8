"""A planted memory on a real server, asked by the saved queries and by our own analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from neo4j import Driver

from graphmem.analysis.walks import Walk, walk
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.memories import Memory, is_failure
from graphmem.tooling.chain_network import Network

FOLDER = Path(__file__).parents[2] / "queries" / "explore"
HOPS = 6
"""How far most of the queries walk."""


@dataclass(frozen=True)
class Explored:
    """A network in a namespace of the server. stored: its memories with the references that the store gave."""

    driver: Driver
    namespace: str
    network: Network
    stored: dict[str, Memory]

    def rows(self, number: int, **values: Any) -> list[dict[str, Any]]:
        """What a saved query answers, as Neo4j Browser would ask it."""
        (file,) = FOLDER.glob(f"{number:02}-*.cypher")
        given = {"namespace": self.namespace, "since": self.begins, "limit": 10_000} | values
        return [
            {key: row[key] for key in row.keys()}  # noqa: SIM118 a Record iterates over values
            for row in self.driver.execute_query(file.read_text(encoding="utf-8"), given).records
        ]

    @cached_property
    def edges(self) -> list[CauseEdge]:
        """All cause edges, refuted ones too."""
        return [edge for edge in self.network.edges if isinstance(edge, CauseEdge)]

    @cached_property
    def active(self) -> list[CauseEdge]:
        """Cause edges that nobody refuted."""
        return [edge for edge in self.edges if edge.active]

    @cached_property
    def failures(self) -> list[Memory]:
        """All failures, latest first, as the queries order them."""
        found = [memory for memory in self.stored.values() if is_failure(memory)]
        return sorted(found, key=lambda memory: (memory.occurred_at, memory.id), reverse=True)

    @cached_property
    def begins(self) -> datetime:
        """Before everything."""
        return min(memory.occurred_at for memory in self.stored.values())

    @cached_property
    def with_causes(self) -> set[str]:
        """Ids of what something caused."""
        return {edge.effect_id for edge in self.active}

    def ref(self, memory_id: str) -> str:
        """The reference of a memory."""
        return self.stored[memory_id].ref

    def refs(self, ids: Any) -> set[str]:
        """The references of memories."""
        return {self.ref(memory_id) for memory_id in ids}

    def walk(self, start: str, hops: int = HOPS, towards_causes: bool = True) -> Walk:
        """Our own bounded walk, over the edges as they were made."""
        side: dict[str, list[CauseEdge]] = {}
        for edge in self.edges:
            side.setdefault(edge.effect_id if towards_causes else edge.cause_id, []).append(edge)

        def expand(frontier: Sequence[str]) -> list[CauseEdge]:
            return [edge for name in frontier for edge in side.get(name, ())]

        return walk(start, expand, hops, Grade.INFERRED, towards_causes)

    def roots(self, start: str) -> dict[str, int]:
        """What lies behind a memory within HOPS and was caused by nothing: distance by id."""
        found = self.walk(start).hops
        return {name: hops for name, hops in found.items() if hops and name not in self.with_causes}

    def deepest(self, count: int) -> list[Memory]:
        """The failures with most causes behind them."""
        ordered = sorted(self.failures, key=lambda memory: -len(self.walk(memory.id).hops))
        return ordered[:count]
