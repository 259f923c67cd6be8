"""What a picture holds: read from the figure, not from its pixels."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from graphmem.domain.causation import CauseEdge, Evidence, Grade
from graphmem.domain.explanations import Explanation, RankedCause
from graphmem.domain.memories import Experience, Fact, Memory, Result
from graphmem.entrypoints.lab.drawings import chain, coverage, dots, heat_map
from graphmem.entrypoints.lab.flows import flows

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """No window, and nothing left open."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def experience(number: int, title: str, tool: str, result: Result = Result.FAILURE) -> Experience:
    at = AT + timedelta(minutes=number)
    return Experience(
        id=f"e{number}",
        namespace="n",
        ref=f"E-{number}",
        occurred_at=at,
        recorded_at=at,
        title=title,
        action=title,
        result=result,
        tool=tool,
    )


def caused(effect: str, cause: str, grade: Grade, confidence: float) -> CauseEdge:
    evidence = Evidence(grade, confidence, "stated", "agent", AT)
    return CauseEdge(from_id=effect, to_id=cause, recorded_at=AT, evidence=(evidence,))


def explained(title: str = "load the prices") -> Explanation:
    """A fact, which misled a step that failed, which made a later one fail; a step between them went well."""
    nodes: tuple[Memory, ...] = (
        Fact(
            id="f1",
            namespace="n",
            ref="F-1",
            occurred_at=AT,
            recorded_at=AT,
            title="a wrong price",
            statement="x",
        ),
        experience(1, title, "reader"),
        experience(2, "note it", "reader", Result.SUCCESS),
        experience(3, "place the order", "reader"),
    )
    return Explanation(
        of=nodes[3],
        root_causes=(
            RankedCause(
                memory=nodes[1], score=0.9, parts=(), grade=Grade.ASSERTED, hops=1, on_every_path=True
            ),
        ),
        paths=(),
        nodes=nodes,
        edges=(caused("e3", "e1", Grade.ASSERTED, 0.8), caused("e1", "f1", Grade.INFERRED, 0.35)),
    )


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_chain_names_every_memory_and_the_confidence_of_every_edge() -> None:
    shown = texts(chain(explained()))
    assert {text.split("\n")[0] for text in shown if "\n" in text} == {"F-1", "E-1", "E-2", "E-3"}
    assert {"0.80", "0.35"} <= set(shown)


def test_a_chain_rings_the_first_root_and_gives_each_tool_a_lane() -> None:
    figure = chain(explained())
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["fact", "reader"]
    ringed = axes.collections[-1].get_offsets().tolist()
    assert ringed == [[1.0, 1.0]]


def test_inferred_edges_are_dashed() -> None:
    styles = [
        text.arrow_patch.get_linestyle()
        for text in chain(explained()).axes[0].texts
        if getattr(text, "arrow_patch", None)
    ]
    assert sorted(styles) == ["-", "--"]


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")  # no font of the machine may hold Chinese
@pytest.mark.parametrize("title", ["$\\frac{", "处理用户列表", "a_b^c {x} \\", "<b>&amp;"])
def test_any_title_can_be_drawn(title: str) -> None:
    """Stored text is no formula: matplotlib would read it as one between dollar signs."""
    figure = chain(explained(title))
    figure.canvas.draw()
    assert any(title[:26] in text for text in texts(figure))


@pytest.mark.parametrize("count", [3, 8, 12])
@pytest.mark.parametrize("title", ["connection refused: index the new tickets", "not covered by policy"])
def test_captions_of_neighbours_do_not_run_into_each_other(title: str, count: int) -> None:
    nodes = tuple(experience(number, title, "reader") for number in range(1, count + 1))
    figure = chain(Explanation(of=nodes[-1], root_causes=(), paths=(), nodes=nodes, edges=()))
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert all(left.x1 <= right.x0 for left, right in pairwise(boxes))


def test_a_failure_without_causes_can_be_drawn() -> None:
    only = experience(1, "load", "reader")
    figure = chain(Explanation(of=only, root_causes=(), paths=(), nodes=(only,), edges=()))
    assert texts(figure) == ["E-1\nload"]


def test_dots_stand_in_the_given_order_with_their_interval() -> None:
    table = pd.DataFrame(
        {"value": [0.5, 0.2], "low": [0.4, 0.1], "high": [0.6, 0.3], "n": [40, 60]}, index=["ours", "chance"]
    )
    figure = dots(table, "hits")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["chance", "ours"]
    assert texts(figure) == ["0.20 [0.10, 0.30], n = 60", "0.50 [0.40, 0.60], n = 40"]


def test_a_difference_has_no_n_and_a_line_at_zero() -> None:
    table = pd.DataFrame({"value": [-0.2], "low": [-0.3], "high": [-0.1]}, index=["difference"])
    figure = dots(table, zero=True)
    assert texts(figure) == ["-0.20 [-0.30, -0.10]"]
    assert [0, 0] in [list(line.get_xdata()) for line in figure.axes[0].lines]


def test_no_shares_make_an_empty_picture() -> None:
    assert texts(dots(pd.DataFrame(columns=["value", "low", "high", "n"]))) == []


def test_coverage_has_a_bar_a_cause_and_marks_the_cut() -> None:
    bars = coverage([0.5, 0.8, 1.0], ["a", "b", "c"], cut=2).axes[0].patches
    assert [round(bar.get_height(), 2) for bar in bars] == [0.5, 0.8, 1.0]
    assert bars[0].get_facecolor() == bars[1].get_facecolor() != bars[2].get_facecolor()


def test_a_heat_map_leaves_white_what_is_not_known() -> None:
    table = pd.DataFrame([[0.5, None], [None, 0.1]], index=["a", "b"], columns=["a", "b"])
    shown = heat_map(table).axes[0].images[0].get_array()
    assert shown.mask.tolist() == [[False, True], [True, False]]


def test_flows_are_as_wide_as_their_count() -> None:
    bands = flows({("a", "b"): 3, ("a", "c"): 1}).axes[0].collections
    corners = [[y for x, y in band.get_paths()[0].vertices if x == 0] for band in bands]
    assert sorted(round(max(ends) - min(ends), 3) for ends in corners) == [0.25, 0.75]


def test_nothing_cannot_flow() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        flows({})
