"""An explanation as an SVG picture, in plain ASCII: any file, terminal or page can hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Experience, Memory
from graphmem.entrypoints.cli.pictures.drawing import (
    MARKS,
    Drawing,
    drawing,
    kind_of,
    label_of,
    outcome_of,
    safe,
)
from graphmem.entrypoints.cli.pictures.layers import Layers, layers
from graphmem.entrypoints.cli.terminal import cut, plain
from graphmem.entrypoints.cli.words import say

WIDTH, HEIGHT, BEND = 236, 62, 34
"""Of a node, and what a bend takes of a row, in pixels."""
GAP, STEP, MARGIN = 26, 128, 24
"""Between nodes of a row; from row to row; around everything."""
MAX_ROW = 7
"""Places in a row; a layer of more takes several rows."""
COLUMNS = 33
"""Columns of text that a node holds at 12 pixels."""
LEGEND = 46

FILLS: Mapping[str, tuple[str, str]] = {
    "failure": ("#fdecea", "#b3261e"),
    "success": ("#e8f5ec", "#1f7a3f"),
    "partial": ("#fdf3dc", "#8a6100"),
    "fact": ("#e8f0fb", "#2356a3"),
    "other": ("#f1f1f1", "#555555"),
}
"""Fill and line by kind."""
LINES: Mapping[Grade | None, str] = {
    Grade.CONFIRMED: 'stroke-width="3"',
    Grade.ASSERTED: 'stroke-width="1.8"',
    Grade.TRACED: 'stroke-width="1.2"',
    Grade.INFERRED: 'stroke-width="1.2" stroke-dasharray="5 4"',
    None: 'stroke-width="1" stroke-dasharray="1 3"',
}
FONT = "font-family=\"'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif\""

Point = tuple[float, float]


@dataclass(frozen=True)
class Plan:
    """Where everything stands: the middle of each place, and the size of the whole."""

    places: Mapping[str, Point]
    width: float
    height: float


def svg(found: Explanation) -> str:
    """The effect on top, its causes below, edges by grade, the first root marked."""
    shown = drawing(found)
    order = layers(shown.of.id, [memory.id for memory in shown.nodes], _pairs(shown.edges))
    plan = _plan(order)
    body = [*_edges(shown, order, plan), *_nodes(shown, plan), *_legend(shown, plan)]
    title = safe(f"{shown.of.ref} {shown.of.title}")
    size = f'width="{plan.width:.0f}" height="{plan.height:.0f}" viewBox="0 0 {plan.width:.0f} {plan.height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {FONT} font-size="12" role="img"><title>{title}</title>'
    text = "\n".join([head, _ARROW, '<rect width="100%" height="100%" fill="#ffffff"/>', *body, "</svg>", ""])
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    ' markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8z" fill="#444444"/></marker></defs>'
)


def _pairs(edges: Sequence[CauseEdge]) -> list[tuple[str, str]]:
    return [(edge.effect_id, edge.cause_id) for edge in edges if edge.effect_id != edge.cause_id]


def _plan(order: Layers) -> Plan:
    rows = [row[at : at + MAX_ROW] for row in order.rows for at in range(0, len(row), MAX_ROW)]
    widths = [sum(_width(place) for place in row) + GAP * (len(row) - 1) for row in rows]
    whole = max([*widths, 560.0])
    places: dict[str, Point] = {}
    for number, (row, width) in enumerate(zip(rows, widths, strict=True)):
        left = MARGIN + (whole - width) / 2
        for place in row:
            places[place] = (left + _width(place) / 2, MARGIN + HEIGHT / 2 + number * STEP)
            left += _width(place) + GAP
    height = 2 * MARGIN + HEIGHT + (len(rows) - 1) * STEP + LEGEND
    return Plan(places, whole + 2 * MARGIN + (46 if order.upwards else 0), height)


def _width(place: str) -> float:
    return BEND if "\n" in place else WIDTH


def _nodes(shown: Drawing, plan: Plan) -> Iterator[str]:
    for memory in shown.nodes:
        x, y = plan.places[memory.id]
        yield from _node(memory, x - WIDTH / 2, y - HEIGHT / 2, memory.id in (shown.root, shown.of.id))
        if memory.id == shown.root and shown.root != shown.of.id:
            label = safe(say("tree.root"))
            yield (
                f'<text x="{x:.1f}" y="{y + HEIGHT / 2 + 16:.1f}" text-anchor="middle" font-weight="bold"'
                f' fill="#b3261e">&#9650; {label}</text>'
            )


def _node(memory: Memory, left: float, top: float, strong: bool) -> Iterator[str]:
    kind = kind_of(memory)
    fill, line = FILLS[kind]
    yield (
        f'<g><title>{safe(memory.text)}</title><rect x="{left:.1f}" y="{top:.1f}" width="{WIDTH}" height="{HEIGHT}"'
        f' rx="8" fill="{fill}" stroke="{line}" stroke-width="{2.6 if strong else 1.2}"/>'
    )
    said = plain(memory.action if isinstance(memory, Experience) else memory.title or memory.text)
    lines = [(f"{memory.ref} {MARKS[kind]}", line, "bold"), (said, "#1c1c1c", "normal")]
    if came := outcome_of(memory):
        lines.append((came, "#5a5a5a", "normal"))
    for number, (text, colour, weight) in enumerate(lines):
        yield (
            f'<text x="{left + 12:.1f}" y="{top + 18 + 17 * number:.1f}" fill="{colour}" font-weight="{weight}">'
            f"{safe(cut(text, COLUMNS))}</text>"
        )
    yield "</g>"


def _edges(shown: Drawing, order: Layers, plan: Plan) -> Iterator[str]:
    """Arrows point the way things went: from the cause up to what it led to."""
    for edge in shown.edges:
        ends = edge.effect_id, edge.cause_id
        if ends in order.bends:
            points = [plan.places[place] for place in order.bends[ends]]
        elif ends in order.upwards:
            points = [plan.places[place] for place in ends]
        else:
            continue
        yield from _edge(edge, points, ends in order.upwards)


def _edge(edge: CauseEdge, points: Sequence[Point], upwards: bool) -> Iterator[str]:
    path, (x, y) = _bow(points) if upwards else _way(points)
    yield f'<path d="{path}" fill="none" stroke="#444444" {LINES[edge.grade]} marker-end="url(#arrow)"/>'
    yield (
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="11" fill="#333333"'
        f' stroke="#ffffff" stroke-width="4" paint-order="stroke">{safe(label_of(edge))}</text>'
    )


def _way(points: Sequence[Point]) -> tuple[str, Point]:
    """From the top of the cause through the bends to the foot of the effect; and the middle of it."""
    way = list(reversed(points))
    way[0] = (way[0][0], way[0][1] - HEIGHT / 2)
    way[-1] = (way[-1][0], way[-1][1] + HEIGHT / 2)
    path = f"M{way[0][0]:.1f} {way[0][1]:.1f}" + "".join(
        f"C{a:.1f} {(b + d) / 2:.1f} {c:.1f} {(b + d) / 2:.1f} {c:.1f} {d:.1f}"
        for (a, b), (c, d) in pairwise(way)
    )
    (a, b), (c, d) = way[len(way) // 2 - 1], way[len(way) // 2]
    return path, ((a + c) / 2, (b + d) / 2)


def _bow(points: Sequence[Point]) -> tuple[str, Point]:
    """Around the right side, for an edge that closes a cycle."""
    (x1, y1), (x2, y2) = ((x + WIDTH / 2, y) for x, y in points)
    bow = max(x1, x2) + 46
    return f"M{x2:.1f} {y2:.1f}C{bow:.1f} {y2:.1f} {bow:.1f} {y1:.1f} {x1:.1f} {y1:.1f}", (
        bow - 10,
        (y1 + y2) / 2,
    )


def _legend(shown: Drawing, plan: Plan) -> Iterator[str]:
    y, x = plan.height - 18, float(MARGIN)
    for grade in sorted(Grade, reverse=True):
        yield f'<path d="M{x:.0f} {y:.0f}h34" stroke="#444444" {LINES[grade]}/>'
        word = safe(say(f"grade.{grade.name}"))
        yield f'<text x="{x + 40:.0f}" y="{y + 4:.0f}" font-size="11" fill="#555555">{word}</text>'
        x += 116
    if shown.left_out:
        text = safe(say("picture.left_out", n=shown.left_out))
        yield f'<text x="{x:.0f}" y="{y + 4:.0f}" font-size="11" fill="#b3261e">{text}</text>'
