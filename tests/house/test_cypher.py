"""The store's statements: each is a file of one statement that says its purpose, and one place in the code runs it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from graphmem.adapters.neo4j.versions import MIGRATIONS, object_of

ROOT = Path(__file__).parents[2]
QUERIES = ROOT / "queries"
ADAPTER = ROOT / "graphmem" / "adapters" / "neo4j"
FOLDERS = ("schema", "write", "read")
CYPHER = re.compile(
    r"\b(?:MATCH|MERGE|CREATE|DELETE|REMOVE|RETURN|UNWIND|FOREACH|CALL|SHOW)\b[\s(]|:[A-Z][A-Za-z]+[{)]"
)
PARAMETER = re.compile(r"\$(\w+)")
HEADER = re.compile(r"// :param (\w+) => \S.*")
EXPLORE = sorted((QUERIES / "explore").iterdir())
TITLE = re.compile(r"// \d\d [A-Z]\S.{8,48}")
ENDLESS = re.compile(r"\[[^\]]*\*(?!\d+\.\.\d|\.\.\d)|\{\d*,\}|[)>-][+*]")
"""A walk without an upper bound."""
COLUMNS = re.compile(r"// columns: [a-z_]+(, [a-z_]+)*")
WRITES = re.compile(r"\b(?:CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|LOAD)\b")
NAME = re.compile(rf"(?:{'|'.join(FOLDERS)})/[a-z-]+")
ENDS_LATE = re.compile(r";")


def names() -> list[str]:
    """Every statement of the store, as the adapter names it."""
    files = (file for folder in FOLDERS for file in (QUERIES / folder).iterdir())
    return sorted(file.relative_to(QUERIES).with_suffix("").as_posix() for file in files)


NAMES = names()
SOURCES = {file.name: file.read_text(encoding="utf-8") for file in sorted(ADAPTER.rglob("*.py"))}


def split(name: str) -> tuple[list[str], str]:
    """The comment lines at the top of a statement's file, and the statement."""
    lines = (QUERIES / f"{name}.cypher").read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("//")]
    assert lines[: len(comments)] == comments, f"{name}: comments stand at the top"
    return comments, "\n".join(lines[len(comments) :])


def texts(source: str) -> list[ast.AST]:
    """Every text in a source that is a value, pieces of f-strings too."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    ]


def test_there_is_something_to_check() -> None:
    assert len(NAMES) > 30
    assert all((QUERIES / f"{name}.cypher").is_file() for name in NAMES)


@pytest.mark.parametrize("file", SOURCES)
def test_no_cypher_stands_in_python(file: str) -> None:
    assert [node.value for node in texts(SOURCES[file]) if CYPHER.search(node.value)] == []  # type: ignore[attr-defined]


def test_nothing_is_joined_to_a_statement() -> None:
    """Only statements.py reads query files, and what it reads is sent as it is; names are whole constants."""
    built = [
        f"{file}: {ast.unparse(node)}"
        for file, source in SOURCES.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.JoinedStr | ast.BinOp) and NAME.search(ast.unparse(node))
    ]
    assert built == []
    assert [file for file, source in SOURCES.items() if ".cypher" in source and "read_text" in source] == [
        "statements.py"
    ]


@pytest.mark.parametrize("name", [*NAMES, "kit/latest-failure"])
def test_a_file_says_its_purpose_and_its_parameters(name: str) -> None:
    comments, statement = split(name)
    purpose, *declared = comments
    assert re.fullmatch(r"// [A-Z].{8,}\.", purpose), purpose
    found = [HEADER.fullmatch(line) for line in declared]
    assert all(found), declared
    assert [match[1] for match in found if match] == list(dict.fromkeys(match[1] for match in found if match))
    assert {match[1] for match in found if match} == set(PARAMETER.findall(statement))
    assert not ENDS_LATE.search(statement), "one statement a file"


@pytest.mark.parametrize("file", EXPLORE, ids=lambda file: file.stem)
def test_a_query_for_people_has_a_title_and_says_what_it_asks_and_answers(file: Path) -> None:
    """Its first line is what Neo4j Browser lists; it only reads, needs no plug-in, and ends by itself."""
    comments, statement = split(f"explore/{file.stem}")
    title, *declared, columns = comments
    assert re.fullmatch(r"\d\d-[a-z-]+\.cypher", file.name)
    assert TITLE.fullmatch(title), title
    assert title[3:5] == file.name[:2]
    assert COLUMNS.fullmatch(columns), columns
    found = [HEADER.fullmatch(line) for line in declared]
    assert all(found), declared
    assert {match[1] for match in found if match} == set(PARAMETER.findall(statement)) >= {"namespace"}
    assert not WRITES.search(statement)
    assert not re.search(r"\b(?:apoc|gds)\b", statement)
    assert not ENDLESS.search(statement), "every walk has a bound"
    assert not ENDS_LATE.search(statement), "one statement a file"


def test_every_file_has_one_caller() -> None:
    """No file that nobody runs, no name without a file, and no statement that two places rely on."""
    named = Counter(
        node.value  # type: ignore[attr-defined]
        for source in SOURCES.values()
        for node in texts(source)
        if NAME.fullmatch(node.value)  # type: ignore[attr-defined]
    )
    assert sorted(named) == NAMES
    assert {name: times for name, times in named.items() if times != 1} == {}


def test_a_schema_file_makes_what_its_name_says() -> None:
    steps = [name for names in MIGRATIONS for name in names]
    assert len(set(steps)) == len(steps)
    for name in steps:
        _, statement = split(name)
        assert re.match(rf"CREATE (CONSTRAINT|INDEX) {object_of(name)} IF NOT EXISTS FOR ", statement), name


@pytest.mark.parametrize(
    ("text", "is_cypher"),
    [
        ("MATCH (n) RETURN n", True),
        ("SET n += $x RETURN n", True),
        ("(:Memory)", True),
        ("check the id", False),
        ("write/open-action", False),
    ],
)
def test_cypher_is_told_from_other_text(text: str, is_cypher: bool) -> None:
    assert bool(CYPHER.search(text)) is is_cypher


@pytest.mark.parametrize(
    "walk", ["-[:X*]->", "-[r:X*2..]->", "(()-->()){1,}", "(()-->())+", "-->*", "(()-[:X]->())*"]
)
def test_an_endless_walk_is_told(walk: str) -> None:
    assert ENDLESS.search(f"MATCH (a){walk}(b)")


@pytest.mark.parametrize("walk", ["-[:X*1..6]->", "-[:X*..6]->", "(()-->()){1,6}", "-[r:X WHERE r.p > 1]->"])
def test_a_bounded_walk_is_told_from_it(walk: str) -> None:
    assert not ENDLESS.search(f"MATCH (a){walk}(b) RETURN count(*), 2 * 3")
