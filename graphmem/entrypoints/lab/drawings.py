"""Pictures of chains, shares and class tables, as matplotlib figures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Experience, Memory, is_failure
from graphmem.entrypoints.cli.terminal import fold

FAILED, WENT_WELL, FACT, LINE = "#c0392b", "#7f8c8d", "#2980b9", "#34495e"
ROOT = "#f1c40f"
_CAPTION = 26
_LINES = 3
_COLUMN = 0.08
"""Inches that half a Han character takes in a caption."""
_ALONG = 0.4
"""Where on an arrow its confidence stands: not where arrows meet."""
Place = tuple[int, int]


def chain(found: Explanation) -> Figure:
    """A failure's causes from left to right in time, one lane a tool; the first root is ringed, edges carry confidence.

    Red = failed, grey = went well, blue = a fact; dashed edges are inferred. Equal times stand side by side.
    """
    nodes = sorted(found.nodes, key=lambda node: (node.occurred_at, node.id))
    lanes = {name: height for height, name in enumerate(sorted({_lane(node) for node in nodes}))}
    places = {node.id: (at, lanes[_lane(node)]) for at, node in enumerate(nodes)}
    width = min(15.0, max(7.0, 1.5 * len(nodes)))
    figure, axes = plt.subplots(figsize=(width, 1.2 + 1.1 * len(lanes)))
    for edge in found.edges:
        _arrow(axes, places[edge.cause_id], places[edge.effect_id], edge)
    for node in nodes:
        at, height = places[node.id]
        axes.scatter(at, height, s=260, color=_colour(node), zorder=3)
        axes.annotate(
            f"{node.ref}\n{_folded(node.title, width / len(nodes))}",
            (at, height),
            (0, -16),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=8,
            parse_math=False,
        )
    if found.root:
        axes.scatter(
            *places[found.root.memory.id], s=620, facecolors="none", edgecolors=ROOT, linewidths=3, zorder=2
        )
    axes.set_yticks(list(lanes.values()), [name[:_CAPTION] for name in lanes])
    axes.set_xticks([])
    axes.set_xlabel("time →")
    axes.set_xlim(-0.6, len(nodes) - 0.4)
    axes.set_ylim(-0.9, len(lanes) - 0.4)
    _bare(axes)
    return figure


def _folded(title: str, inches: float) -> str:
    """A caption that is no wider than its place, so that it does not run into its neighbour's."""
    lines = fold(title, max(8, int(inches / _COLUMN)))
    return "\n".join(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], f"{lines[_LINES - 1][:-1]}…"])


def dots(shares: pd.DataFrame, title: str = "", zero: bool = False) -> Figure:
    """Shares or differences with their intervals, one line a row; columns value, low, high, n.

    zero: they are differences: draw the line of none. Shares are drawn from 0 to 1.
    """
    figure, axes = plt.subplots(figsize=(7, 0.7 + 0.45 * len(shares)))
    for place, row in enumerate(reversed(shares.to_dict("records"))):
        axes.plot([row["low"], row["high"]], [place, place], color=LINE, linewidth=2)
        axes.scatter(row["value"], place, color=LINE, zorder=3)
        axes.annotate(
            _said(row),
            (row["high"], place),
            (8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.set_yticks(range(len(shares)), [str(name) for name in reversed(list(shares.index))])
    if zero:
        axes.axvline(0, color=WENT_WELL, linewidth=1)
    else:
        axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.6, len(shares) - 0.4)
    axes.set_xlim(right=axes.get_xlim()[1] + 0.4 * (axes.get_xlim()[1] - axes.get_xlim()[0]))
    axes.set_title(title, loc="left", fontsize=10)
    _bare(axes)
    return figure


def coverage(covered: Sequence[float], names: Sequence[str], cut: int) -> Figure:
    """How much of all failures the first causes cover together, one bar more a cause: shares in [0, 1], in order.

    Up to the cut, a count of causes, the bars are red.
    """
    figure, axes = plt.subplots(figsize=(max(6, 0.8 * len(covered)), 3))
    colours = [FAILED if place < cut else WENT_WELL for place in range(len(covered))]
    axes.bar(range(len(covered)), covered, color=colours)
    for place, share in enumerate(covered):
        axes.annotate(
            f"{share:.0%}", (place, share), (0, 3), textcoords="offset points", ha="center", fontsize=8
        )
    axes.set_xticks(
        range(len(names)), [name[:_CAPTION] for name in names], rotation=30, ha="right", fontsize=8
    )
    axes.set_ylim(0, 1.1)
    axes.set_ylabel("share of all failures")
    _bare(axes)
    return figure


def heat_map(table: pd.DataFrame, title: str = "") -> Figure:
    """Probabilities in [0, 1] by cause (rows) and effect (columns); what is not known stays white."""
    figure, axes = plt.subplots(figsize=(1.8 + 0.55 * len(table.columns), 1.4 + 0.4 * len(table)))
    image = axes.imshow(table.to_numpy(dtype=float), cmap="Reds", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(
        range(len(table.columns)),
        [str(name)[:_CAPTION] for name in table.columns],
        rotation=45,
        ha="right",
        fontsize=8,
    )
    axes.set_yticks(range(len(table)), [str(name)[:_CAPTION] for name in table.index], fontsize=8)
    axes.set_xlabel("effect")
    axes.set_ylabel("cause")
    axes.set_title(title, loc="left", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.8)
    return figure


def _said(row: Mapping[Hashable, float]) -> str:
    said = f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
    return f"{said}, n = {row['n']:.0f}" if "n" in row else said


def _arrow(axes: Axes, cause: Place, effect: Place, edge: CauseEdge) -> None:
    """From cause to effect; over the heads of what stands between them in the same lane."""
    bent = cause[1] == effect[1] and abs(effect[0] - cause[0]) > 1
    axes.annotate(
        "",
        effect,
        cause,
        arrowprops={
            "arrowstyle": "-|>",
            "color": LINE,
            "shrinkA": 9,
            "shrinkB": 9,
            "linestyle": "--" if edge.grade is Grade.INFERRED else "-",
            "connectionstyle": f"arc3,rad={-0.25 if bent else 0}",
        },
    )
    x = cause[0] + _ALONG * (effect[0] - cause[0])
    y = cause[1] + _ALONG * (effect[1] - cause[1]) + (0.3 if bent else 0)
    label = f"{edge.confidence:.2f}"
    axes.text(
        x,
        y,
        label,
        ha="center",
        va="center",
        fontsize=7,
        color=LINE,
        bbox={"fc": "white", "ec": "none", "pad": 1},
    )


def _lane(node: Memory) -> str:
    if isinstance(node, Experience):
        return node.tool or node.agent or "experience"
    return node.kind.name.lower()


def _colour(node: Memory) -> str:
    if not isinstance(node, Experience):
        return FACT
    return FAILED if is_failure(node) else WENT_WELL


def _bare(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
