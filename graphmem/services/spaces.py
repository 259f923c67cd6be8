"""Which embedding space a namespace lives in, and whether ours is the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.encoding import decode, encode
from graphmem.domain.records import Record, RecordKind, SpaceParameters
from graphmem.index.partition import Space
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.ports.store import MemoryStore

RECORD_ID = "space"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a namespace's vectors are, and what ours are to them.

    version: that of the parameters; who writes vectors says it, and is refused where it is another one by then.
    stored: what the namespace is in, None before its first vector. fits: our vectors may be written. compared: our
    queries may be compared with what is stored.
    """

    version: int
    stored: SpaceParameters | None
    fits: bool
    compared: bool


class Spaces:
    """The stored space of each namespace beside the one that the running embedder makes.

    The numbers of a namespace are frozen with its first write, so that every process scores alike; only
    `reembed` changes them. What is read here is kept while our vectors fit; a write that meets other parameters
    is refused by the store, and whoever gets that calls forget().
    """

    def __init__(self, store: MemoryStore, own: SpaceParameters | None) -> None:
        self._store = store
        self._own = own
        self._known: dict[str, Standing] = {}

    def standing(self, namespace: str) -> Standing:
        """How the namespace and our embedder stand to each other."""
        known = self._known.get(namespace)
        if known is not None:
            return known
        read = self._read(namespace)
        if read.stored is not None and read.compared:
            self._known[namespace] = read
        return read

    def forget(self, namespace: str) -> None:
        """Read it again when it is needed next."""
        self._known.pop(namespace, None)

    def of(self, namespace: str) -> Space | None:
        """The space to search in, read now; None when ours is another one, or there is none: then words only."""
        self.forget(namespace)
        standing = self.standing(namespace)
        parameters = standing.stored or self._own
        return Space(parameters) if standing.compared and parameters is not None else None

    def settled(self, namespace: str) -> SpaceParameters | None:
        """The parameters by which stored vectors can be compared with each other, read now; None where they cannot."""
        self.forget(namespace)
        stored = self.stored(namespace)
        return stored if stored is None or stored.complete else None

    def first_record(self, standing: Standing, at: datetime) -> Record | None:
        """The record that fixes the space with the first write; None once there is one."""
        if self._own is None or standing.stored is not None:
            return None
        return space_record(self._own, at)

    def _read(self, namespace: str) -> Standing:
        if self._own is None:
            return Standing(0, None, fits=False, compared=False)
        # The version first: with an older version than the record's, our vectors are refused; never taken wrongly.
        version = self._store.state(namespace).parameters_version
        stored = self.stored(namespace)
        fits = stored is None or stored.space == self._own.space
        return Standing(version, stored, fits, compared=fits and (stored is None or stored.complete))

    def stored(self, namespace: str) -> SpaceParameters | None:
        """The parameters of the namespace, read now; None before its first vector."""
        record = self.record(namespace)
        return None if record is None else decode(SpaceParameters, record.body)

    def record(self, namespace: str) -> Record | None:
        """The record that holds them, read now; its time is that since which the namespace is in the space."""
        page = self._store.records(namespace, RecordKind.SPACE, RecordSelection(), PageRequest(first=1))
        return page.items[0] if page.items else None


def space_record(parameters: SpaceParameters, at: datetime, *, complete: bool = True) -> Record:
    """The record that says in which space a namespace is."""
    body = encode(replace(parameters, complete=complete))
    return Record(kind=RecordKind.SPACE, id=RECORD_ID, at=at, body=body)
