"""The cut of a namespace from pairs that a person judged, and a picture of its clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmem.analysis.clusters import GROUP_CUT
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background, scale_of, similarities
from graphmem.domain.errors import BadInputError


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two failures, by id, and whether a person says they belong together."""

    first: str
    second: str
    same: bool


@dataclass(frozen=True, slots=True)
class CutQuality:
    """How well "at least as similar as cut" tells the pairs that belong together; all in [0, 1]."""

    cut: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class CutCurve:
    """Quality by cut, ascending; best: the cut of the highest F1, of equals the one nearest the default."""

    points: tuple[CutQuality, ...]
    best: float
    pairs: int


def cut_curve(failures: Sequence[Failure], pairs: Sequence[LabelledPair], background: Background) -> CutCurve:
    """Precision, recall and F1 of every cut from -0.20 to 0.95 in steps of .05, on labelled pairs.

    Raises BadInputError where a pair names a failure that is not there, or where no pair is labelled as the same.
    """
    ordered = sorted({failure.id: failure for failure in failures}.values(), key=lambda failure: failure.id)
    places = {failure.id: place for place, failure in enumerate(ordered)}
    for number, pair in enumerate(pairs):
        for name in (pair.first, pair.second):
            if name not in places:
                raise BadInputError(
                    f"{name} is no failure here", field=f"pairs[{number}]", remedy="use ids of failures"
                )
    if not any(pair.same for pair in pairs):
        raise BadInputError(
            "no pair is labelled as the same", field="pairs", remedy="label some of both kinds"
        )
    likeness = similarities(ordered, scale_of(ordered, background))
    values = np.array([likeness[places[pair.first], places[pair.second]] for pair in pairs])
    same = np.array([pair.same for pair in pairs])
    points = tuple(_quality(step / 20, values, same) for step in range(-4, 20))
    best = min(points, key=lambda point: (-point.f1, abs(point.cut - GROUP_CUT), point.cut))
    return CutCurve(points, best.cut, len(pairs))


def picture(failures: Sequence[Failure], background: Background) -> Mapping[str, tuple[float, float]]:
    """Failures in two dimensions for a picture, by id: the first two principal coordinates of their similarity
    (Torgerson 1952, classical scaling; with unit vectors the same as PCA). Alike failures lie near each other.
    Signs are fixed, so that the same failures always give the same picture.
    """
    ordered = sorted({failure.id: failure for failure in failures}.values(), key=lambda failure: failure.id)
    if not ordered:
        return {}
    likeness = similarities(ordered, scale_of(ordered, background))
    inner = likeness - likeness.mean(axis=0) - likeness.mean(axis=1)[:, None] + likeness.mean()
    values, vectors = np.linalg.eigh(inner)
    flat = np.zeros((len(ordered), 2))
    for axis in range(min(2, len(ordered))):
        column = vectors[:, -1 - axis] * np.sqrt(max(0.0, values[-1 - axis]))
        largest = int(np.argmax(np.round(np.abs(column), 9)))
        flat[:, axis] = column if column[largest] >= 0 else -column
    return {failure.id: (float(x), float(y)) for failure, (x, y) in zip(ordered, flat, strict=True)}


def _quality(cut: float, values: NDArray[np.float64], same: NDArray[np.bool_]) -> CutQuality:
    said = values >= cut
    right = int((said & same).sum())
    precision = right / int(said.sum()) if said.any() else 1.0
    recall = right / int(same.sum())
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return CutQuality(cut, precision, recall, f1)
