"""Failures become a pattern and a strategy by themselves, and people decide about them, through GraphQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.queries import graphql_operation
from tests.unit.entrypoints.graphql.door import Door, opened

MISTAKES = {
    "en": ("the parser broke on an empty price cell", "treat an empty cell as missing"),
    "zh": ("解析价格列时遇到空单元格报错", "把空单元格当作缺失值处理"),
}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with opened(tmp_path) as found:
        yield found


@pytest.fixture(params=MISTAKES)
def taught(request: pytest.FixtureRequest, door: Door) -> Door:
    """A door behind which the same mistake was made in five tasks."""
    wrong, right = MISTAKES[request.param]
    for number in range(5):
        door.written(
            "capture_failure",
            "Experience",
            manifestation=wrong,
            correction=right,
            action=f"clean file {number}",
            taskId=f"t{number}",
            taskType="cleaning",
        )
    return door


def pattern_of(door: Door) -> dict[str, Any]:
    """The only pattern, as the only cluster shows it."""
    (cluster,) = door.run("clusters")
    assert cluster["size"] == len(cluster["members"]) == 5
    found: dict[str, Any] = cluster["pattern"]
    return found


def test_failures_become_a_pattern_and_a_strategy(taught: Door) -> None:
    pattern = pattern_of(taught)
    assert (pattern["ref"], pattern["level"], pattern["status"]) == ("P-1", "HIGH", "OPEN")
    assert (pattern["frequency"], pattern["episodes"]) == (5, 5)
    strategy = taught.run("memory", id="S-1")
    assert (strategy["__typename"], strategy["category"], strategy["strategyStatus"]) == (
        "Strategy",
        "cleaning",
        "ACTIVE",
    )
    assert strategy["guidance"] in {right for _, right in MISTAKES.values()}
    member = taught.run("memory", id="E-1")
    assert member["generalizationSource"] == "pattern"


def test_reflect_says_what_it_did(taught: Door) -> None:
    told = taught.written("reflect", "Reflection")
    assert (told["failures"], told["clusters"], told["alone"], told["moved"]) == (5, 1, 0, 0)
    assert taught.problem("reflect", profile="best") == ("InvalidInput", "profile")
    assert taught.written("reflect", "Reflection", profile="seed")["failures"] == 5


def test_a_settled_pattern_comes_back(taught: Door) -> None:
    settled = taught.written(
        "review_pattern", "Pattern", id="P-1", status="RESOLVED", by="anna", reason="fixed"
    )
    assert (settled["status"], settled["statusBy"], settled["statusReason"]) == ("RESOLVED", "anna", "fixed")
    wrong = taught.run("memory", id="E-1")["manifestation"]
    taught.written("capture_failure", "Experience", manifestation=wrong, action="clean", taskId="t9")
    (cluster,) = taught.run("clusters", first=1)
    assert (cluster["pattern"]["status"], cluster["size"]) == ("REGRESSED", 6)
    assert taught.problem("review_pattern", id="P-1", status="REGRESSED") == ("InvalidInput", "status")


def test_a_strategy_ends_and_another_begins(taught: Door) -> None:
    known = taught.written("promote_pattern", "Strategy", pattern="P-1")
    assert (known["ref"], known["receipt"]["created"]) == ("S-1", False)
    retired = taught.written("review_strategy", "Strategy", id="S-1", status="RETIRED", by="anna")
    assert retired["status"] == "RETIRED"
    again = taught.written(
        "promote_pattern", "Strategy", pattern="P-1", guidance="Look for gaps first.", category="parsing"
    )
    assert (again["ref"], again["category"], again["guidance"]) == ("S-2", "parsing", "Look for gaps first.")


def test_clusters_come_in_bounded_numbers(taught: Door) -> None:
    answer = taught.ask(graphql_operation("clusters"), first=0)
    assert (answer.code, answer.errors[0]["extensions"]["field"]) == ("BAD_INPUT", "first")
