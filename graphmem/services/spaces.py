"""Which embedding space a namespace lives in, and whether ours is the same."""

from __future__ import annotations

from datetime import datetime

from graphmem.domain.encoding import decode, encode
from graphmem.domain.records import Record, RecordKind, SpaceParameters
from graphmem.index.partition import Space
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.ports.store import MemoryStore

RECORD_ID = "space"


class Spaces:
    """The stored space of each namespace beside the one that the running embedder makes.

    The numbers of a namespace are frozen with its first write, so that every process scores alike.
    """

    def __init__(self, store: MemoryStore, own: SpaceParameters | None) -> None:
        self._store = store
        self._own = own
        self._stored: dict[str, SpaceParameters] = {}

    def stored(self, namespace: str) -> SpaceParameters | None:
        """The parameters that the namespace was begun with; None before its first vector."""
        if namespace not in self._stored:
            page = self._store.records(namespace, RecordKind.SPACE, RecordSelection(), PageRequest(first=1))
            if page.items:
                self._stored[namespace] = decode(SpaceParameters, page.items[0].body)
        return self._stored.get(namespace)

    def fits(self, namespace: str) -> bool:
        """Whether vectors made now can be compared with those stored."""
        stored = self.stored(namespace)
        return self._own is not None and (stored is None or stored.space == self._own.space)

    def of(self, namespace: str) -> Space | None:
        """The space to search in; None when ours is another one, or there is none: then words only."""
        if self._own is None or not self.fits(namespace):
            return None
        return Space(self.stored(namespace) or self._own)

    def first_record(self, namespace: str, at: datetime) -> Record | None:
        """The record that fixes the space with the first write; None once there is one."""
        if self._own is None or self.stored(namespace) is not None:
            return None
        return Record(kind=RecordKind.SPACE, id=RECORD_ID, at=at, body=encode(self._own))
