"""A number and the word behind it agree: 1 memory, 2 memories. domain.words.filled chooses the word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.domain.words import filled

PACKAGE = Path(__file__).parents[2] / "graphmem"
FILES = [*sorted(PACKAGE.rglob("*.py")), PACKAGE / "entrypoints" / "cli" / "words.toml"]
COUNTED = (
    "answers attempts bytes calls causes characters clusters days edges episodes experiences exposures facts failures "
    "files fragments groups hours items jobs keys labels lessons lines memories minutes namespaces nodes notes pairs "
    "patterns questions records reminders rows sessions steps strategies successes tags tasks tests times tokens "
    "vectors warnings"
)
DISAGREES = re.compile(
    rf"\{{([^{{}}:]+)\}} (?:(?:more|new|old|other|own|such) )?(?:{'|'.join(COUNTED.split())})\b(?![^.]*, at most)"
)
"""A place and a plural. A number beyond a limit is never 1, and says so: ', at most'."""
ALWAYS_MANY = re.compile(r"[A-Z_]+|all|times|kind|len\(fitting\)|model\.max_seq_length")
"""Limits of the program and of a model, causes that are too many to choose from; and what is no number."""


def texts(file: Path) -> Iterator[str]:
    """The texts in a file, places of f-strings as in str.format."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".toml":
        yield source
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"  # type: ignore[attr-defined, misc]
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def disagreeing(text: str) -> list[str]:
    """The places of a text that would say '1 memories'."""
    return [found[0] for found in DISAGREES.finditer(text) if not ALWAYS_MANY.fullmatch(found[1])]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_number_and_its_word_agree(file: Path) -> None:
    assert [found for text in texts(file) for found in disagreeing(text)] == []


def test_the_check_finds_the_kind() -> None:
    assert disagreeing("{n} memories, {len(x)} more failures")
    assert not disagreeing("{n} {n:memory|memories}, {n} items, at most 5, {MAX_BODY} bytes")
    assert [filled("{n} {n:memory|memories}", n=n) for n in (0, 1, 2)] == [
        "0 memories",
        "1 memory",
        "2 memories",
    ]
