"""The kit for Neo4j Browser: a style, an archive and a guide, and queries filled in so that nothing can break out."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html.parser import HTMLParser

import pytest

from graphmem.tooling.browser_kit import (
    FIRST,
    GUIDE,
    QUERIES,
    STYLE,
    archive,
    content_type,
    guide,
    kit,
    prefilled,
    saved_queries,
    style,
)

ABOUT = {"namespace": "main", "ref": "E-6"}
AWKWARD = ['it\'s "quoted"', "\\", '"}) DETACH DELETE f //', "$ref", "记忆 <b>&amp;"]


class Reader(HTMLParser):
    """Reads the runnable pieces of a guide, and checks that every element is closed in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.runnable: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.open.append(tag)
        if tag == "pre":
            assert "runnable" in (dict(attrs)["class"] or "")
            self.runnable.append("")

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """A text."""
        if self.open[-1:] == ["pre"]:
            self.runnable[-1] += data


def read(text: str) -> list[str]:
    """The runnable pieces of a guide."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader.runnable


def test_every_saved_query_is_there_with_its_title_and_parameters() -> None:
    queries = saved_queries()
    assert [query.name[:2] for query in queries] == [f"{number:02}" for number in range(1, 13)]
    assert queries[0].name == FIRST
    for query in queries:
        assert query.title.startswith(query.name[:2])
        assert set(query.parameters) == set(re.findall(r"\$(\w+)", query.statement))
        assert query.text.splitlines()[0] == f"// {query.title}"
        assert "//" not in query.statement


def test_the_style_colours_every_label_and_failures_after_what_they_also_are() -> None:
    rules = [rule.partition(" {") for rule in style().split("\n\n")]
    bodies = {name: body for name, _, body in rules}
    labels = [name.removeprefix("node.") for name in bodies if name.startswith("node.")]
    assert labels == ["Memory", "Fact", "Experience", "Failure", "Pattern", "Strategy"]
    colours = [re.findall(r"^  color: (#\w{6});", bodies[f"node.{label}"], re.MULTILINE) for label in labels]
    assert len({colour for (colour,) in colours}) == len(labels)
    assert all('caption: "{title}"' in bodies[f"node.{label}"] for label in labels)
    assert 'caption: "{confidence}"' in bodies["relationship.CAUSED_BY"]


def test_the_archive_makes_one_folder_of_all_queries_and_is_the_same_every_time() -> None:
    queries = saved_queries()
    packed = archive(queries)
    assert packed == archive(queries)
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        assert opened.namelist() == [f"graphmem/{query.name}.cypher" for query in queries]
        assert opened.read(opened.namelist()[0]).decode() == queries[0].text + "\n"


def test_the_guide_holds_style_parameters_and_every_query_as_they_are() -> None:
    queries = saved_queries()
    pieces = read(guide(queries, ABOUT, "http://localhost:1/graphmem.grass"))
    assert pieces[0] == ":style http://localhost:1/graphmem.grass"
    assert pieces[-12:] == [query.text for query in queries]
    given = dict(re.fullmatch(r":param (\w+) => (.+)", piece).groups() for piece in pieces[1:-12])  # type: ignore[union-attr]
    assert given["ref"] == '"E-6"'
    assert given["since"] == "datetime() - duration('P30D')"
    assert given.keys() == {name for query in queries for name in query.parameters}
    assert not any(piece.startswith(":style") for piece in read(guide(queries, ABOUT, "")))


@pytest.mark.parametrize("text", AWKWARD)
def test_a_name_stays_a_text_in_the_guide_and_in_the_editor(text: str) -> None:
    pieces = read(guide(saved_queries(), {"namespace": text}, ""))
    assert pieces[0] == f":param namespace => {json.dumps(text, ensure_ascii=False)}"
    lines = prefilled(FIRST, {"namespace": text, "ref": text})
    literal = json.dumps(text, ensure_ascii=False)
    assert lines[1] == f"MATCH (f:Memory {{namespace: {literal}, ref: {literal}}})"


def test_a_query_is_filled_in_whole() -> None:
    lines = prefilled(FIRST, ABOUT)
    assert lines[0] == f"// {saved_queries()[0].title}"
    assert "$" not in "".join(lines)
    with pytest.raises(KeyError):
        prefilled(FIRST, {"namespace": "main"})


def test_the_kit_has_three_files_of_known_types() -> None:
    files = kit(ABOUT, "http://localhost:1/x")
    assert files.keys() == {STYLE, QUERIES, GUIDE}
    assert all(files.values())
    assert content_type(GUIDE) == "text/html; charset=utf-8"
    assert content_type(STYLE).startswith("text/plain")
    assert content_type(QUERIES).startswith("application/zip")
