"""An explanation in the DOT language, for whoever draws with Graphviz."""

from __future__ import annotations

from graphmem.domain.causation import Grade
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Memory
from graphmem.entrypoints.cli.memories import headline
from graphmem.entrypoints.cli.pictures.drawing import MARKS, kind_of, label_of
from graphmem.entrypoints.cli.pictures.svg import FILLS
from graphmem.entrypoints.cli.terminal import cut, fold

_LINES = {
    Grade.CONFIRMED: "bold",
    Grade.ASSERTED: "solid",
    Grade.TRACED: "solid",
    Grade.INFERRED: "dashed",
    None: "dotted",
}


def dot(found: Explanation) -> str:
    """All nodes and edges, the effect on top; arrows point from a cause to what it led to."""
    root = found.root.memory.id if found.root else ""
    lines = ["digraph explanation {", "  rankdir=BT;", '  node [shape=box, style="rounded,filled"];']
    lines += [_node(memory, memory.id in (root, found.of.id)) for memory in found.nodes]
    lines += [
        f"  {_quoted(edge.cause_id)} -> {_quoted(edge.effect_id)}"
        f" [label={_quoted(label_of(edge))}, style={_LINES[edge.grade]}];"
        for edge in found.edges
    ]
    return "\n".join([*lines, "}", ""])


def _node(memory: Memory, strong: bool) -> str:
    kind = kind_of(memory)
    fill, line = FILLS[kind]
    text = "\n".join([f"{memory.ref} {MARKS[kind]}".strip(), *fold(cut(headline(memory), 120), 40)])
    width = 2.6 if strong else 1.2
    return f'  {_quoted(memory.id)} [label={_quoted(text)}, fillcolor="{fill}", color="{line}", penwidth={width}];'


def _quoted(text: str) -> str:
    """A DOT string: quotes and backslashes escaped, so that no text ends it or is read as an escape."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{inner}"'
