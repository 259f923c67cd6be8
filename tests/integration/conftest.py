"""Both stores as processes of their own reach them."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(300)])])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the store is: a file, or the shared server."""
    if request.param == "sqlite":
        return str(tmp_path / "shared.db")
    address: str = request.getfixturevalue("neo4j_server").bolt_uri
    return address


@pytest.fixture
def namespace() -> str:
    """One of this test's own."""
    return f"processes {uuid4()}"
