"""The same mistake made again and again, and what became of it."""

from __future__ import annotations

from typing import Any

from graphmem.domain.memories import Experience, MemoryKind, Pattern
from graphmem.domain.records import Job, JobKind, RecordKind
from graphmem.ports.changes import Changes
from graphmem.ports.queries import PageRequest, RecordSelection, Selection
from graphmem.services import assign
from graphmem.wiring import Services
from tests.builders import NS, at, generalizes, pattern
from tests.services import failed

PARSER = "the parser broke on an empty price cell"
FIX = "treat an empty cell as missing"


def broke(services: Services, number: int, **fields: Any) -> Experience:
    """The same mistake in another task."""
    given: dict[str, Any] = {"manifestation": PARSER, "correction": FIX, "task_id": f"t{number}"}
    memory = failed(services, f"clean file {number}", **(given | fields)).memory
    assert isinstance(memory, Experience)
    return memory


def of_kind(services: Services, kind: MemoryKind) -> list[Any]:
    """All memories of a kind, oldest first."""
    page = PageRequest(first=500, ascending=True)
    return list(services.store.find(NS, Selection(kinds=(kind,)), page).items)


def patterns(services: Services) -> list[Pattern]:
    """All patterns."""
    return of_kind(services, MemoryKind.PATTERN)


def clusters(services: Services) -> list[str]:
    """The cluster of each experience, by the number of the first experience in it, '' for none."""
    experiences = of_kind(services, MemoryKind.EXPERIENCE)
    refs = {memory.id: memory.ref for memory in experiences}
    return [refs.get(memory.cluster_id, memory.cluster_id) for memory in experiences]


def transitions(services: Services, pattern: Pattern) -> list[tuple[str, str]]:
    """From which level to which a pattern went, oldest first."""
    selection = RecordSelection(subject=pattern.id)
    found = services.store.records(NS, RecordKind.TRANSITION, selection, PageRequest()).items
    return [(item.body["from"], item.body["to"]) for item in found]


def waiting(services: Services, kind: JobKind) -> list[Job]:
    """The jobs of a kind that wait, in the order they are handed out."""
    found = []
    while item := services.store.claim(NS, kind, "test", at(1_000), assign.LEASE):
        found.append(item)
    return found


def by_hand(services: Services, lesson: str, *refs: str) -> Pattern:
    """A pattern over failures that somebody wrote."""
    members = services.store.get(NS, list(refs))
    made = pattern(lesson, source="agent", id=services.reflect._new_id(at()))
    edges = tuple(generalizes(made, member) for member in members.values())
    services.store.apply(Changes(namespace=NS, at=at(0), create=(made,), edges=edges))
    return made
