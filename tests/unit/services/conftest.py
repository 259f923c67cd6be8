"""Services over an empty store, and the file that it lies in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.wiring import Services
from tests.builders import Clock
from tests.services import FlakyEmbedder, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "memory.db"


@pytest.fixture
def clock() -> Clock:
    """The clock of these services, which a test may put forward."""
    return Clock()


@pytest.fixture
def services(path: Path, clock: Clock) -> Iterator[Services]:
    """Services over an empty store."""
    with opened(path, clock=clock) as made:
        yield made


@pytest.fixture
def embedder() -> FlakyEmbedder:
    """An embedder that can be switched off."""
    return FlakyEmbedder()


@pytest.fixture
def flaky(path: Path, embedder: FlakyEmbedder) -> Iterator[Services]:
    """Services over an empty store whose embedder can be switched off."""
    with opened(path, embedder=embedder) as made:
        yield made
