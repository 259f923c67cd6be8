"""Marking what an agent learnt from us and hands back: it is kept, and counts as no second witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphmem.analysis.provenance import lessons, sources
from graphmem.domain.memories import Experience, Memory
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.ports.store import MemoryStore

MOST_SERVED = 500
"""Memories served to a session that a write is compared with, the first ones."""


class Provenance:
    """Compares what a session writes with what it was served."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def marked(self, namespace: str, memories: Sequence[Memory]) -> list[Memory]:
        """The memories; one whose correction or generalization was served to its session names the source in
        informed_by. Asks the store only for experiences of a session that hold such a text. Raises UnavailableError.
        """
        served: dict[str, list[Memory]] = {}
        marked: list[Memory] = []
        for memory in memories:
            if isinstance(memory, Experience) and memory.session_id and lessons(memory):
                if memory.session_id not in served:
                    served[memory.session_id] = self._served(namespace, memory.session_id)
                found = sources(memory, served[memory.session_id])
                memory = replace(memory, informed_by=tuple(dict.fromkeys((*memory.informed_by, *found))))
            marked.append(memory)
        return marked

    def handed_back(self, said: Memory, session_id: str) -> tuple[str, ...]:
        """Ids of what a session was served whose lessons come back in what is said of a memory, itself left out.

        Raises UnavailableError.
        """
        if not session_id or not lessons(said):
            return ()
        served = self._served(said.namespace, session_id)
        return sources(said, [memory for memory in served if memory.id != said.id])

    def _served(self, namespace: str, session_id: str) -> list[Memory]:
        about = RecordSelection(subject=session_id)
        page = self._store.records(namespace, RecordKind.SERVED, about, PageRequest(first=MOST_SERVED))
        ids = dict.fromkeys(name for record in page.items for name in record.body.get("memories", ()))
        return list(self._store.get(namespace, list(ids)[:MOST_SERVED]).values()) if ids else []
