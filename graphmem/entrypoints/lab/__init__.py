"""What the notebooks draw and count with. Needs the extra `lab`: matplotlib and pandas.

Everything here is a picture or a table of what the services answer; the answers themselves are theirs. Importing it
lets matplotlib take Chinese letters from an installed font.
"""

from graphmem.entrypoints.lab.classes import counts, likeliest, link_scores, matrix, propagation
from graphmem.entrypoints.lab.curves import coverage_curves, priorities
from graphmem.entrypoints.lab.drawings import chain, coverage, dots, heat_map
from graphmem.entrypoints.lab.flows import flows
from graphmem.entrypoints.lab.fonts import with_chinese
from graphmem.entrypoints.lab.scenes import Scene, blank, failure_to_explain, month, replanted, scene
from graphmem.entrypoints.lab.scoring import HOPS, hits, without_edges
from graphmem.entrypoints.lab.tables import difference, quality, rates, roots, side_by_side, what_if

__all__ = [
    "HOPS",
    "Scene",
    "blank",
    "chain",
    "counts",
    "coverage",
    "coverage_curves",
    "difference",
    "dots",
    "failure_to_explain",
    "flows",
    "heat_map",
    "hits",
    "likeliest",
    "link_scores",
    "matrix",
    "month",
    "priorities",
    "propagation",
    "quality",
    "rates",
    "replanted",
    "roots",
    "scene",
    "side_by_side",
    "what_if",
    "without_edges",
]

with_chinese()
