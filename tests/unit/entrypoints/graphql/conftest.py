"""The GraphQL door over an empty store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.entrypoints.graphql.door import Door, opened


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """The door, over an empty store."""
    with opened(tmp_path) as found:
        yield found
