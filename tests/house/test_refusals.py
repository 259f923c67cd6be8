"""What is refused is named as Python calls it; GraphQL and the command line turn the name into their own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2] / "graphmem"
GRAPHQL = ROOT / "entrypoints/graphql"
TOOLING = ROOT / "tooling"
CAPITALS = re.compile(r"\b[a-z]+[A-Z]")
ITS_OWN = {"send the `endCursor` of a page"}
"""Words about what only GraphQL has."""


def test_fields_and_remedies_are_in_no_doors_own_spelling() -> None:
    told = []
    for file in sorted(ROOT.rglob("*.py")):
        if GRAPHQL in file.parents or TOOLING in file.parents:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in ("field", "remedy"):
                text = "".join(part.value for part in ast.walk(node.value) if _is_text(part))
                if CAPITALS.search(text) and text not in ITS_OWN:
                    told.append(f"{file.relative_to(ROOT)}:{node.value.lineno} {text}")
    assert told == []


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
