"""A pretended machine for every test here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from graphmem.domain.errors import GraphmemError
from graphmem.tooling import neo4j
from tests.unit.tooling.neo4j.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine; its server is ended at the end."""
    made = Machine(tmp_path)
    yield made
    with suppress(GraphmemError):  # a test may have broken the record
        neo4j.stop(made.home, timeout_s=0.3, force=True)
