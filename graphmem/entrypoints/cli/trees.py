"""The cause graph as a tree of lines: each memory is drawn once, later ones point back to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphmem.domain.answers import Impact
from graphmem.domain.causation import CauseEdge
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Memory
from graphmem.entrypoints.cli.memories import grade_word, lined
from graphmem.entrypoints.cli.terminal import Terminal
from graphmem.entrypoints.cli.words import say


@dataclass(frozen=True, slots=True)
class Branch:
    """A step down: what is written on the edge, and the id at its end."""

    edge: str
    to: str


def draw(
    start: str, branches: Mapping[str, Sequence[Branch]], labels: Mapping[str, tuple[str, str]]
) -> list[str]:
    """Lines of the tree below start. labels: id -> (in full, as a back reference). Cycles end by themselves."""
    lines = [labels[start][0]]
    shown = {start}

    def below(node: str, indent: str) -> None:
        steps = branches.get(node, ())
        for place, step in enumerate(steps, start=1):
            last = place == len(steps)
            again = step.to in shown
            shown.add(step.to)
            lines.append(f"{indent}{'└─' if last else '├─'} {step.edge}  {labels[step.to][again]}")
            if not again:
                below(step.to, indent + ("   " if last else "│  "))

    below(start, "")
    return lines


def explanation_tree(found: Explanation, terminal: Terminal) -> list[str]:
    """The effect at the top, its causes below, the best root marked."""
    steps = [(edge.effect_id, edge.cause_id, edge) for edge in found.edges]
    root = found.root.memory.id if found.root else ""
    mark = terminal.paint(f"  ◀ {say('tree.root')}", "yellow")
    doubted = frozenset((item.edge.effect_id, item.edge.cause_id) for item in found.doubted)
    return _tree(found.of, found.nodes, steps, terminal, {root: mark} if root != found.of.id else {}, doubted)


def impact_tree(found: Impact, terminal: Terminal) -> list[str]:
    """The cause at the top, what followed below."""
    steps = [(edge.cause_id, edge.effect_id, edge) for edge in found.edges]
    return _tree(found.of, found.nodes, steps, terminal, {})


def _tree(
    of: Memory,
    nodes: Sequence[Memory],
    steps: Iterable[tuple[str, str, CauseEdge]],
    terminal: Terminal,
    marks: Mapping[str, str],
    doubted: frozenset[tuple[str, str]] = frozenset(),
) -> list[str]:
    by_id = {memory.id: memory for memory in (of, *nodes)}
    labels = {
        memory.id: (
            f"{lined(memory, terminal)}{marks.get(memory.id, '')}",
            f"↑ {memory.ref} ({say('tree.above')})",
        )
        for memory in by_id.values()
    }
    branches: dict[str, list[Branch]] = defaultdict(list)
    known = [step for step in steps if step[0] in by_id and step[1] in by_id]
    for here, there, edge in sorted(
        known, key=lambda step: (-step[2].confidence, by_id[step[1]].occurred_at)
    ):
        doubt = terminal.paint(f" {say('tree.doubted')}", "yellow") if (here, there) in doubted else ""
        branches[here].append(Branch(edge_label(edge, terminal) + doubt, there))
    return draw(of.id, branches, labels)


def edge_label(edge: CauseEdge, terminal: Terminal) -> str:
    """Grade and confidence of an edge."""
    return terminal.paint(f"{grade_word(edge.grade)} {edge.confidence:.2f}", "cyan")
