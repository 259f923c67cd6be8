"""Where a question about causes reads the graph: in the mirror, where it is loaded, else in the store, hop by hop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from heapq import nlargest
from itertools import chain, islice
from typing import Protocol

from graphmem.domain.causation import CauseEdge, EdgeKind, GeneralizesEdge
from graphmem.domain.memories import Memory, MemoryKind, State
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror, Header, header_of
from graphmem.ports.queries import Direction, EdgeSelection, PageRequest, Selection, pages
from graphmem.ports.store import MemoryStore

PAGE = 1_000
MOST_EPISODES = 50
"""Episodes that are read in a store for one question; each costs a round trip or two."""


class Source(Protocol):
    """The graph of one namespace. What two sources of the same revision answer is the same, but for its order."""

    revision: int

    @property
    def read(self) -> Mapping[str, Memory]:
        """Whole memories that were read to answer, by id, so that nobody has to read them again."""
        ...

    def expand(self, ids: Sequence[str], direction: Direction) -> Sequence[CauseEdge]:
        """Cause edges one hop away, refuted ones included."""
        ...

    def generals(self, ids: Sequence[str]) -> Sequence[GeneralizesEdge]:
        """Edges of the patterns over experiences, and of the strategies over patterns."""
        ...

    def episodes(self, ids: Iterable[str]) -> frozenset[str]:
        """The episodes of these memories."""
        ...

    def members(self, episodes: Iterable[str]) -> Sequence[Header] | None:
        """The active experiences of these episodes; None where they are too many to be read."""
        ...

    def latest(self, count: int) -> Sequence[Header]:
        """The latest active experiences, by (occurred_at, id), the newest first."""
        ...


class Sources:
    """Chooses the source of each question."""

    def __init__(self, store: MemoryStore, indexes: IndexSet) -> None:
        self._store = store
        self._indexes = indexes

    @contextmanager
    def of(self, namespace: str) -> Iterator[Source]:
        """The mirror, locked while it is in use, if something has loaded it; else the store, which loads nothing.

        To read a namespace of 100,000 memories into a mirror takes longer than many questions to the store.
        """
        if self._indexes.holds(namespace):
            with self._indexes.current(namespace) as index:
                yield MirrorSource(index.mirror, index.cursor.revision)
        else:
            yield StoreSource(self._store, namespace)


class MirrorSource:
    """What the index holds."""

    def __init__(self, mirror: GraphMirror, revision: int) -> None:
        self._mirror = mirror
        self.revision = revision
        self.read: Mapping[str, Memory] = {}

    def expand(self, ids: Sequence[str], direction: Direction) -> Sequence[CauseEdge]:
        """See Source."""
        return self._mirror.expand(ids, direction)

    def generals(self, ids: Sequence[str]) -> Sequence[GeneralizesEdge]:
        """See Source."""
        owned = chain.from_iterable(self._mirror.owned(name) for name in ids)
        return [edge for edge in owned if isinstance(edge, GeneralizesEdge)]

    def episodes(self, ids: Iterable[str]) -> frozenset[str]:
        """See Source."""
        headers = self._mirror.headers
        return frozenset(headers[name].episode for name in ids if name in headers)

    def members(self, episodes: Iterable[str]) -> Sequence[Header]:
        """See Source."""
        return [member for episode in episodes for member in self._mirror.of_episode(episode)]

    def latest(self, count: int) -> Sequence[Header]:
        """See Source."""
        return nlargest(count, self._mirror.experiences(), key=lambda item: (item.occurred_at, item.id))


class StoreSource:
    """What the store holds; each memory, and the edges at it, are read once for one question."""

    def __init__(self, store: MemoryStore, namespace: str) -> None:
        self._store = store
        self._namespace = namespace
        self.read: dict[str, Memory] = {}
        self._edges: dict[Direction, dict[str, list[CauseEdge]]] = {direction: {} for direction in Direction}
        self._members: dict[str, Sequence[Header]] = {}
        self.revision = store.state(namespace).revision

    def expand(self, ids: Sequence[str], direction: Direction) -> Sequence[CauseEdge]:
        """See Source."""
        known = self._edges[direction]
        if unread := [name for name in dict.fromkeys(ids) if name not in known]:
            known |= {name: [] for name in unread}
            for edge in self._store.expand(self._namespace, unread, direction):
                known[edge.effect_id if direction is Direction.CAUSES else edge.cause_id].append(edge)
        return [edge for name in ids for edge in known[name]]

    def generals(self, ids: Sequence[str]) -> Sequence[GeneralizesEdge]:
        """See Source."""
        if not ids:
            return []
        selection = EdgeSelection(kinds=(EdgeKind.GENERALIZES,), to_ids=tuple(ids))
        read = partial(self._store.edges, self._namespace, selection)
        found = chain.from_iterable(page.items for page in pages(read, PageRequest(first=PAGE)))
        return [edge for edge in found if isinstance(edge, GeneralizesEdge)]

    def episodes(self, ids: Iterable[str]) -> frozenset[str]:
        """See Source."""
        wanted = list(ids)
        unread = [name for name in wanted if name not in self.read]
        self.read |= self._store.get(self._namespace, unread, vectors=False)
        return frozenset(self.read[name].episode for name in wanted if name in self.read)

    def members(self, episodes: Iterable[str]) -> Sequence[Header] | None:
        """See Source."""
        wanted = list(episodes)
        if len(wanted) > MOST_EPISODES:
            return None
        unread = [episode for episode in wanted if episode not in self._members]
        alone = self._store.get(self._namespace, unread, vectors=False)
        for episode in unread:
            by_task, by_session = (
                self._experiences(named)
                for named in (Selection(task_id=episode), Selection(session_id=episode))
            )
            own = {memory.id: memory for memory in (*by_task, *by_session, *filter(_counts, alone.values()))}
            self.read |= own
            self._members[episode] = [
                header_of(own[name]) for name in sorted(own) if own[name].episode == episode
            ]
        return [member for episode in wanted for member in self._members[episode]]

    def latest(self, count: int) -> Sequence[Header]:
        """See Source."""
        return [header_of(memory) for memory in islice(self._experiences(Selection()), count)]

    def _experiences(self, named: Selection) -> Iterator[Memory]:
        selection = replace(named, kinds=(MemoryKind.EXPERIENCE,), states=(State.ACTIVE,))
        read = partial(self._store.find, self._namespace, selection, vectors=False)
        return chain.from_iterable(page.items for page in pages(read, PageRequest(first=PAGE)))


def _counts(memory: Memory) -> bool:
    return memory.kind is MemoryKind.EXPERIENCE and memory.state is State.ACTIVE
