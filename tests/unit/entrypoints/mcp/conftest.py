"""An agent over services on an empty store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.wiring import Services
from tests.agents import Agent, agent_of
from tests.services import opened


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Services over an empty store."""
    with opened(tmp_path / "memory.db") as made:
        yield made


@pytest.fixture
def agent(services: Services) -> Iterator[Agent]:
    """An agent that uses them."""
    with agent_of(services) as found:
        yield found
