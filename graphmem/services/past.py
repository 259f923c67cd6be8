"""What a namespace held at an earlier time: the values that updates kept, and edges by the times of what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from graphmem.domain.encoding import memory_from_data
from graphmem.domain.memories import Memory
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore

_PAGE = 500
_RESOLUTION = timedelta(microseconds=1)


def memories_as_of(
    store: MemoryStore, namespace: str, memories: Mapping[str, Memory], at: datetime
) -> dict[str, Memory]:
    """The memories as they were at a time, in their order; what was recorded later is left out.

    Transaction time: what the store answered then, for what it still holds; what was erased since stays erased. Each
    update keeps the value that it replaces (VERSION records). Not kept, so of a later time here: vectors; counts and
    level of a pattern, which follow its members. An old value has revision 0.
    """
    there = {name: memory for name, memory in memories.items() if memory.recorded_at <= at}
    changed = [memory.id for memory in there.values() if memory.version > 1]
    old = _replaced_after(store, namespace, changed, at)
    return {name: old.get(memory.id, memory) for name, memory in there.items()}


def _replaced_after(
    store: MemoryStore, namespace: str, ids: Sequence[str], at: datetime
) -> dict[str, Memory]:
    """The value of each memory that its first update after a time replaced: of all kept since the lowest version."""
    old: dict[str, Memory] = {}
    rest = iter(ids)
    while some := tuple(islice(rest, _PAGE)):
        selection = RecordSelection(subjects=some, since=at + _RESOLUTION)
        read = partial(store.records, namespace, RecordKind.VERSION, selection)
        for page in pages(read, PageRequest(first=_PAGE)):
            for value in (memory_from_data(record.body["memory"]) for record in page.items):
                if value.id not in old or value.version < old[value.id].version:
                    old[value.id] = value
    return old
