"""The cut from judged pairs, and the picture of the clusters."""

import numpy as np
import pytest

from graphmem.analysis.clusters import GROUP_CUT
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background
from graphmem.analysis.tuning import LabelledPair, cut_curve, picture
from graphmem.domain.errors import BadInputError

EMPTY = Background()
FAILURES = [
    Failure(f"{topic[0]}{number}", f"{topic} {word}", f"{topic}{number}")
    for topic in ("pool exhausted", "zone shifted")
    for number, word in enumerate(("daily", "nightly", "weekly"))
]
PAIRS = [
    LabelledPair("p0", "p1", True),
    LabelledPair("z0", "z2", True),
    LabelledPair("p0", "z0", False),
    LabelledPair("p2", "z1", False),
]


def test_the_curve_falls_from_all_said_to_none_and_the_best_cut_separates() -> None:
    curve = cut_curve(FAILURES, PAIRS, EMPTY)
    assert curve.pairs == 4
    assert [point.cut for point in curve.points] == pytest.approx([step / 20 for step in range(-4, 20)])
    first, last = curve.points[0], curve.points[-1]
    assert (first.precision, first.recall) == (0.5, 1.0)
    assert (last.recall, last.f1) == (0.0, 0.0)
    assert all(a.recall >= b.recall for a, b in zip(curve.points, curve.points[1:], strict=False))
    best = next(point for point in curve.points if point.cut == curve.best)
    assert (best.precision, best.recall, best.f1) == (1.0, 1.0, 1.0)
    perfect = [point.cut for point in curve.points if point.f1 == 1]
    assert curve.best == min(perfect, key=lambda cut: abs(cut - GROUP_CUT))


def test_the_order_of_failures_and_pairs_does_not_matter() -> None:
    assert cut_curve(FAILURES[::-1], PAIRS[::-1], EMPTY) == cut_curve(FAILURES, PAIRS, EMPTY)


def test_a_pair_of_unknown_failures_is_refused_and_named() -> None:
    with pytest.raises(BadInputError, match="nowhere") as caught:
        cut_curve(FAILURES, [*PAIRS, LabelledPair("p0", "nowhere", True)], EMPTY)
    assert caught.value.field == "pairs[4]"


def test_labels_of_one_kind_teach_nothing() -> None:
    with pytest.raises(BadInputError, match="no pair"):
        cut_curve(FAILURES, PAIRS[2:], EMPTY)
    with pytest.raises(BadInputError, match="no pair"):
        cut_curve(FAILURES, [], EMPTY)


def test_the_picture_shows_families_apart() -> None:
    found = picture(FAILURES, EMPTY)
    assert set(found) == {failure.id for failure in FAILURES}
    places = {name: np.array(place) for name, place in found.items()}
    inside = max(float(np.linalg.norm(places["p0"] - places[name])) for name in ("p1", "p2"))
    assert min(float(np.linalg.norm(places["p0"] - places[name])) for name in ("z0", "z1", "z2")) > inside


def test_the_same_failures_give_the_same_picture() -> None:
    assert picture(FAILURES[::-1], EMPTY) == picture(FAILURES, EMPTY)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_failures_have_a_picture_too(count: int) -> None:
    found = picture(FAILURES[:count], EMPTY)
    assert len(found) == count
    assert all(np.isfinite(place).all() for place in found.values())
