"""Pieces of a page: text made safe, names of memories, tables."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Memory
from graphmem.entrypoints.cli.pictures.drawing import MARKS, kind_of, safe
from graphmem.entrypoints.cli.words import say

SHOWN = 50
"""Rows of a table that may be long."""


def block(text: str) -> str:
    """A stranger's text that may have lines: escaped, without characters that hide or turn text."""
    kept = (
        char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
    )
    return escape("".join(kept))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells of the head are texts, those of the rows are markup."""
    top = "".join(f"<th>{safe(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def more(count: int) -> str:
    """How many rows of so many are not shown."""
    return f'<p class="small">{safe(say("report.more", n=count - SHOWN))}</p>' if count > SHOWN else ""


def named(memory: Memory) -> str:
    """The ref in the colour of its kind, with its sign."""
    kind = kind_of(memory)
    return f'<b class="ref {kind}">{safe(f"{memory.ref} {MARKS[kind]}".strip())}</b>'


def by_id(found: Explanation) -> Mapping[str, Memory]:
    """The memories of the explanation."""
    return {memory.id: memory for memory in found.nodes}
