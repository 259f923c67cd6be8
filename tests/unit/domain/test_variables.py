"""A variable that nothing reads is told from those that are read."""

from __future__ import annotations

import re
from pathlib import Path

from graphmem.domain.variables import VARIABLES, unknown

ROOT = Path(__file__).parents[3]
OWN = ROOT / "graphmem" / "domain" / "variables.py"


def test_the_names_are_those_that_are_read() -> None:
    sources = (file.read_text(encoding="utf-8") for file in (ROOT / "graphmem").rglob("*.py") if file != OWN)
    read = {name for source in sources for name in re.findall(r'"(GRAPHMEM_[A-Z_]+)"', source)}
    assert read == VARIABLES


def test_names_in_the_documents_are_real_ones() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {
        name for file in documents for name in re.findall(r"GRAPHMEM_[A-Z_]*[A-Z]", file.read_text("utf-8"))
    }
    assert unknown(named) == {}


def test_a_mistyped_name_has_the_nearest_one_beside_it() -> None:
    assert unknown(
        ["GRAPHMEM_STOR", "GRAPHMEM_EMBEDER", "GRAPHMEM_ZZZ", "GRAPHMEM_STORE", "HOME", "NEO4J_URI"]
    ) == {
        "GRAPHMEM_EMBEDER": "GRAPHMEM_EMBEDDER",
        "GRAPHMEM_STOR": "GRAPHMEM_STORE",
        "GRAPHMEM_ZZZ": "",
    }


def test_the_variables_of_our_own_tests_are_none_of_a_users_business() -> None:
    assert unknown(["GRAPHMEM_TEST_NEO4J", "GRAPHMEM_BENCH_DATA", "GRAPHMEM_PICTURE"]) == {}
