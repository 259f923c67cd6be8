"""Looking memories up by id and by plain filters."""

from __future__ import annotations

from graphmem.domain.memories import Memory
from graphmem.domain.rules import check_namespace, check_page
from graphmem.ports.queries import Page, PageRequest, Selection
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require


class Browse:
    """Direct reads from the store."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def memory(self, namespace: str, memory_id: str) -> Memory:
        """The memory with this id or ref, in whatever state. Raises NotFoundError."""
        return require(self._store, check_namespace(namespace), memory_id)

    def memories(self, namespace: str, selection: Selection, page: PageRequest) -> Page[Memory]:
        """A page of memories, newest first. Raises BadInputError for a bad size or cursor."""
        check_page(page.first)
        return self._store.find(check_namespace(namespace), selection, page)
