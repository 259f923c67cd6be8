"""What every picture of an explanation shows: which nodes, in which role, and what stands on an edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from graphmem.domain.causation import CauseEdge
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Experience, Fact, Memory, Result
from graphmem.entrypoints.cli.memories import grade_word
from graphmem.entrypoints.cli.terminal import plain

MAX_DRAWN = 60
"""Nodes in a picture, the nearest and the ranked roots; more is no picture."""


@dataclass(frozen=True)
class Drawing:
    """The part of an explanation that is drawn. left_out: how many nodes are not."""

    of: Memory
    nodes: tuple[Memory, ...]
    edges: tuple[CauseEdge, ...]
    root: str
    left_out: int


def drawing(found: Explanation) -> Drawing:
    """The nearest nodes with the ranked roots, and every edge between them."""
    ranked, nearest = (item.memory.id for item in found.root_causes), (memory.id for memory in found.nodes)
    kept = set(list(dict.fromkeys((found.of.id, *ranked, *nearest)))[:MAX_DRAWN])
    nodes = tuple(memory for memory in found.nodes if memory.id in kept)
    edges = tuple(edge for edge in found.edges if edge.effect_id in kept and edge.cause_id in kept)
    root = found.root.memory.id if found.root else ""
    return Drawing(found.of, nodes, edges, root, len(found.nodes) - len(nodes))


def kind_of(memory: Memory) -> str:
    """What decides a node's colour: failure, success, partial, fact or other."""
    if isinstance(memory, Experience):
        return {Result.FAILURE: "failure", Result.SUCCESS: "success"}.get(memory.result, "partial")
    return "fact" if isinstance(memory, Fact) else "other"


MARKS: Mapping[str, str] = {"failure": "✗", "success": "✓", "partial": "~", "fact": "●", "other": ""}
"""A sign beside the ref, for who sees no colours."""


def label_of(edge: CauseEdge) -> str:
    """Grade and confidence."""
    return f"{grade_word(edge.grade)} {edge.confidence:.2f}"


def outcome_of(memory: Memory) -> str:
    """What came of an experience, on one line; '' for anything else."""
    if not isinstance(memory, Experience):
        return ""
    return plain(memory.manifestation or memory.error_type)


def safe(text: str) -> str:
    """A stranger's text for HTML and SVG: on one line, without characters that hide or turn text, escaped."""
    return escape(plain(text))
