"""A code says which error it was: failures with different ones teach no common lesson."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphmem
from graphmem.domain.memories import Experience


@pytest.mark.parametrize(
    ("codes", "clusters"),
    [(("HTTP 404", "HTTP 500", "HTTP 401"), 3), (("HTTP 404", "HTTP 404", "HTTP 404"), 1)],
)
def test_failures_of_one_tool_are_told_apart_by_their_codes(
    tmp_path: Path, codes: tuple[str, ...], clusters: int
) -> None:
    with graphmem.open(f"sqlite:///{tmp_path / 'm.db'}", embedder="none") as memory:
        refs = [
            memory.record(
                "call the service",
                "FAILURE",
                context="the orders of march",
                error_type=code,
                tool="http",
                task_id=f"t-{at}",
            ).memory.ref
            for at, code in enumerate(codes)
        ]
        found = [memory.show(ref) for ref in refs]
    groups = {one.cluster_id or one.id for one in found if isinstance(one, Experience)}
    assert len(groups) == clusters
