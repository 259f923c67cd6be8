"""docs/data.md names every column, and no other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphmem.entrypoints import data_frames

PAGE = (Path(__file__).parents[3] / "docs" / "data.md").read_text(encoding="utf-8")
TABLES = re.findall(r"^\| column \| meaning \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)


@pytest.mark.parametrize(
    ("place", "columns"),
    list(enumerate((data_frames.EXPERIENCES, data_frames.EDGES, data_frames.EXPOSURES))),
    ids=["experiences", "edges", "exposures"],
)
def test_the_columns_are_documented(place: int, columns: Mapping[str, Any]) -> None:
    first_cells = [row.split("|")[1] for row in TABLES[place].splitlines()]
    assert re.findall(r"`(\w+)`", " ".join(first_cells)) == list(columns)


def test_the_attributes_of_a_graph_are_documented() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.partition("## The graph")[2]))
    assert {"kind", "ref", "title", "state", "episode", "failed", "error_class", "cluster_id"} <= named
    assert {"grade", "confidence", "lag", "recorded_at"} <= named
