"""The graph in memory: a header per memory and its edges in both directions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.causation import CauseEdge, Edge, GeneralizesEdge
from graphmem.domain.memories import Experience, Memory, MemoryKind, Pattern, Result, State, Tier
from graphmem.domain.rules import error_class
from graphmem.ports.queries import ChangeFeed, Cursor, Direction


@dataclass(frozen=True, slots=True)
class Header:
    """What ranking and walking need of a memory, without its texts. error_class is normalised."""

    id: str
    kind: MemoryKind
    state: State
    result: Result | None
    error_class: str
    tool: str
    agent: str
    task_type: str
    task_id: str
    session_id: str
    occurred_at: datetime
    recorded_at: datetime
    cluster_id: str
    tier: Tier

    @property
    def is_failure(self) -> bool:
        """True for an experience that failed."""
        return self.result is Result.FAILURE

    @property
    def episode(self) -> str:
        """What counts as one occurrence, as Memory.episode."""
        return self.task_id or self.session_id or self.id


def header_of(memory: Memory) -> Header:
    """The header of a memory."""
    own = memory if isinstance(memory, Experience) else None
    return Header(
        id=memory.id,
        kind=memory.kind,
        state=memory.state,
        result=own.result if own else None,
        error_class=error_class(own.error_type) if own else "",
        tool=own.tool if own else "",
        agent=own.agent if own else "",
        task_type=memory.task_type,
        task_id=memory.task_id,
        session_id=memory.session_id,
        occurred_at=memory.occurred_at,
        recorded_at=memory.recorded_at,
        cluster_id=own.cluster_id if own else "",
        tier=own.tier if own else Tier.HOT,
    )


class GraphMirror:
    """Headers and edges of one namespace. Edges are held once, by their owner, and found from both ends."""

    def __init__(self) -> None:
        self.headers: dict[str, Header] = {}
        self.patterns: dict[str, Pattern] = {}
        self._episodes: dict[str, set[str]] = defaultdict(set)
        self._owned: dict[str, tuple[Edge, ...]] = {}
        self._causes: dict[str, dict[str, CauseEdge]] = {}
        self._effects: dict[str, dict[str, CauseEdge]] = {}
        self._generals: dict[str, set[str]] = defaultdict(set)
        self._specifics: dict[str, set[str]] = defaultdict(set)

    def put(self, memory: Memory, owned: tuple[Edge, ...]) -> None:
        """Take a memory and all edges it owns, in place of what was there."""
        self._drop_owned(memory.id)
        self._leave_episode(memory.id)
        self.headers[memory.id] = header_of(memory)
        if isinstance(memory, Pattern):
            self.patterns[memory.id] = memory
        self._episodes[memory.episode].add(memory.id)
        self._owned[memory.id] = owned
        for edge in owned:
            if isinstance(edge, CauseEdge):
                self._causes.setdefault(edge.effect_id, {})[edge.cause_id] = edge
                self._effects.setdefault(edge.cause_id, {})[edge.effect_id] = edge
            elif isinstance(edge, GeneralizesEdge):
                self._generals[edge.to_id].add(edge.from_id)
                self._specifics[edge.from_id].add(edge.to_id)

    def remove(self, memory_id: str) -> None:
        """Take a memory out with every edge that touches it."""
        self._leave_episode(memory_id)
        self.headers.pop(memory_id, None)
        self.patterns.pop(memory_id, None)
        self._drop_owned(memory_id)
        for specific_id in self._specifics.pop(memory_id, set()):
            self._generals[specific_id].discard(memory_id)
        for effect_id in self._effects.pop(memory_id, {}):
            self._causes.get(effect_id, {}).pop(memory_id, None)

    def expand(self, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        """Cause edges one hop away, refuted ones included; the same contract as the store's expand."""
        side = self._causes if direction is Direction.CAUSES else self._effects
        return [edge for memory_id in frontier for edge in side.get(memory_id, {}).values()]

    def failures_caused_by(self, memory_id: str) -> list[str]:
        """Failures with an active edge to this memory."""
        return [
            edge.effect_id
            for edge in self._effects.get(memory_id, {}).values()
            if edge.active and self.headers[edge.effect_id].is_failure
        ]

    def generals(self, memory_id: str) -> list[str]:
        """Patterns over an experience, or strategies over a pattern, by id."""
        return sorted(self._generals.get(memory_id, ()))

    def specifics(self, memory_id: str) -> list[Header]:
        """What a pattern was learnt from, or the patterns under a strategy."""
        return [self.headers[name] for name in self._specifics.get(memory_id, ()) if name in self.headers]

    def owned(self, memory_id: str) -> tuple[Edge, ...]:
        """Every edge that a memory owns, of every kind, refuted ones included."""
        return self._owned.get(memory_id, ())

    def edges(self) -> Iterable[Edge]:
        """Every edge of every kind, refuted ones included."""
        return (edge for owned in self._owned.values() for edge in owned)

    def experiences(self) -> Iterable[Header]:
        """Headers of all active experiences."""
        return (
            header
            for header in self.headers.values()
            if header.kind is MemoryKind.EXPERIENCE and header.state is State.ACTIVE
        )

    def of_episode(self, episode: str) -> list[Header]:
        """Headers of the active experiences of an episode, by id."""
        own = [self.headers[name] for name in sorted(self._episodes.get(episode, ()))]
        return [item for item in own if item.kind is MemoryKind.EXPERIENCE and item.state is State.ACTIVE]

    def lineages(self, memory_id: str) -> tuple[str, ...]:
        """The lineages that a memory belongs to: its cluster, its own id while no cluster holds it; none for what is
        neither a failure nor learnt from failures. A pattern has the cluster of most of its members, a strategy those
        of its patterns.
        """
        header = self.headers.get(memory_id)
        if header is None or header.kind is MemoryKind.FACT:
            return ()
        if header.kind is MemoryKind.EXPERIENCE:
            return (header.cluster_id or header.id,) if header.is_failure else ()
        below = self.specifics(memory_id)
        if header.kind is MemoryKind.STRATEGY:
            found = {
                name for one in below for name in self.lineages(one.id) if one.kind is MemoryKind.PATTERN
            }
            return tuple(sorted(found)) or (memory_id,)
        clusters = Counter(one.cluster_id for one in below if one.cluster_id)
        return (min(clusters, key=lambda name: (-clusters[name], name)),) if clusters else (memory_id,)

    def _leave_episode(self, memory_id: str) -> None:
        if header := self.headers.get(memory_id):
            members = self._episodes[header.episode]
            members.discard(memory_id)
            if not members:
                del self._episodes[header.episode]

    def _drop_owned(self, memory_id: str) -> None:
        for edge in self._owned.pop(memory_id, ()):
            if isinstance(edge, CauseEdge):
                self._causes.get(edge.effect_id, {}).pop(edge.cause_id, None)
                self._effects.get(edge.cause_id, {}).pop(edge.effect_id, None)
            elif isinstance(edge, GeneralizesEdge):
                self._generals[edge.to_id].discard(edge.from_id)
                self._specifics[edge.from_id].discard(edge.to_id)


class GraphAlone:
    """The mirror and its place in the feed: what is left of an index without all that is searched."""

    def __init__(self, parameters_version: int = 0) -> None:
        self.mirror = GraphMirror()
        self.cursor = Cursor()
        self.parameters_version = parameters_version

    def take(self, feed: ChangeFeed) -> None:
        """Apply one page of the feed; applying a page twice changes nothing."""
        for memory_id in feed.tombstones:
            self.mirror.remove(memory_id)
        for row in feed.rows:
            self.mirror.put(row.memory, row.edges)
        self.cursor = feed.next
