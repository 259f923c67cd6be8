"""The Cypher that this adapter runs: one statement a file, none in Python."""

from __future__ import annotations

from functools import cache
from typing import LiteralString

from graphmem import queries


@cache
def statement(name: str) -> LiteralString:
    """The text of queries/<name>.cypher, e.g. 'write/open-action'. Values reach it as parameters only."""
    return queries.path(f"{name}.cypher").read_text(encoding="utf-8")
