"""A memory on a temporary file, and what was written into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.domain.causation import CauseEdge
from graphmem.domain.memories import Experience
from graphmem.entrypoints.library import GraphMemory
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection
from tests.services import opened


class Memory(GraphMemory):
    """The library's door, with a look at what it wrote."""

    def experiences(self) -> list[Experience]:
        """All experiences, in the order of their refs."""
        page = self.services.store.find(self.namespace, Selection(), PageRequest(first=100))
        found = [item for item in page.items if isinstance(item, Experience)]
        return sorted(found, key=lambda item: int(item.ref.partition("-")[2]))

    def causes(self) -> dict[tuple[str, str], CauseEdge]:
        """Every cause edge by (effect's error type or action, cause's)."""
        names = {item.id: item.error_type or item.action for item in self.experiences()}
        ids = tuple(names)
        found = self.services.store.edges(
            self.namespace, EdgeSelection(from_ids=ids), PageRequest(first=100)
        ).items
        return {
            (names[edge.from_id], names[edge.to_id]): edge for edge in found if isinstance(edge, CauseEdge)
        }


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "memory.db", words_only=True) as services:
        yield Memory(services)
