"""Failures as dots in an SVG picture, in plain ASCII: a colour for each cluster, alike ones near each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from graphmem.entrypoints.cli.pictures.drawing import safe
from graphmem.entrypoints.cli.pictures.svg import FONT
from graphmem.entrypoints.cli.terminal import cut
from graphmem.entrypoints.cli.words import say
from graphmem.services.reflect import Dot

SIZE, MARGIN, ROW = 640, 24, 20
"""Of the square of dots, around it, and of a line of the legend, in pixels."""
COLOURS = ("#b3261e", "#2356a3", "#1f7a3f", "#8a6100", "#6d3fa0", "#00707a", "#a0346b", "#5b6b00")
"""For the largest clusters; the others and lone failures are grey."""
GREY = "#888888"


def scatter(dots: Sequence[Dot]) -> str:
    """A dot for each failure, which tells its reference and title when it is pointed at; below, the largest clusters
    with one of their members.
    """
    sizes = Counter(dot.cluster_id for dot in dots if dot.cluster_id)
    largest = sorted(sizes, key=lambda name: (-sizes[name], name))[: len(COLOURS)]
    colours = dict(zip(largest, COLOURS, strict=False))
    width, height = SIZE + 2 * MARGIN, SIZE + 2 * MARGIN + ROW * (len(largest) + 1)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" {FONT} font-size="12" role="img">'
    )
    body = [*_dots(dots, colours), *_legend(dots, sizes, colours)]
    text = "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *body, "</svg>", ""])
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _dots(dots: Sequence[Dot], colours: dict[str, str]) -> Iterator[str]:
    reach = max((max(abs(dot.x), abs(dot.y)) for dot in dots), default=0.0) or 1.0
    for dot in dots:
        x, y = (MARGIN + SIZE / 2 * (1 + value / reach) for value in (dot.x, -dot.y))
        about = safe(f"{dot.memory.ref} {dot.memory.title}")
        colour = colours.get(dot.cluster_id, GREY)
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" fill-opacity="0.7">'
            f"<title>{about}</title></circle>"
        )


def _legend(dots: Sequence[Dot], sizes: Counter[str], colours: dict[str, str]) -> Iterator[str]:
    first = {dot.cluster_id: dot.memory for dot in reversed(dots)}
    lines = [
        (colour, f"{say('clusters.size', n=sizes[name])}: {first[name].ref} {first[name].title}")
        for name, colour in colours.items()
    ]
    others = sum(dot.cluster_id not in colours for dot in dots)
    for place, (colour, line) in enumerate([*lines, (GREY, say("clusters.others", n=others))]):
        y = SIZE + 2 * MARGIN + ROW * place
        yield f'<circle cx="{MARGIN + 5}" cy="{y}" r="5" fill="{colour}"/>'
        yield f'<text x="{MARGIN + 18}" y="{y + 4}">{safe(cut(line, 88))}</text>'
