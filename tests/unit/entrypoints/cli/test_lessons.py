"""reflect, clusters, promote, decide: what failures have in common, and what people decide about it."""

from __future__ import annotations

from collections.abc import Callable
from math import dist
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphmem.entrypoints.cli.pictures.scatter import GREY
from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]
SVG = "{http://www.w3.org/2000/svg}"
FAULT = ("--manifestation", "the parser broke on an empty price cell", "--correction", "treat it as missing")


@pytest.fixture
def taught(run: Run, fail: Fail) -> Run:
    """The same mistake in three tasks."""
    for number in range(3):
        fail(f"clean file {number}", *FAULT, "--task-id", f"t{number}", "--task-type", "cleaning")
    return run


def test_clusters_show_their_pattern(taught: Run) -> None:
    lines = taught("clusters").lines
    assert lines[0].startswith("3 failures  P-1 ")
    assert lines[0].endswith("(medium, open, 3 episodes)")
    assert [line.split()[0] for line in lines[1:]] == ["E-1", "E-2", "E-3"]
    (shown,) = taught("clusters", "--json").data
    assert (shown["size"], shown["pattern"]["ref"]) == (3, "P-1")


def test_a_pattern_in_one_line_is_its_lesson_alone(taught: Run) -> None:
    (shown,) = taught("clusters", "--json").data
    line = taught("clusters").lines[0]
    assert line == f"3 failures  P-1 {shown['pattern']['lesson']} (medium, open, 3 episodes)"
    assert line.count("treat it as missing") == 1
    assert "words in common" not in line


def test_no_clusters_are_said(run: Run) -> None:
    assert run("clusters").lines == ["No two failures are alike yet."]
    assert run("clusters", "--json").data == []


def test_a_long_cluster_is_cut(taught: Run, fail: Fail) -> None:
    for number in range(3, 8):
        fail("clean", *FAULT, "--task-id", f"t{number}")
    assert taught("clusters").lines[-1] == "  … 3"


def test_reflect_says_what_it_saw(taught: Run) -> None:
    assert taught("reflect").lines == ["Looked at 3 failures: 1 group, 0 alone."]
    assert taught("reflect", "--json").data["failures"] == 3
    assert taught("reflect", "--due").lines == ["It is not time yet."]
    assert taught("reflect", "--due", "--json").data is None
    assert taught("reflect", "--profile", "best").code == 2


def test_promote_makes_a_strategy(taught: Run) -> None:
    lines = taught("promote", "P-1", "--guidance", "look first", "--by", "anna").lines
    assert lines == ["S-1 look first (active, cleaning)", "  look first"]
    assert taught("promote", "P-1", "--json").data["ref"] == "S-1"


def test_decisions_are_taken_by_kind(taught: Run) -> None:
    taught("promote", "P-1")
    assert (
        "(medium, resolved, 3 episodes)" in taught("decide", "P-1", "RESOLVED", "--reason", "fixed").lines[0]
    )
    assert taught("show", "P-1", "--json").data["status_reason"] == "fixed"
    assert "(retired, cleaning)" in taught("decide", "S-1", "retired").lines[0]


@pytest.mark.parametrize(
    ("words", "code", "remedy"),
    [
        (("decide", "P-1", "retired"), 2, "one of open, resolved, muted"),
        (("decide", "P-1", "regressed"), 2, "use OPEN, RESOLVED or MUTED"),
        (("decide", "P-9", "muted"), 3, "check the id"),
        (("decide", "E-1", "muted"), 2, "name a pattern"),
        (("promote", "E-1"), 2, "name a pattern"),
        (("clusters", "--limit", "0"), 2, ""),
    ],
)
def test_what_cannot_be_decided_is_refused(
    taught: Run, words: tuple[str, ...], code: int, remedy: str
) -> None:
    ended = taught(*words)
    assert (ended.code, remedy in ended.err) == (code, True), ended.err


def test_in_chinese(taught: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert taught("reflect").lines == ["审视了 3 条失败：1 组，0 条单独。"]
    assert taught("clusters").lines[0].startswith("3 条失败  P-1 ")


JUDGED = "first,second,same\nE-1,E-2,yes\nE-2,E-3,是\n\nE-1,E-4,no\nE-3,E-4,0\n"


@pytest.fixture
def judged(taught: Run, fail: Fail, tmp_path: Path) -> str:
    """Three failures that belong together, one that does not, and what a person says of four pairs."""
    fail("plant an oak", "--manifestation", "the shovel broke", "--task-id", "garden")
    file = tmp_path / "labels.csv"
    file.write_text(JUDGED, encoding="utf-8")
    return str(file)


def test_the_cut_is_judged_by_pairs(taught: Run, judged: str) -> None:
    lines = taught("clusters", "--tune", judged).lines
    assert lines[0].split() == ["cut", "precision", "recall", "F1"]
    shown = {line.split()[0]: line.split()[1:] for line in lines[1:-1]}
    assert shown["0.25"] == ["1.00", "1.00", "1.00"]
    assert shown["-0.20"] == ["0.50", "1.00", "0.67"]
    assert lines[-1] == "Best at 0.25 on 4 pairs; this memory is cut at 0.25 now."
    found = taught("clusters", "--tune", judged, "--json").data
    assert (found["curve"]["best"], found["curve"]["pairs"], found["now"]) == (0.25, 4, 0.25)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,c\nE-1,E-2,perhaps\n", "line 2 is no judged pair"),
        ("a,b,c\nE-1,yes\n", "line 2 is no judged pair"),
        ("E-1,E-99,yes\n", "E-99 is no failure here"),
        ("E-1,E-4,no\n", "no pair is labelled as the same"),
        ("", "no pair is labelled as the same"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(taught: Run, judged: str, text: str, said: str) -> None:
    Path(judged).write_text(text, encoding="utf-8")
    ended = taught("clusters", "--tune", judged)
    assert (ended.code, said in ended.err) == (2, True)


def test_labels_that_are_not_there_are_refused(taught: Run) -> None:
    assert taught("clusters", "--tune", "nowhere.csv").code == 2


def test_a_picture_of_the_clusters(taught: Run, judged: str, tmp_path: Path) -> None:
    """A dot for each failure: the three near each other and of one colour, the other apart and grey."""
    file = tmp_path / "clusters.svg"
    assert taught("clusters", "--plot", str(file)).lines[0].startswith(f"Wrote {file}")
    found = [node for node in ElementTree.parse(file).iter(f"{SVG}circle") if len(node)]
    told = {str(node[0].text).split()[0]: node for node in found}
    assert sorted(told) == ["E-1", "E-2", "E-3", "E-4"]
    places = {ref: (float(node.attrib["cx"]), float(node.attrib["cy"])) for ref, node in told.items()}
    assert (
        max(dist(places["E-1"], places[ref]) for ref in ("E-2", "E-3"))
        < dist(places["E-1"], places["E-4"]) / 2
    )
    colours = {ref: node.attrib["fill"] for ref, node in told.items()}
    assert len({colours["E-1"], colours["E-2"], colours["E-3"]}) == 1
    assert colours["E-4"] == GREY != colours["E-1"]
    assert "3 failures: E-1" in file.read_text(encoding="ascii")


def test_a_picture_of_nothing_and_to_nowhere(run: Run, tmp_path: Path) -> None:
    assert run("clusters", "--plot", str(tmp_path / "none.svg")).code == 0
    assert run("clusters", "--plot", str(tmp_path / "no" / "where.svg")).code == 2
