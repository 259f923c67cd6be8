"""Pictures and pages of an explanation: whole, well-formed, and harmless whatever the memories say."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from graphmem.domain.explanations import Explanation
from graphmem.entrypoints.cli.pictures.dot import dot
from graphmem.entrypoints.cli.pictures.drawing import MAX_DRAWN
from graphmem.entrypoints.cli.pictures.markup import block
from graphmem.entrypoints.cli.pictures.report import report
from graphmem.entrypoints.cli.pictures.svg import svg
from graphmem.services.what_if import what_if
from tests.builders import caused, failure
from tests.unit.entrypoints.cli.pictures.explained import HOSTILE, damage, explanation, named

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "figure", "footer"),
    *("p", "h1", "h2", "h3", "dl", "dt", "dd", "div", "table", "thead", "tbody", "tr", "th", "td"),
    *("ul", "li", "b", "br", "span", "svg", "defs", "marker", "path", "rect", "text", "g"),
}
"""What a page is made of: no script, no frame, no image, no link."""


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in English."""
    monkeypatch.setenv("LANG", "en_US.UTF-8")


def page(found: Explanation) -> str:
    """The incident page with the smallest fix."""
    return report(found, what_if(found), damage(found))


class Read(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.said += data


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_picture_is_well_formed_and_holds_every_node_and_edge(cyclic: bool) -> None:
    found = explanation(cyclic)
    picture = ElementTree.fromstring(svg(found))
    texts = [item.text or "" for item in picture.iter(f"{SVG}text")]
    assert list(dict.fromkeys(re.findall(r"^[EF]-\d", "\n".join(texts), re.MULTILINE))) == [
        "E-3",
        "E-2",
        "F-1",
    ]
    arrows = [item for item in picture.iter(f"{SVG}path") if item.get("marker-end")]
    assert len(arrows) == len(found.edges)
    assert {"asserted 0.80", "traced 0.90", "inferred 0.30"} <= set(texts)
    assert "▲ root" in texts


def test_an_inferred_edge_is_dashed() -> None:
    picture = ElementTree.fromstring(svg(explanation()))
    arrows = [item for item in picture.iter(f"{SVG}path") if item.get("marker-end")]
    assert sum(item.get("stroke-dasharray") is not None for item in arrows) == 1


def test_everything_stands_within_the_picture() -> None:
    picture = ElementTree.fromstring(svg(explanation(cyclic=True)))
    width, height = float(picture.get("width", 0)), float(picture.get("height", 0))
    for item in picture.iter(f"{SVG}rect"):
        if item.get("x"):
            assert 0 < float(item.get("x", 0)) < width - float(item.get("width", 0))
            assert 0 < float(item.get("y", 0)) < height - float(item.get("height", 0))
    for item in picture.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", item.get("d", ""))]
        assert all(0 <= x <= width for x in numbers[::2])


def test_a_picture_is_plain_ascii() -> None:
    text = svg(explanation())
    assert text.isascii()
    assert "报表" in "".join(item.text or "" for item in ElementTree.fromstring(text).iter(f"{SVG}text"))


def test_no_text_of_a_memory_becomes_markup() -> None:
    picture = ElementTree.fromstring(svg(explanation()))
    assert {item.tag.removeprefix(SVG) for item in picture.iter()} <= ALLOWED
    assert not any("onerror" in item.attrib for item in picture.iter())


def test_a_large_graph_is_drawn_in_part_and_that_is_said() -> None:
    end = named(failure("end"), "E-0")
    causes = [named(failure("cause"), f"E-{number}") for number in range(1, 101)]
    edges = tuple(caused(end, cause) for cause in causes)
    found = replace(explanation(), of=end, nodes=(end, *causes), edges=edges, root_causes=(), refuted=())
    text = svg(found)
    assert text.count("<title>") == MAX_DRAWN + 1
    assert f"{101 - MAX_DRAWN} more nodes are not drawn" in text
    assert float(ElementTree.fromstring(text).get("width", 0)) < 2_000
    assert dot(found).count("->") == 100


def test_dot_names_every_node_and_edge_and_no_text_ends_a_string() -> None:
    text = dot(explanation(cyclic=True))
    assert (text.count("fillcolor="), text.count("->")) == (3, 4)
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    assert set(re.findall(r"[a-z]+", rest)) <= {
        *("digraph", "explanation", "rankdir", "node", "shape", "box", "style", "label", "fillcolor"),
        *("color", "penwidth", "solid", "dashed", "bold", "dotted"),
    }
    if graphviz := shutil.which("dot"):
        subprocess.run([graphviz, "-Tsvg"], input=text.encode(), check=True, capture_output=True)


def test_a_page_holds_the_whole_incident() -> None:
    said = Read(page(explanation())).said
    for expected in (
        "E-3",
        "It most likely began with",
        "0.80",
        "habits",
        "look first",
        "Without F-1, 2.0 failures fewer",
        " UTC",
    ):
        assert expected in said
    for heading in ("What happened", "The chain", "Root cause", "Evidence", "In order of time"):
        assert heading in said
    assert "Refuted, and left out above" in said
    assert "Dashed edges are inferred" in said


def test_a_page_tells_the_causes_of_the_failure_and_not_the_failure_among_them() -> None:
    text = page(explanation())
    roots = text[text.index("<h2>Root cause") : text.index("<h2>What would have prevented it")]
    assert "F-1" in roots
    assert "E-3" not in roots


def test_a_page_tells_what_each_cause_of_a_fix_of_several_saves_alone() -> None:
    found = explanation()
    both = [memory.id for memory in found.nodes[1:]]
    said = Read(
        report(found, what_if(found, both), damage(found), [what_if(found, [one]) for one in both])
    ).said
    assert "Without E-2 + F-1, " in said
    assert (
        "Without F-1 alone: 2.0 failures fewer; E-3 would still have happened with probability 0.00." in said
    )
    assert "Without E-2 alone: " in said


def test_a_page_lists_the_failures_that_would_have_happened_all_the_same_and_no_others() -> None:
    found = explanation()
    root, step = found.root_causes[0].memory, found.nodes[1]
    none = Read(report(found, what_if(found, [root.id]), damage(found))).said
    assert "none of them would have happened" in none
    assert "still happens" not in none
    some = report(found, what_if(found, [step.id]), damage(found))
    rows = some[some.index("still happens") : some.index("<h2>Evidence")]
    assert ("E-3" in rows, "E-2" in rows) == (True, False)


def test_a_page_asks_nobody_for_anything() -> None:
    """No script, no link, no address but the name of the SVG language, and a policy that forbids the rest."""
    text = page(explanation())
    read = Read(text)
    assert read.tags == read.tags & ALLOWED
    assert not [name for name, _ in read.attributes if name.startswith("on") or name in ("src", "href")]
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text


def test_texts_of_strangers_stand_on_a_page_as_they_are() -> None:
    read = Read(page(explanation()))
    assert '<script>alert("1")</script>' in read.said
    assert not {"\u202e", "\x07"} & set(read.said)


def test_a_block_keeps_its_lines() -> None:
    assert block("a\n\tb\r<\x1b") == "a\n\tb&lt;"
    assert "&lt;img" in block(HOSTILE)


def test_a_failure_without_causes_has_a_page() -> None:
    found = explanation()
    alone = replace(
        found,
        root_causes=found.root_causes[1:],
        nodes=(found.of,),
        edges=(),
        joint_fix=(),
        on_every_path=(),
        refuted=(),
        patterns=(),
        earliest=found.of.id,
        latest=found.of.id,
    )
    said = Read(page(alone)).said
    assert said.count("No cause of E-3 is recorded") == 2
    assert "No cause is recorded that could be removed." in said


def test_a_walk_that_was_cut_everywhere_has_a_page() -> None:
    found = explanation()
    cut = replace(found, root_causes=(), joint_fix=(), on_every_path=(), truncated=True)
    said = Read(report(cut, what_if(cut), damage(found))).said
    assert "The walk was cut before any root was reached." in said
    assert "The walk hit a bound" in said


def test_a_page_speaks_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    text = page(explanation())
    assert '<html lang="zh">' in text
    for heading in ("发生了什么", "因果链", "根因", "怎样才能避免", "证据", "时间顺序"):
        assert heading in text
    assert "What happened" not in text


def test_the_page_says_which_causes_are_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    found = explanation()
    page = report(found, what_if(found), damage(found))
    assert "In doubt by the habits of this memory" in page
    assert "E-3 ← E-2 (probability 0.04; rather E-1)" in page
    sure = replace(found, doubted=())
    assert "In doubt" not in report(sure, what_if(sure), damage(sure))
