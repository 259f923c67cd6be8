"""What is written beside a pattern whose lesson somebody worded: the members that repeat it."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.memories import Experience, Memory, Pattern
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import Update
from graphmem.ports.queries import EdgeSelection, PageRequest
from graphmem.ports.store import MemoryStore
from graphmem.services.patterns import BY_PATTERN


def members_of(store: MemoryStore, pattern: Pattern, first: int = MAX_ITEMS - 1) -> tuple[Experience, ...]:
    """The experiences under a pattern, the first so many."""
    below = EdgeSelection(kinds=(GeneralizesEdge.kind,), from_ids=(pattern.id,))
    edges = store.edges(pattern.namespace, below, PageRequest(first=first)).items
    found = store.get(pattern.namespace, [edge.to_id for edge in edges])
    return tuple(memory for memory in found.values() if isinstance(memory, Experience))


def retaught(store: MemoryStore, current: Memory, changed: Memory) -> tuple[Update, ...]:
    """The members that repeat the lesson of a pattern, as many as fit into the action, with the new one."""
    if (
        not (isinstance(current, Pattern) and isinstance(changed, Pattern))
        or changed.lesson == current.lesson
    ):
        return ()
    return tuple(
        Update(memory=replace(member, generalization=changed.lesson), expected_version=member.version)
        for member in members_of(store, current)
        if member.generalization_source == BY_PATTERN
    )
