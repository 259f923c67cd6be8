"""One look at the whole cause graph of a namespace: copied out of the mirror, counted on without holding it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.causation import CauseEdge
from graphmem.domain.memories import MemoryKind, State
from graphmem.domain.overview import Reading, Tell
from graphmem.domain.rules import check_namespace, check_time
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import Header
from graphmem.ports.store import MemoryStore

COUNTED = (State.ACTIVE, State.SUPERSEDED)
"""States of memories that are looked at: what was retracted or quarantined caused nothing."""


@dataclass(frozen=True, slots=True)
class Survey:
    """headers: of every memory that counts. edges: the cause edges between them, refuted ones too.

    failing: ids of the failures that are asked about.
    """

    headers: Mapping[str, Header]
    edges: tuple[CauseEdge, ...]
    failing: frozenset[str]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(effect, cause) of every edge that is not refuted."""
        return [(edge.from_id, edge.to_id) for edge in self.edges if edge.active]


def survey(
    store: MemoryStore, indexes: IndexSet, namespace: str, since: datetime | None, tell: Tell
) -> Survey:
    """Everything that counts, and the failures since a time (all, if None). Causes may be older.

    Raises BadInputError for a time without a zone, UnavailableError.
    """
    check_namespace(namespace)
    start = None if since is None else check_time("since", since)
    total = store.state(namespace).total(MemoryKind)
    tell(Reading(total))
    with indexes.current(namespace) as index:
        headers = {name: item for name, item in index.mirror.headers.items() if item.state in COUNTED}
        edges = [edge for edge in index.mirror.edges() if isinstance(edge, CauseEdge)]
    tell(Reading(total, counting=True))
    return Survey(
        headers=headers,
        edges=tuple(edge for edge in edges if edge.from_id in headers and edge.to_id in headers),
        failing=frozenset(
            name
            for name, item in headers.items()
            if item.is_failure and (start is None or item.occurred_at >= start)
        ),
    )
