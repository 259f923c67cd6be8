"""Every statement is understood by the server, and finds what it reads by an index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.tooling.neo4j import RunningServer
from tests.builders import caused, changes, failure

pytestmark = pytest.mark.neo4j

QUERIES = Path(__file__).parents[4] / "queries"
FOLDERS = ("schema", "read", "write", "explore", "kit")
FILES = sorted(file for folder in FOLDERS for file in (QUERIES / folder).glob("*.cypher"))
HEADER = re.compile(r"// :param (\w+) => (.*)")
UNKNOWN_YET = frozenset({"01N50", "01N51", "01N52"})
"""A label, relation or property that no node of a new database has."""
READ_WHOLE = frozenset(
    {"namespaces", "namespaces-with-free-jobs", "08-pattern-coverage", "memories-nameless"}
)
"""Statements that are meant to read all nodes of a label: namespaces, and patterns, of which there are few; and what
the doctor looks for, which no index holds."""
IN_ORDER = frozenset(
    {
        "memories-newest",
        "memories-oldest",
        "records",
        "record-newest",
        "requests",
        "erasures",
        "jobs",
        "changes",
    }
)
"""Statements that walk an index in its order, and stop at their limit."""


@pytest.fixture
def explain(neo4j_server: RunningServer, store: Neo4jStore, name: str) -> Any:
    """The plan of a statement, made with the values that its header gives as examples."""
    members = [failure(namespace=name) for _ in range(50)]
    edges = tuple(caused(b, a) for a, b in pairwise(members))
    store.apply(changes(*members, edges=edges))

    def plan(file: Path) -> Any:
        text = file.read_text(encoding="utf-8")
        with GraphDatabase.driver(neo4j_server.bolt_uri) as driver, driver.session() as session:
            values = {
                parameter: session.run("RETURN " + example + " AS value").single(strict=True)["value"]
                for parameter, example in HEADER.findall(text)
            }
            summary = session.run("EXPLAIN " + text, values).consume()
        return summary

    return plan


def operators(plan: dict[str, Any]) -> list[str]:
    """The operators of a plan, from its result down."""
    own = plan["operatorType"].partition("@")[0]
    return [own, *(name for child in plan.get("children", []) for name in operators(child))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_server_understands_it(explain: Any, file: Path) -> None:
    """No statement is refused, deprecated, or warned about by the planner."""
    summary = explain(file)
    said = [item for item in summary.gql_status_objects if item.is_notification]
    about = {item.gql_status: item.status_description for item in said if item.gql_status not in UNKNOWN_YET}
    assert about == {}
    if file.parent.name == "schema" or summary.plan is None:
        return
    used = operators(summary.plan)
    assert "AllNodesScan" not in used
    assert "CartesianProduct" not in used or file.stem in {"claim-job", "save-action", "create-action"}
    assert "NodeByLabelScan" not in used or file.stem in READ_WHOLE, used


@pytest.mark.parametrize(
    "file", [file for file in FILES if "replan=skip" in file.read_text()], ids=lambda file: file.stem
)
def test_a_plan_that_stays_finds_every_node_by_a_unique_index(explain: Any, file: Path) -> None:
    """A plan that is made while there is nothing is the right one for a million memories too."""
    used = [
        name for name in operators(explain(file).plan) if name.startswith(("Node", "Directed", "Undirected"))
    ]
    assert used
    assert set(used) == {"NodeUniqueIndexSeek(Locking)"}


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.stem in IN_ORDER], ids=lambda file: file.stem
)
def test_a_page_is_read_off_its_index(explain: Any, file: Path) -> None:
    """A page reads as many rows as it shows: its limit is right above the walk, with nothing sorted below."""
    plan = explain(file).plan

    def limits(node: dict[str, Any]) -> list[dict[str, Any]]:
        below = [found for child in node.get("children", []) for found in limits(child)]
        return [node, *below] if node["operatorType"].startswith("Limit@") else below

    found = limits(plan)
    assert found
    for node in found:
        assert set(operators(node)) <= {"Limit", "Filter", "NodeIndexSeek"}


@pytest.mark.parametrize(
    "file", [file for file in FILES if ".occurred_at DESC" in file.read_text()], ids=lambda file: file.stem
)
def test_the_latest_failures_are_read_off_their_index(explain: Any, file: Path) -> None:
    """However long ago `since` is: the walk stops at the limit, and what it found is not sorted as a whole."""
    first = list(first_orders(explain(file).plan))
    assert first
    assert not {"Sort", "Top"} & set(first), first


def first_orders(plan: dict[str, Any], above: str = "") -> Iterator[str]:
    """Of each walk over an index the first operator above it that orders, cuts or counts."""
    name = plan["operatorType"].partition("@")[0]
    if name == "NodeIndexSeek" and above:
        yield above
    within = ("Sort", "Top", "PartialSort", "PartialTop", "Limit", "EagerAggregation")
    for child in plan.get("children", []):
        yield from first_orders(child, name if name in within else above)
