"""A flow picture (Sankey 1898): what failures of one class led to, as bands as wide as their count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_GAP = 0.02
_STEPS = 40
Band = tuple[float, float]


def flows(counts: Mapping[tuple[str, str], float], title: str = "") -> Figure:
    """Causes on the left, effects on the right, by (cause class, effect class); the most frequent stand on top.

    Raises ValueError where nothing flows.
    """
    total = sum(counts.values())
    if total <= 0:
        raise ValueError("there is nothing to draw: no failure of one class led to another")
    left = _column(counts, 0, total)
    right = _column(counts, 1, total)
    figure, axes = plt.subplots(figsize=(8, 1.5 + 0.3 * max(len(left), len(right))))
    used = {"left": dict.fromkeys(left, 0.0), "right": dict.fromkeys(right, 0.0)}
    colours = {name: f"C{place % 10}" for place, name in enumerate(left)}
    for (cause, effect), count in sorted(counts.items(), key=lambda item: -item[1]):
        width = count / total
        start = left[cause][0] - used["left"][cause]
        end = right[effect][0] - used["right"][effect]
        _band(axes, (start, start - width), (end, end - width), colours[cause])
        used["left"][cause] += width
        used["right"][effect] += width
    for name, (top, bottom) in left.items():
        axes.text(-0.02, (top + bottom) / 2, name, ha="right", va="center", fontsize=8, parse_math=False)
    for name, (top, bottom) in right.items():
        axes.text(1.02, (top + bottom) / 2, name, ha="left", va="center", fontsize=8, parse_math=False)
    axes.set_title(title, fontsize=10)
    axes.set_xlim(-0.5, 1.5)
    axes.axis("off")
    return figure


def _column(counts: Mapping[tuple[str, str], float], side: int, total: float) -> dict[str, Band]:
    """Top and bottom of every class of a side, biggest first, from 1 downwards."""
    sizes: dict[str, float] = {}
    for pair, count in counts.items():
        sizes[pair[side]] = sizes.get(pair[side], 0.0) + count
    return dict(_stacked(sorted(sizes.items(), key=lambda item: (-item[1], item[0])), total))


def _stacked(sizes: Iterable[tuple[str, float]], total: float) -> Iterable[tuple[str, Band]]:
    top = 1.0
    for name, size in sizes:
        yield name, (top, top - size / total)
        top -= size / total + _GAP


def _band(axes: Axes, start: Band, end: Band, colour: str) -> None:
    x = np.linspace(0, 1, _STEPS)
    bend = x * x * (3 - 2 * x)
    upper = start[0] + (end[0] - start[0]) * bend
    lower = start[1] + (end[1] - start[1]) * bend
    axes.fill_between(x, lower, upper, color=colour, alpha=0.45, linewidth=0)
