"""Forgetting one memory, everywhere."""

from __future__ import annotations

from graphmem.domain.answers import Forgotten
from graphmem.domain.rules import MAX_SHORT, check_namespace, check_required
from graphmem.ports.changes import Changes
from graphmem.ports.queries import EdgeSelection, PageRequest
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import named
from graphmem.services.intake import Clock
from graphmem.services.notebook import Notebook

_COUNTED = 100


class Forget:
    """Removal is asked for by name, shows what it would do, and cannot be undone."""

    def __init__(self, store: MemoryStore, clock: Clock, notebook: Notebook) -> None:
        self._store = store
        self._clock = clock
        self._notebook = notebook

    def forget(self, namespace: str, memory_id: str, dry_run: bool = False) -> Forgotten:
        """Remove a memory with its vectors, edges, old versions and job payloads.

        Its key is kept as a hash, so that a retry does not bring it back. dry_run only tells the plan.
        A memory that is not there (any more) answers already_gone. Raises BadInputError.
        """
        check_namespace(namespace)
        check_required("id", memory_id, MAX_SHORT)
        memory = named(self._store, namespace, [memory_id]).get(memory_id)
        if memory is None:
            revision = self._store.state(namespace).revision
            return Forgotten(ids=(), refs=(), edges=0, revision=revision, already_gone=True)
        edges = self._edges(namespace, memory.id)
        if dry_run:
            revision = self._store.state(namespace).revision
        else:
            self._notebook.flush()  # what was noted of it must not be written once it is gone
            changes = Changes(namespace=namespace, at=self._clock(), erase=(memory.id,))
            revision = self._store.apply(changes).revision
        return Forgotten(ids=(memory.id,), refs=(memory.ref,), edges=edges, revision=revision)

    def _edges(self, namespace: str, memory_id: str) -> int:
        """How many edges touch the memory (counted up to _COUNTED at each end)."""
        page = PageRequest(first=_COUNTED)
        outgoing = self._store.edges(namespace, EdgeSelection(from_ids=(memory_id,)), page)
        incoming = self._store.edges(namespace, EdgeSelection(to_ids=(memory_id,)), page)
        return len(outgoing.items) + len(incoming.items)
